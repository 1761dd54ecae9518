# SPDX-License-Identifier: Apache-2.0
"""The parts of main before and after the launches: arrays of the host, allocation, copies and release."""


class Memory:
    """Statements of main for each array, in one of many spellings."""

    def call(self, text):
        """A statement that calls CUDA."""
        return f"CHECK({text});" if self.check else f"{text};"

    def copy(self, to, source, size, direction):
        return self.call(f"cudaMemcpy({to}, {source}, {size}, cudaMemcpy{direction})")

    def copy_on_stream(self, to, source, size, direction):
        return ["  " + self.call(f"cudaMemcpyAsync({to}, {source}, {size}, cudaMemcpy{direction}, stream)"),
                "  " + self.call("cudaStreamSynchronize(stream)")]

    def host_arrays(self):
        lines = ["  State state;"] if self.state else []
        for a in self.arrays:
            name, kind = f"h_{a.stem}", a.type
            lines.append({"vector": f"  std::vector<{kind}> {name}(n);", "new": f"  {kind} *{name} = new {kind}[n];",
                          "malloc": f"  {kind} *{name} = ({kind} *)std::malloc(n * sizeof({kind}));",
                          "unique": f"  std::unique_ptr<{kind}[]> {name}(new {kind}[n]);",
                          "static": f"  static {kind} {name}[512];"}[a.host])
            if a.record:
                lines.append(f"  fill{a.short}({a.host_name}, n, seed + {len(lines)}u);")
            else:
                lines += ["  for (int i = 0; i < n; ++i)", f"    {name}[i] = unsigned(i) * 77u + seed;"]
        return lines

    def allocations(self):
        lines = []
        if self.state:
            lines.append("  state.count = n;")
            if self.state_argument:
                lines.append(f"  allocateState({self.state_argument}, n);")
        if self.has("stream"):
            lines += ["  cudaStream_t stream;", "  " + self.call("cudaStreamCreate(&stream)")]
        for a in self.arrays:
            lines += self.allocation(a)
        return lines

    def allocation(self, a):
        lines, size = self.allocated_size(a)
        if a.style in ("plain", "out-parameter", "returned-pointer", "managed") and not a.in_state:
            lines.append(f"  {a.type} *{a.device}{self.pick(['', ' = nullptr', ' = NULL'])};")
        if a.style in ("plain", "global-pointers"):
            cast = "" if self.has("template-malloc") else "(void **)"
            return lines + ["  " + self.call(f"cudaMalloc({cast}&{a.device}, {size})")]
        if a.style == "by-function":
            return lines
        function = f"allocate<{a.type}>" if a.by_template else f"allocate{a.short}"
        return lines + {
            "managed": ["  " + self.call(f"cudaMallocManaged(&{a.device}, {size})")],
            "out-parameter": [f"  make{a.short}(&{a.device}, n);"],
            "returned-pointer": [f"  {a.device} = {function}(n);"],
            "buffer-class": [f"  {a.short}Buffer {a.stem}Buffer(n);"],
            "buffer-template": [f"  Buffer<{a.type}> {a.stem}Buffer(n);"],
            "device-vector": [f"  thrust::device_vector<{a.type}> {a.stem}Vector(n);"],
            "unique-pointer": [f"  {a.type} *{a.stem}Raw = nullptr;",
                               "  " + self.call(f"cudaMalloc(&{a.stem}Raw, {size})"),
                               f"  std::unique_ptr<{a.type}[], {a.short}Free> {a.stem}Owner({a.stem}Raw);"]}[a.style]

    def allocated_size(self, a):
        """What declares the size in bytes, and an expression for it: a few elements more than are used."""
        if self.has("size-variable"):
            integer = self.pick(["size_t", "const size_t", "std::size_t", "auto"])
            return [f"  {integer} bytes{a.stem} = (n + 4) * sizeof({a.type});"], f"bytes{a.stem}"
        kind, unary = (f"*{a.device}", f"*{a.device}") if a.style == "plain" else (a.type, f"({a.type})")
        return [], self.pick([f"(n + 1) * sizeof({a.type})", f"(n + 2) * sizeof({kind})", f"(n + 2) * sizeof {unary}",
                              f"sizeof({a.type}) * (n + 1)", f"size_t(n + 1) * sizeof({a.type})",
                              f"sizeof({a.type}) * (n + 8)"])

    def uploads(self):
        lines = [line for a in self.arrays for line in self.upload(a)]
        if self.symbol_used:
            size = f"sizeof({self.symbol.type} *)"
            lines.append("  " + self.call(f"cudaMemcpyToSymbol(g_items, &{self.symbol.device}, {size})"))
        if self.table:
            lines += [f"  {self.table.name} table[48];", f"  fill{self.table.short}(table, 48, seed);",
                      "  " + self.call("cudaMemcpyToSymbol(g_table, table, sizeof(table))")]
        return lines

    def upload(self, a):
        size = f"n * sizeof({a.type})"
        if a.style.startswith("buffer"):
            return [f"  {a.stem}Buffer.upload({a.host_name});"]
        if a.style == "device-vector":
            return [f"  thrust::copy({a.host_name}, {a.host_name} + n, {a.stem}Vector.begin());"]
        if a.style == "managed" and self.chance(.7):
            return ["  for (int i = 0; i < n; ++i)", f"    {a.device}[i] = h_{a.stem}[i];"]
        if a.record and self.has("memset") and a.record.trivial:
            # Bytes of 1 are no float that is a small integer, and no enumerator.
            integers = all(leaf.kind in "usb" for leaf in a.record.leaves())
            byte = "1" if integers and self.chance(.5) else "0"
            return ["  " + self.call(f"cudaMemset({a.device}, {byte}, {size})")]
        if self.has("partial-copy"):
            half, rest = f"half{a.stem}", f"(n - half{a.stem}) * sizeof({a.type})"
            return [f"  int {half} = n / 3;",
                    "  " + self.copy(a.device, a.host_name, f"{half} * sizeof({a.type})", "HostToDevice"),
                    "  " + self.copy(f"{a.device} + {half}", f"{a.host_name} + {half}", rest, "HostToDevice")]
        if "stream" in self.used and self.chance(.6):
            return self.copy_on_stream(a.device, a.host_name, size, "HostToDevice")
        direction = self.pick(["HostToDevice", "HostToDevice", "Default"])
        return ["  " + self.copy(a.device, a.host_name, size, direction)]

    def downloads(self):
        lines = []
        for a in self.arrays:
            copies, place = self.download(a)
            lines += copies
            if a.record:
                lines.append(f'  status = status * 5u + print{a.short}("{a.stem}", {place}, n);')
            else:
                lines.append(f'  printWords("{a.stem}", {place}, n);')
            for helper in self.host_helpers:
                if a.record is helper.record and self.chance(.6):
                    lines += self.call_on_host(helper, a)
        return lines

    def download(self, a):
        """Statements, and where the host finds the elements after them."""
        host, size = a.host_name, f"n * sizeof({a.type})"
        if a.style.startswith("buffer"):
            return [f"  {a.stem}Buffer.download({host});"], host
        if a.style == "device-vector":
            return [f"  thrust::copy({a.stem}Vector.begin(), {a.stem}Vector.end(), {host});"], host
        if a.style == "managed" and self.chance(.6):
            return [], a.device
        if "stream" in self.used and self.chance(.5):
            return self.copy_on_stream(host, a.device, size, "DeviceToHost"), host
        if self.has("partial-copy"):
            part = f"rest{a.stem}"
            source = self.pick([f"&{a.device}[n - {part}]", f"{a.device} + (n - {part})"])
            last = self.copy(f"&{host}[n - {part}]", source, f"sizeof({a.type}) * {part}", "DeviceToHost")
            first = self.copy(host, a.device, f"(n - {part}) * sizeof({a.type})", "DeviceToHost")
            return [f"  int {part} = n - n / 4;", "  " + last, "  " + first], host
        return ["  " + self.copy(host, a.device, size, "DeviceToHost")], host

    def frees(self):
        lines = []
        for a in self.arrays:
            if a.style in ("plain", "managed", "global-pointers", "out-parameter", "returned-pointer"):
                lines.append("  " + self.call(f"cudaFree({a.device})"))
            lines += {"new": [f"  delete[] h_{a.stem};"], "malloc": [f"  std::free(h_{a.stem});"]}.get(a.host, [])
        if self.state_argument:
            lines.append(f"  freeState({self.state_argument});")
        if "stream" in self.used:
            lines.append("  " + self.call("cudaStreamDestroy(stream)"))
        return lines
