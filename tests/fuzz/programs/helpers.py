# SPDX-License-Identifier: Apache-2.0
"""Functions over records that kernels call."""
from kernels import over_type
from names import Element, Helper, Scope

SHAPES = {
    "value-of": "unsigned {f}(const {R} &r, unsigned v)", "value-of-pointer": "unsigned {f}(const {R} *r, unsigned v)",
    "by-value": "unsigned {f}({R} r, unsigned v)", "make": "{R} {f}({R} r, unsigned v)",
    "combine": "{R} {f}(const {R} &a, const {R} &b)", "change": "void {f}({R} &r, unsigned v)",
    "change-pointer": "void {f}({R} *r, unsigned v)", "assign": "void {f}({R} *a, const {R} *b)",
    "exchange": "void {f}({R} &a, {R} &b)", "next": "unsigned {f}({R} &r)", "at": "{R} &{f}({R} *p, int i)",
    "at-pointer": "{R} *{f}({R} *p, int i)",
}
ON_HOST_TOO = ("value-of", "value-of-pointer", "change", "change-pointer", "make")
READING = ("value-of", "value-of-pointer")
SWAP = ["template <class T> __device__ inline void swapValues(T &a, T &b) {", "  T t = a;", "  a = b;", "  b = t;", "}",
        ""]
ADVANCE = ["__host__ __device__ inline int advance(int &k) {", "  return k++;", "}", ""]


class Helpers:
    """Functions in all shapes, at times templates over the record or a number."""

    def make_helpers(self):
        self.host_helpers = []
        if self.has("common-swap"):
            self.texts["helpers"] += SWAP
        self.texts["helpers"] += ADVANCE
        for _ in range(self.rng.randint(0, 4)):
            self.make_helper(self.pick(self.records), self.pick([*SHAPES, "next"]))
        if self.has("callables"):
            self.make_callables()

    def make_helper(self, record, shape):
        name = self.code.fresh(shape.replace("-pointer", "To").replace("-", "_").title().replace("_", ""))
        name = name[0].lower() + name[1:]
        over_record, takes_number = self.chance(.2), "unsigned v" in SHAPES[shape]
        value = self.value_parameter() if takes_number and not over_record else None
        optional = takes_number and self.has("default-argument")
        on_host = self.has("host-helper") and shape in ON_HOST_TOO
        head = SHAPES[shape].format(f=name, R="T" if over_record else record.name)
        if optional:
            head = head[:-1] + f" = {self.pick(['3u', f'unsigned(sizeof({record.name}))', 'kRare + 4u'])})"
        self.note(f"helper-{shape}" + ("-template" if over_record else ""))
        device_helpers = self.code.helpers
        if on_host:
            self.code.helpers = self.host_helpers[:]  # the host calls no function of the device
        body = self.helper_body(shape, record, self.values_of(value, "v"))
        self.code.helpers = device_helpers
        if over_record:  # functions that use both names are refused
            body = [over_type(line, record) for line in body]
        before = ["template <class T>"] if over_record else [f"template <{value[0]} kValue>"] if value else []
        where = "__host__ __device__" if on_host else "__device__"
        self.texts["helpers"] += before + [f"{where} inline {head} {{"] + body + ["}", ""]
        names = [f"{name}<{number}>" for number in value[1]] if value else [name]
        made = [Helper(each, shape, record, optional) for each in names]
        self.code.helpers += made
        self.host_helpers += made if on_host else []

    def helper_body(self, shape, record, numbers):
        if shape in ("at", "at-pointer"):
            return ["  return p[i];" if shape == "at" else self.pick(["  return p + i;", "  return &p[i];"])]
        if shape in ("combine", "assign", "exchange"):
            return self.body_over_two(shape, record)
        is_pointer = "pointer" in shape
        r = Element(record, "(*r)" if is_pointer else "r", shape not in READING, "r" if is_pointer else None)
        scope = Scope([r], (), [] if shape == "next" else ["v"] + numbers)
        scope.depth = 1
        lines = []
        if shape in (*READING, "by-value") and self.chance(.5):
            lines += self.code.declare_number(scope, "  ")
            if self.chance(.4):
                lines += [f"  if ({self.code.condition(scope, 1)})", f"    return {self.code.number(scope, 1)};"]
        elif shape not in READING:
            lines += self.code.block(scope, "  ", self.rng.randint(1, 3))
        returned = {"void": [], "unsigned": [f"  return {self.code.number(scope, 2)};"], "{R}": ["  return r;"]}
        return lines + returned[SHAPES[shape].split(" ")[0]]

    def body_over_two(self, shape, record):
        code = self.code
        if shape == "combine":
            lines = [f"  {record.name} r = {self.pick(['a', 'b'])};"]
            scope = Scope([Element(record, "a", False), Element(record, "b", False),
                           Element(record, "r", True, local=True)])
            return lines + code.block(scope, "  ", self.rng.randint(1, 2)) + ["  return r;"]
        if shape == "assign":
            if self.chance(.4):
                return ["  *a = *b;"]
            scope = Scope([Element(record, "(*a)", True, "a"), Element(record, "(*b)", False, "b")])
            return code.block(scope, "  ", self.rng.randint(1, 3))
        if self.chance(.6):
            return [f"  {record.name} t = a;", "  a = b;", "  b = t;"]
        scope = Scope([Element(record, "a", True), Element(record, "b", True)])
        return code.block(scope, "  ", self.rng.randint(1, 3))
