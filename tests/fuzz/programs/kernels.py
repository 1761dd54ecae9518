# SPDX-License-Identifier: Apache-2.0
"""Kernels: which arrays they use, their parameters and their templates."""
import re

from names import Pointer

ALLOCATED_PLAINLY = ("plain", "out-parameter", "returned-pointer", "global-pointers")  # main has a pointer to them
MODES = {"own": 3, "apply": 2, "stride": 2, "slice": 5, "single": 2, "plane": 1, "tile": 1, "atomic": 1, "ping": 2}


class Kernel:
    """A kernel. Its mode says which elements belong to a thread."""

    def __init__(self, name, mode, block):
        self.name, self.mode, self.block = name, mode, block
        self.parameters = []  # declaration and argument of each
        self.words = []  # names of arrays of numbers
        self.swaps = None  # two arrays that may change places between launches
        self.value = None  # type and values of a template parameter that is a number
        self.over_record = None  # the record of a template parameter
        self.function = ""  # argument for a parameter whose type is a template parameter
        self.shared = ""  # bytes of dynamic shared memory
        self.wrapped = False  # launched by a function of its own
        self.from_table = False  # its arrays are taken from a table of pointers
        self.lines, self.prototype = [], []


class Kernels:
    """Makes the kernels of a program, and the declarations of their parameters."""

    def make_kernels(self):
        weights = [0 if mode == "apply" and "callables" not in self.used else MODES[mode] for mode in MODES]
        for k in range(self.rng.randint(1, 2) + 2 * (len(self.records) > 1)):
            self.kernels.append(self.make_kernel(k, self.rng.choices(list(MODES), weights)[0]))

    def make_kernel(self, k, mode):
        self.note(f"kernel-{mode}")
        kernel = Kernel(f"{mode}{k}", mode, 64 if mode == "tile" else self.pick([32, 64, 128]))
        arrays = self.choose_arrays(mode)
        pointers = self.parameters(kernel, arrays) + self.device_variables(arrays)
        if mode != "apply" and self.has("template-kernel"):
            kernel.value = self.value_parameter()
        body = self.kernel_body(kernel, pointers, ["seed", "unsigned(n)"] + self.values_of(kernel.value))
        declared = self.declared_parameters(kernel, arrays)
        bounds = f"__launch_bounds__({kernel.block}) " if self.has("launch-bounds") else ""
        function = ", F f" if kernel.function else ""
        head = f"__global__ {bounds}void {kernel.name}({', '.join(declared)}, int n, unsigned seed{function})"
        kernel.prototype = self.template_head(kernel) + [head + ";"]
        if kernel.over_record and self.chance(.97):  # at times the body has the record's own name
            body = [over_type(line, kernel.over_record) for line in body]
        kernel.lines = self.template_head(kernel) + [head + " {"] + body + ["}", ""]
        return kernel

    def template_head(self, kernel):
        if kernel.value:
            return [f"template <{kernel.value[0]} kValue>"]
        types = (["class T"] if kernel.over_record else []) + (["class F"] if kernel.function else [])
        return [f"template <{', '.join(types)}>"] if types else []

    def device_variables(self, arrays):
        """Variables of the device that the kernel reads: a pointer to another array, and an array."""
        pointers = []
        if self.symbol and self.symbol not in [a for a, _ in arrays] and self.chance(.7):
            self.symbol_used = True
            pointers.append(Pointer(self.symbol.record, "g_items", None, "n", True))
        if self.table and self.chance(.6):
            pointers.append(Pointer(self.table, "g_table", None, "48", True))
        return pointers

    def declared_parameters(self, kernel, arrays):
        """The declarations of the parameters, over a type T at times."""
        declared = [text for text, _ in kernel.parameters]
        first = next((a.record for a, use in arrays if use == "write" and not a.in_state), None)
        if kernel.value or not first or "Span" in declared[0] or not self.has("record-template-kernel"):
            return declared
        over = [re.sub(rf"(?:struct )?(?<![\w:]){re.escape(first.name)}(?= )", "T", text) for text in declared]
        if not any(text.startswith(("T *", "const T *", "T const *", "T ")) for text in over):
            return declared
        kernel.over_record = first
        return over

    def choose_arrays(self, mode):
        """Pairs of an array and how the kernel uses it: 'write', 'read' or 'alias' of a written one."""
        records = [a for a in self.arrays if a.record]
        first = self.pick(records)
        chosen = [(first, "write")]
        others = [a for a in self.arrays if a is not first]
        self.rng.shuffle(others)
        for array in others[:self.rng.randint(0, 3)]:
            chosen.append((array, "write" if self.chance(.35) or not array.record else "read"))
        same = [a for a in records if a.record is first.record and a is not first and a.style == first.style
                and a.style in ALLOCATED_PLAINLY]
        if mode == "ping" and same:
            chosen = [(first, "write"), (self.pick(same), "read")]
        elif mode in ("own", "stride", "slice") and self.has("alias"):
            chosen.append((first, "alias"))
        return chosen

    def parameters(self, kernel, arrays):
        """Adds the kernel's parameters; returns the arrays of records as its code names them."""
        pointers = []
        aliased = any(use == "alias" for _, use in arrays)
        restrict = self.has("restrict") and not aliased
        by_state = any(a.in_state for a, _ in arrays) and not aliased and kernel.mode != "ping" and \
            self.has("holder-parameter")
        if by_state:
            kernel.parameters.append((self.pick(["State s", "const State s"]), "state"))
        own = {"slice": ("lo", "hi"), "single": ("0", "n")}.get(kernel.mode, "i")
        for array, use in arrays:
            if by_state and array.in_state:
                text, view = f"s.{array.stem}", None
            else:
                text, view = self.add_parameter(kernel, array, use, restrict)
            if array.record:
                count = "n" if use == "read" or kernel.mode == "single" else None
                mine = own if use != "read" else None
                pointers.append(Pointer(array.record, text, mine, count, use != "write", view))
            else:
                kernel.words.append(text)
        if kernel.mode == "ping" and len(arrays) == 2 and arrays[0][0].record is arrays[1][0].record and \
                all(a.style in ALLOCATED_PLAINLY for a, _ in arrays):
            kernel.swaps = (arrays[0][0], arrays[1][0])
        return pointers

    def add_parameter(self, kernel, array, use, restrict):
        """The names of the array in the kernel: as a pointer, and as a span if it is one."""
        name = self.pick(["p", "in", "out", "cells", "u", "src", "x0"]) + str(len(kernel.parameters))
        constant = use != "write" and self.chance(.75)
        if use != "alias" and array.record in self.spans and array.style == "plain" and self.chance(.5):
            kernel.parameters.append((f"{array.short}Span {name}", f"{array.short}Span{{{array.device}, n}}"))
            return f"{name}.items", name
        kernel.parameters.append((self.declaration(array, constant, restrict, name), array.device))
        return name, None

    def declaration(self, array, constant, restrict, name):
        """A declaration of a pointer, in one of its spellings."""
        kind, before, record = array.type, "const " if constant else "", array.record
        if restrict:
            return f"{before}{kind} *__restrict__ {name}"
        simple = record and not record.builtin and record.own_name == record.name and not record.accessors
        if simple and self.has("elaborated"):
            return f"{before}struct {kind} *{name}"
        if record and self.has("array-parameter"):
            return f"{before}{kind} {name}[]"
        if constant and self.has("const-behind"):
            return f"{kind} const *{name}"
        if record and not constant and self.has("pointer-alias"):
            return f"{self.alias_of_pointer(record)} {name}"
        return f"{before}{kind} *{name}"

    def alias_of_pointer(self, record):
        alias = f"{record.short}Ptr"
        if alias not in self.pointer_aliases:
            self.pointer_aliases.add(alias)
            definition = self.pick([f"typedef {record.name} *{alias};", f"using {alias} = {record.name} *;"])
            self.texts["helpers"] += [definition, ""]
        return alias


def over_type(line, record):
    """A line of code with T in place of a record's name."""
    return re.sub(rf"(?<![\w:\"]){re.escape(record.name)}(?=[ ({{\[)])", "T", line)
