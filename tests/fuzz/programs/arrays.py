# SPDX-License-Identifier: Apache-2.0
"""The arrays of a program: what they hold, how main names them, and how their memory comes to be."""

STYLES = ("managed", "buffer-class", "buffer-template", "device-vector", "global-pointers", "out-parameter",
          "returned-pointer", "unique-pointer")  # and "plain", allocated in main


class DeviceArray:
    """An array of records, or of numbers if there is no record, and its counterpart on the host."""

    def __init__(self, record, stem, style, device, host):
        self.record, self.stem, self.style, self.host = record, stem, style, host
        self.device = device  # how main names the pointer
        self.type, self.short = (record.name, record.short) if record else ("unsigned", "Words")
        self.in_state = False  # the pointer is a member of the struct State
        self.by_template = False  # allocated by a function template

    @property
    def host_name(self):
        return f"h_{self.stem}" + {"vector": ".data()", "unique": ".get()"}.get(self.host, "")


class Arrays:
    """Chooses the arrays, and writes the classes that hold their pointers."""

    def make_arrays(self):
        self.host_kinds = ["malloc", "new", "static"]
        if self.chance(.3):
            self.host_kinds = ["vector", "malloc", "new", "unique", "static"]
        for record in self.records:
            for _ in range(self.pick([1, 1, 2, 2, 3])):
                self.add_array(record)
        if self.has("plain-array"):
            self.add_array(None)
        self.make_state()
        self.choose_symbol()
        self.table = self.pick(self.records) if self.has("device-array") else None

    def add_array(self, record):
        style = next((s for s in STYLES if record and self.has(s)), "plain")
        stem = f"{(record.short if record else 'words').lower()}{len(self.arrays)}"
        plain = self.pick([f"d_{stem}", f"dev{stem}"])
        device = {"buffer-class": f"{stem}Buffer.get()", "buffer-template": f"{stem}Buffer.items()",
                  "device-vector": f"thrust::raw_pointer_cast({stem}Vector.data())", "global-pointers": f"g_{stem}",
                  "unique-pointer": f"{stem}Owner.get()"}.get(style, plain)
        self.arrays.append(DeviceArray(record, stem, style, device, self.pick(self.host_kinds)))

    def choose_symbol(self):
        """An array whose address a variable of the device holds, if there is one."""
        plain = [a for a in self.arrays if a.record and a.style == "plain"]
        self.symbol, self.symbol_used = None, False
        if plain and not self.two_units and self.has("symbol-pointer"):
            self.symbol = self.pick(plain)

    def make_state(self):
        """A struct that holds several of the pointers, and is a kernel's parameter at times."""
        self.state = []
        if not self.has("holder"):
            return
        for array in self.arrays:
            if array.style in ("plain", "out-parameter", "returned-pointer") and self.chance(.7):
                array.in_state, array.device = True, f"state.{array.stem}"
                self.state.append(array)
        if not self.state:
            return
        lines = ["struct State {"] + [f"  {a.type} *{a.stem};" for a in self.state] + ["  int count;"]
        if self.chance(.4):
            a = self.pick(self.state)
            lines.append(f"  __device__ {a.type} &{a.stem}At(int i) const {{ return {a.stem}[i]; }}")
        self.texts["helpers"] += lines + ["};", ""]

    def make_spans(self):
        """Classes that a kernel takes by value, with operator[]."""
        self.spans = []
        for record in self.records:
            if self.has("span"):
                self.spans.append(record)
                self.texts["helpers"] += self.span_over(record)

    def span_over(self, record):
        name = record.name
        at = self.pick(["items[i]", "*(items + i)", "(*this)[i]"])
        lines = [f"struct {record.short}Span {{", f"  {name} *items;", "  int count;",
                 f"  __device__ {name} &operator[](int i) const {{ return items[i]; }}",
                 f"  __device__ {name} &at(int i) const {{ return {at}; }}"]
        if self.chance(.5):
            lines += [f"  __device__ {name} *begin() const {{ return items; }}",
                      f"  __device__ {name} *end() const {{ return items + count; }}"]
        return lines + ["};", ""]
