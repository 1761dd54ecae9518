# SPDX-License-Identifier: Apache-2.0
"""Functions and classes of the host that allocate and own device memory."""
import string

BUFFER = string.Template("""\
class ${short}Buffer {
public:
  explicit ${short}Buffer(int n) : count_(n) { $allocate }
  ~${short}Buffer() { cudaFree(data_); }
  ${short}Buffer(const ${short}Buffer &) = delete;
  void upload(const $type *from) { $upload }
  void download($type *to) const { $download }
  $type *get() ${const}{ return data_; }
private:
  $type *data_ = nullptr;
  int count_;
};
""")

BUFFER_TEMPLATE = string.Template("""\
template <class T> class Buffer {
public:
  explicit Buffer(int n) : count_(n) { $allocate }
  ~Buffer() { cudaFree(items_); }
  Buffer(const Buffer &) = delete;
  void upload(const T *from) { $upload }
  void download(T *to) const { $download }
  T *items() { return items_; }
private:
  T *items_ = nullptr;
  int count_;
};
""")


class Owners:
    """A style of arrays has a function or class for each type, or a template for all."""

    def owners(self):
        makers = {"buffer-class": self.buffer_class, "buffer-template": self.buffer_template,
                  "unique-pointer": self.deleter, "out-parameter": self.allocator_by_parameter,
                  "returned-pointer": self.allocator}
        lines, done = [], set()
        for array in self.arrays:
            key = (array.style, "" if array.style == "buffer-template" else array.type)
            if array.style == "global-pointers":
                lines += [f"static {array.type} *g_{array.stem}{self.pick(['', ' = nullptr'])};", ""]
            elif array.style in makers and key not in done:
                made, is_template = makers[array.style](array), array.by_template
                lines += made
                if not is_template:  # another array of the type may have a function of its own
                    done.add(key)
        return lines

    def buffer_class(self, array):
        size = f"count_ * sizeof({array.type})"
        return BUFFER.substitute(
            short=array.short, type=array.type,
            allocate=self.call(f"cudaMalloc(&data_, (n + 1) * sizeof({array.type}))"),
            upload=self.copy("data_", "from", size, "HostToDevice"), const=self.pick(["", "const "]),
            download=self.copy("to", "data_", size, "DeviceToHost")).split("\n")

    def buffer_template(self, _array):
        return BUFFER_TEMPLATE.substitute(
            allocate=self.call("cudaMalloc(&items_, (n + 1) * sizeof(T))"),
            upload=self.copy("items_", "from", "count_ * sizeof(T)", "HostToDevice"),
            download=self.copy("to", "items_", "count_ * sizeof(T)", "DeviceToHost")).split("\n")

    def deleter(self, array):
        call = f"  void operator()({array.type} *p) const {{ cudaFree(p); }}"
        return [f"struct {array.short}Free {{", call, "};", ""]

    def allocator_by_parameter(self, array):
        return [f"static void make{array.short}({array.type} **p, int n) {{",
                "  " + self.call(f"cudaMalloc((void **)p, (n + 1) * sizeof({array.type}))"), "}", ""]

    def allocator(self, array):
        array.by_template = self.chance(.3) and "template-allocator" not in self.used
        if array.by_template:
            self.note("template-allocator")
            return ["template <class T> static T *allocate(int n) {", "  T *p = nullptr;",
                    "  " + self.call("cudaMalloc(&p, (n + 1) * sizeof(T))"), "  return p;", "}", ""]
        return [f"static {array.type} *allocate{array.short}(int n) {{",
                f"  {array.type} *p{self.pick([' = nullptr', ''])};",
                "  " + self.call(f"cudaMalloc((void **)&p, (n + 1) * sizeof({array.type}))"), "  return p;", "}", ""]

    def state_functions(self):
        """Functions that allocate and free what a struct holds, given by reference or pointer."""
        plain = [a for a in self.state if a.style == "plain"]
        pointer = self.chance(.5)
        arrow, parameter = ("->", "State *s") if pointer else (".", "State &s")
        lines = [f"static void allocateState({parameter}, int n) {{"]
        for a in plain:
            a.style = "by-function"
            cast = self.pick(["(void **)", ""])
            lines.append("  " + self.call(f"cudaMalloc({cast}&s{arrow}{a.stem}, (n + 3) * sizeof({a.type}))"))
        lines += ["}", f"static void freeState({parameter}) {{"]
        lines += ["  " + self.call(f"cudaFree(s{arrow}{a.stem})") for a in plain]
        self.state_argument = "&state" if pointer else "state"
        return lines + ["}", ""]
