# SPDX-License-Identifier: Apache-2.0
"""Types of fields, and the records of a program."""


class Scalar:
    """A type of numbers, and how a value of type unsigned is converted to it without overflow.

    The kind is 'u'nsigned, 's'igned, 'f'loating-point, 'b'ool or 'e'numeration.
    """

    def __init__(self, name, kind, size, convert):
        self.name, self.kind, self.size, self.convert = name, kind, size, convert


UNSIGNED = Scalar("unsigned", "u", 4, "{}")
FLOAT = Scalar("float", "f", 4, "float(({}) & 1023u)")
INT = Scalar("int", "s", 4, "int(({}) & 0xffffu)")
SCALARS = (
    UNSIGNED, UNSIGNED, UNSIGNED, INT, INT, FLOAT, FLOAT,
    Scalar("unsigned char", "u", 1, "(unsigned char)({})"),
    Scalar("signed char", "s", 1, "(signed char)(({}) & 0x7fu)"),
    Scalar("char", "s", 1, "char(({}) & 0x7fu)"),
    Scalar("short", "s", 2, "short(({}) & 0x7fffu)"),
    Scalar("unsigned short", "u", 2, "(unsigned short)({})"),
    Scalar("long long", "s", 8, "(long long)(({}) & 0xfffffu)"),
    Scalar("unsigned long long", "u", 8, "(unsigned long long)({})"),
    Scalar("double", "f", 8, "double(({}) & 4095u)"),
    Scalar("bool", "b", 1, "((({}) & 1u) != 0u)"),
    Scalar("Kind", "e", 4, "Kind(({}) % 3u)"),
    Scalar("Mode", "e", 1, "Mode(({}) % 4u)"),
)


class Vector:
    """One of CUDA's vector types."""

    def __init__(self, name, element, count):
        self.name, self.element, self.count = name, element, count


VECTORS = (Vector("float2", FLOAT, 2), Vector("float3", FLOAT, 3), Vector("float4", FLOAT, 4),
           Vector("int2", INT, 2), Vector("uint2", UNSIGNED, 2), Vector("uint4", UNSIGNED, 4),
           Vector("uchar4", SCALARS[7], 4), Vector("double2", SCALARS[14], 2))


class Array:
    """A member of several numbers, vectors, structs or arrays."""

    def __init__(self, element, count):
        self.element, self.count = element, count


class Bits:
    """A bit-field of type unsigned."""

    def __init__(self, width):
        self.width = width


class Leaf:
    """A number somewhere in a record: its path, and where a subscript may be computed, the path with a hole."""

    def __init__(self, path, scalar, bits=0, hole=None):
        self.path, self.scalar, self.bits, self.hole = path, scalar, bits, hole

    def convert(self, value):
        return f"(({value}) & {(1 << self.bits) - 1}u)" if self.bits else self.scalar.convert.format(value)

    def without_hole(self):
        return Leaf(self.path, self.scalar, self.bits)

    @property
    def kind(self):
        return "u" if self.bits else self.scalar.kind


class Record:
    """A struct or class of the program."""

    def __init__(self, name):
        self.name, self.short = name, name  # for code outside of it; part of other names
        self.own_name = name  # inside of its definition
        self.fields = []  # name and type of those that are not of the base
        self.base = None
        self.accessors = False  # a class whose fields are private
        self.methods = {}
        self.aggregate = True
        self.trivial = True  # can be in shared memory
        self.builtin = False  # one of CUDA's vector types

    def all_fields(self):
        return (self.base.fields if self.base else []) + self.fields

    def leaves(self):
        return [leaf for name, kind in self.all_fields() for leaf in leaves_of(name, kind)]


def leaves_of(path, kind):
    """The numbers that something of the given type holds."""
    if isinstance(kind, Scalar):
        return [Leaf(path, kind)]
    if isinstance(kind, Bits):
        return [Leaf(path, UNSIGNED, kind.width)]
    if isinstance(kind, Vector):
        return [Leaf(f"{path}.{c}", kind.element) for c in "xyzw"[:kind.count]]
    if isinstance(kind, Record):
        return [Leaf(f"{path}.{leaf.path}", leaf.scalar, leaf.bits, leaf.hole and f"{path}.{leaf.hole}")
                for name, inner in kind.all_fields() for leaf in leaves_of(name, inner)]
    found = []
    for k in range(kind.count):
        for leaf in leaves_of(f"{path}[{k}]", kind.element):
            # One subscript is computed at times: the innermost.
            hole = leaf.hole or f"{path}[{{}} % {kind.count}u]{leaf.path[len(f'{path}[{k}]'):]}"
            found.append(Leaf(leaf.path, leaf.scalar, leaf.bits, hole))
    return found


def declare(name, kind):
    if isinstance(kind, Array):
        extents = ""
        while isinstance(kind, Array):
            extents += f"[{kind.count}]"
            kind = kind.element
        return f"{kind.name} {name}{extents}"
    if isinstance(kind, Bits):
        return f"unsigned {name} : {kind.width}"
    if isinstance(kind, Record) and kind.name == "":
        return f"struct {{ {' '.join(declare(n, k) + ';' for n, k in kind.fields)} }} {name}"
    return f"{kind.name} {name}"
