# SPDX-License-Identifier: Apache-2.0
"""Definitions of records."""
from fields import Array, Bits, Record, SCALARS, Scalar, UNSIGNED, VECTORS, declare
from names import Element, Scope

NAMES_OF_GENERATED_CODE = ["load", "store", "allocation", "placeAt", "value", "plane0_", "element", "first", "count",
                           "k", "next_", "reference", "iterator", "View", "i", "part0", "at", "data", "size",
                           "membersOf"]
CUDA_RECORDS = ("float2", "float4", "uint4", "int2", "float3")


class Records:
    """Structs and classes with fields of many types, methods and operators."""

    def make_record(self, k):
        if self.has("vector-record"):
            vector = self.pick([v for v in VECTORS if v.name in CUDA_RECORDS])
            if all(r.name != vector.name for r in self.records):
                record = Record(vector.name)
                record.fields = [(c, vector.element) for c in "xyzw"[:vector.count]]
                record.builtin = True
                record.short = vector.name.capitalize()
                self.records.append(record)
                return
        name = ["Body", "Cell", "Spring"][k]
        record = Record(name)
        record.accessors = self.has("accessors")
        if not record.accessors and self.has("base"):
            record.base = Record(f"{name}Base")
            record.base.fields = [(f"base{i}", self.pick(SCALARS)) for i in range(self.rng.randint(1, 3))]
        record.fields = self.make_fields(record)
        self.records.append(record)
        self.define(record)

    def make_fields(self, record):
        names = ["a", "b", "c", "d", "link", "mass", "pos", "tag", "w"]
        if self.has("odd-names"):
            names[:4] = self.rng.sample(NAMES_OF_GENERATED_CODE, 4)
        self.rng.shuffle(names)
        bits = not record.accessors and not record.base and self.has("bit-fields")
        nested = []  # one struct at most, which several fields share
        fields = [(name, self.type_of_field(record, nested)) for name in names[:self.rng.randint(2, 7)]]
        if not record.accessors and self.has("unnamed-type"):
            unnamed = Record("")
            unnamed.fields = [(c, self.pick(SCALARS)) for c in ("lo", "hi")]
            fields.append(("range", unnamed))
        if bits:
            self.rng.shuffle(fields)
            at = self.rng.randint(0, len(fields))
            fields[at:at] = [(f"bit{i}", Bits(self.rng.randint(1, 12))) for i in range(self.rng.randint(1, 3))]
        return fields

    def type_of_field(self, record, nested):
        draw = self.rng.random()
        if draw < .55:
            return self.pick(SCALARS)
        if draw < .68:
            return Array(self.pick(SCALARS), self.rng.randint(2, 5))
        if draw < .8:
            return self.pick(VECTORS)
        if draw >= .95 or record.accessors:
            return UNSIGNED
        if draw < .85:
            return Array(Array(self.pick(SCALARS), self.rng.randint(2, 3)), 2)
        if draw < .88:
            return Array(self.pick(VECTORS), self.rng.randint(2, 3))
        if not nested:
            nested.append(self.make_nested(record))
        return nested[0] if self.chance(.7) else Array(nested[0], 2)

    def make_nested(self, record):
        self.note("nested-struct")
        nested = Record(f"{record.name}Part")
        nested.fields = [(c, self.pick(SCALARS)) for c in ("u", "v", "s")[:self.rng.randint(1, 3)]]
        members = [f"  {declare(name, kind)};" for name, kind in nested.fields]
        self.texts["records"] += [f"struct {nested.name} {{", *members, "};", ""]
        return nested

    def define(self, record):
        """Writes the definition. Its methods are generated like all device code."""
        name, style = record.name, self.style_of(record)
        key = "class" if record.accessors else "struct"
        has_bits = any(isinstance(kind, Bits) for _, kind in record.fields)
        align = "alignas(16) " if not has_bits and self.has("alignas") else ""
        inherit = f" : {'public ' if record.accessors else ''}{record.base.name}" if record.base else ""
        record.own_name = {"template-record": f"{name}Of", "typedef-struct": f"{name}_"}.get(style, name)
        before = {"template-record": ["template <class T>"], "nested-in-class": [f"struct {name}World {{"],
                  "namespace": ["namespace sim {"]}.get(style, [])
        head = f"typedef struct {align}" if style == "typedef-struct" else f"{key} {align}"
        record.name = record.own_name  # the other names are not declared yet
        members = self.members(record, style)
        record.name = name
        end = f"}} {name};" if style == "typedef-struct" else "};"
        self.texts["records"] += self.definition_of_base(record) + before + [f"{head}{record.own_name}{inherit} {{"]
        self.texts["records"] += members + [end] + self.names_behind(record, style) + [""]
        self.free_operators(record)

    def style_of(self, record):
        for style in ("typedef-struct", "template-record", "nested-in-class", "namespace"):
            if not (record.base and style == "nested-in-class") and self.has(style):
                return style
        return "plain"

    def definition_of_base(self, record):
        if not record.base:
            return []
        return [f"struct {record.base.name} {{", *[f"  {declare(n, k)};" for n, k in record.base.fields], "};"]

    def names_behind(self, record, style):
        """What follows the definition, and sets the name of the record for other code."""
        name = record.name
        if style == "template-record":
            return [f"using {name} = {name}Of<unsigned>;" if self.chance(.7) else f"typedef {name}Of<unsigned> {name};"]
        if style == "nested-in-class":
            record.name = f"{name}World::{name}"
            return ["  int count = 0;", "};"]
        if style != "namespace":
            return []
        if self.chance(.6):
            return ["}  // namespace sim", f"using sim::{name};"]
        record.name = f"sim::{name}"
        return ["}  // namespace sim"]

    def members(self, record, style):
        default = self.has("default-initializers") and not record.accessors
        lines, fields = [], []
        for name, kind in record.fields:
            text = declare(name + ("_" if record.accessors else ""), kind)
            if style == "template-record" and kind is UNSIGNED:
                text = text.replace("unsigned", "T", 1)
            if default and isinstance(kind, Scalar) and kind.kind in "usf" and self.chance(.6):
                text += f" = {self.rng.randint(0, 9)}"
                record.trivial = False
            fields.append(f"  {text};")
        if record.accessors:
            lines += ["public:"] + self.accessors(record)
            record.aggregate = False
        if self.has("constructor"):
            lines += self.constructor(record)
        lines += self.methods(record)
        if record.accessors:
            return lines + ["private:"] + fields
        return fields + lines if self.chance(.7) else lines + fields

    def accessors(self, record):
        lines, both = [], "  __host__ __device__ "
        for name, kind in record.fields:
            if isinstance(kind, Array):
                element = kind.element.name
                lines += [f"{both}{element} *{name}() {{ return {name}_; }}",
                          f"{both}const {element} *{name}() const {{ return {name}_; }}"]
                continue
            result = kind.name if self.chance(.5 if isinstance(kind, Scalar) else .85) else f"const {kind.name} &"
            lines += [f"{both}{kind.name} &{name}() {{ return {name}_; }}",
                      f"{both}{result}{'' if result.endswith('&') else ' '}{name}() const {{ return {name}_; }}",
                      f"{both}void set_{name}({kind.name} value) {{ {name}_ = value; }}"]
        return lines

    def constructor(self, record):
        record.aggregate = False
        record.methods["constructor"] = True
        me = Element(record, "*this", True)
        lines = [f"  {record.own_name}() = default;",
                 f"  __host__ __device__ explicit {record.own_name}(unsigned s) {{"]
        for k, leaf in enumerate(record.leaves()):
            lines.append(f"    {me.member(leaf.path)} = {leaf.convert(f's * {2 * k + 3}u + {k}u')};")
        return lines + ["  }"]

    def methods(self, record):
        makers = {"sum": self.reading_method, "mix": self.reading_method, "cast": self.reading_method,
                  "bump": self.changing_method, "add": self.changing_method, "next": self.changing_method,
                  "+=": self.changing_method, "==": self.comparison, "++": self.changing_method}
        names = ("sum", "mix", "cast", "bump", "add", "next", "next", "+=", "==", "++")
        lines = []
        for name in dict.fromkeys([name for name in names if self.chance(.25)]):
            lines += makers[name](record, name)
            record.methods[name] = True
        return lines

    def reading_method(self, record, method):
        head, numbers, depth = {"sum": ("unsigned sum()", [], 2), "mix": ("unsigned mix(unsigned v)", ["v"], 3),
                                "cast": ("explicit operator unsigned()", [], 1)}[method]
        value = self.code.number(Scope([Element(record, "*this", False)], (), numbers), depth)
        return [f"  __host__ __device__ {head} const {{ return {value}; }}"]

    def changing_method(self, record, method):
        name = record.own_name
        head = {"bump": "void bump(unsigned v)", "next": "unsigned next()", "add": f"{name} &add(const {name} &o)",
                "+=": f"{name} &operator+=(const {name} &o)", "++": f"{name} &operator++()"}[method]
        others = [Element(record, "o", False)] if method in ("add", "+=") else []
        scope = Scope([Element(record, "*this", True), *others], (), ["v"] if method == "bump" else [])
        lines = [f"  __host__ __device__ {head} {{"] + self.body(scope, "    ")
        if method == "next":
            lines.append(f"    return {self.code.number(Scope([Element(record, '*this', False)]), 2)};")
        elif method != "bump":
            lines.append("    return *this;")
        return lines + ["  }"]

    def comparison(self, record, _method):
        me, other = Element(record, "*this", False), Element(record, "o", False)
        leaves = record.leaves()
        pairs = [f"{self.code.named(me, leaf, Scope())} == {self.code.named(other, leaf, Scope())}"
                 for leaf in self.rng.sample(leaves, min(2, len(leaves)))]
        head = f"bool operator==(const {record.own_name} &o) const"
        return [f"  __host__ __device__ {head} {{ return {' && '.join(pairs)}; }}"]

    def body(self, scope, indent):
        """Stores to the fields of what the scope names, at times behind a condition."""
        lines = []
        for _ in range(self.rng.randint(1, 3)):
            if self.chance(.03):
                lines.append(f"{indent}if ({self.code.condition(scope, 1)})")
                lines += self.code.store(scope, indent + "  ")
            elif self.chance(.15):
                lines += self.code.declare_number(scope, indent)
            else:
                lines += self.code.store(scope, indent)
        return lines

    def free_operators(self, record):
        if "+=" not in record.methods or not self.chance(.7):
            return
        name = record.name
        if self.chance(.5):
            lines = [f"__host__ __device__ inline {name} operator+({name} a, const {name} &b) {{", "  a += b;",
                     "  return a;", "}"]
        else:
            lines = [f"__host__ __device__ inline {name} operator+(const {name} &a, const {name} &b) {{",
                     f"  {name} sum(a);", "  sum += b;", "  return sum;", "}"]
        if "sim::" in name:
            lines = ["namespace sim {", *lines, "}  // namespace sim"]
        record.methods["+"] = True
        self.texts["records"] += lines + [""]
