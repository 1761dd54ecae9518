# SPDX-License-Identifier: Apache-2.0
"""The host's functions: main, and those that fill and print arrays."""
from names import Element, Scope

LAUNCHER = ["template <class K, class... A> static void launch(K kernel, int blocks, int threads, A... arguments) {",
            "  kernel<<<blocks, threads>>>(arguments...);", "}", ""]
PRINT_WORDS = ["static void printWords(const char *name, const unsigned *p, int n) {", "  unsigned h = 17u;",
               "  for (int i = 0; i < n; ++i)", "    h = h * 31u + p[i];", '  std::printf("%s %u\\n", name, h);', "}",
               ""]
MAIN = ["int main(int argc, char **argv) {", "  int n = argc > 1 ? std::atoi(argv[1]) : 64;",
        "  unsigned seed = argc > 2 ? unsigned(std::atoi(argv[2])) : 1u;"]


class Host:
    """Puts the text of kernels and host together. All elements are printed as one hash for each field."""

    def make_main(self):
        self.launcher = self.has("template-launcher")
        if self.launcher:
            self.texts["helpers"] += LAUNCHER
        behind_main = self.place_kernels()
        host = self.texts["host"]
        for record in self.records:
            host += self.fill_function(record) + self.print_function(record)
        host += self.owners()
        if self.state and self.has("state-functions"):
            host += self.state_functions()
        if any(not a.record for a in self.arrays):
            host += PRINT_WORDS
        apart = self.has("run-function")
        host += ["static int run(int n, unsigned seed) {"] if apart else MAIN
        host.append("  unsigned status = 0u;")
        host += self.host_arrays() + self.allocations() + self.uploads() + self.launches()
        host += self.downloads() + self.frees()
        host += ["  return int(status % 5u);" if self.has("exit-code") else "  return 0;", "}", ""]
        host += MAIN + ["  return run(n, seed);", "}", ""] if apart else []
        host += behind_main

    def place_kernels(self):
        """Puts kernels in front of main or into the second unit; returns those that follow main."""
        behind_main, front = [], self.texts["kernels"]
        for kernel in self.kernels:
            in_second = self.two_units and kernel is self.kernels[0] and not self.table
            kernel.wrapped = in_second or self.has("wrapper")
            lines = kernel.lines + (self.wrapper(kernel, not in_second) if kernel.wrapped else [])
            is_template = kernel.value or kernel.over_record or kernel.function
            declared = not is_template or self.chance(.1)  # rare, because prototypes of templates are refused
            if in_second:
                self.second_unit += lines
                front.append(self.wrapper_head(kernel) + ";")
            elif not kernel.wrapped and not self.table and declared and self.has("kernel-prototype"):
                behind_main += kernel.lines
                front += kernel.prototype + [""]
            else:
                front += lines
        if self.table:
            front.insert(0, f"__device__ {self.table.name} g_table[48];")
        if self.symbol_used:
            front.insert(0, f"__device__ {self.symbol.type} *g_items;")
        return behind_main

    def fill_function(self, record):
        lines = [f"static void fill{record.short}({record.name} *p, int n, unsigned seed) {{",
                 "  for (int i = 0; i < n; ++i) {"]
        for k, leaf in enumerate(record.leaves()):
            target = self.code.named(Element(record, "p[i]", True), leaf.without_hole(), Scope((), (), ["0u"]))
            value = leaf.convert(f"(unsigned(i) + seed) * {2654435761 % (977 * (k + 1)) * 2 + 1}u ^ seed >> {k % 3}")
            lines.append(f"    {target} = {value};")
        return lines + ["  }", "}", ""]

    def print_function(self, record):
        leaves, element = record.leaves(), Element(record, "p[i]", False)
        lines = [f"static unsigned print{record.short}(const char *name, const {record.name} *p, int n) {{",
                 "  unsigned all = 7u;", f"  unsigned h[{len(leaves)}] = {{}};", "  for (int i = 0; i < n; ++i) {"]
        for k, leaf in enumerate(leaves):
            value = self.code.read(element, leaf.without_hole(), Scope((), (), ["0u"]))
            lines.append(f"    h[{k}] = h[{k}] * 31u + {value};")
        lines.append("  }")
        lines += [f'  std::printf("%s.{leaf.path} %u\\n", name, h[{k}]);' for k, leaf in enumerate(leaves)]
        return lines + ["  for (unsigned x : h)", "    all = all * 33u + x;", "  return all;", "}", ""]

    def call_on_host(self, helper, a):
        """A loop over the array on the host that calls a function of both sides."""
        element = f"h_{a.stem}[i]"
        call = f"{helper.name}({'&' if 'pointer' in helper.shape else ''}{element}, unsigned(i))"
        loop = "  for (int i = 0; i < n; ++i)"
        if helper.shape in ("value-of", "value-of-pointer"):
            return [loop, f"    status = status * 3u + {call};", '  std::printf("status %u\\n", status);']
        return [loop, f"    {element} = {call};" if helper.shape == "make" else f"    {call};",
                f'  status += print{a.short}("{a.stem}OnHost", {a.host_name}, n);']
