# SPDX-License-Identifier: Apache-2.0
"""Expressions of device code: numbers, conditions and elements."""
import re

from chances import Draws
from names import Element


class Expressions(Draws):
    """Expressions without side effects. Numbers are of type unsigned."""

    def fresh(self, stem):
        self.counter += 1
        if self.names and stem in "vtqr" and self.chance(.04):  # names that generated code has as well
            self.note("generated-names")
            return self.names.pop()
        return f"{stem}{self.counter}"

    def number(self, scope, depth=2):
        """An expression of type unsigned without side effects."""
        makers = [self.literal, self.name_of_number, self.name_of_number]
        if scope.elements or scope.pointers:
            makers += [self.field_value] * 5
        if depth > 0:
            makers += [self.binary] * 4 + [self.selection, self.call_value, self.call_value, self.method_value,
                                           self.size_of, self.distance]
        return self.pick(makers)(scope, depth)

    def literal(self, _scope, _depth):
        return f"{self.pick([0, 1, 2, 3, 5, 7, 11, 13, 31, 64, 255, 1000, 65521])}u"

    def name_of_number(self, scope, depth):
        return self.pick(scope.numbers) if scope.numbers else self.literal(scope, depth)

    def binary(self, scope, depth):
        left, right = self.number(scope, depth - 1), self.number(scope, depth - 1)
        shape = self.pick(["({} + {})", "({} - {})", "({} * {})", "({} ^ {})", "({} & {})", "({} | {})",
                           "({} >> ({} & 7u))", "({} << ({} & 15u))", "({} % (({} & 15u) + 1u))",
                           "({} / (({} & 7u) + 1u))", "unsigned({} < {})", "unsigned({} == {})"])
        return shape.format(left, right)

    def condition(self, scope, depth=1):
        if self.chance(.12):
            pair = self.two_of_one_record(scope)
            if pair and "==" in pair[0].record.methods:
                self.note("operator==")
                return f"{self.whole(pair[0])} == {self.whole(pair[1])}"
        left = self.number(scope, depth)
        shape = self.pick(["{} > {}", "{} != {}", "({} & 1u) == 0u || {} == 3u", "{} % 3u == 1u && {} != 5u",
                           "!({} < {})"])
        return shape.format(left, self.number(scope, depth - 1))

    def selection(self, scope, depth):
        return f"({self.condition(scope, 0)} ? {self.number(scope, depth - 1)} : {self.number(scope, depth - 1)})"

    def size_of(self, scope, depth):
        element = self.element(scope)
        if not element or "?" in element.text and self.chance(.97):  # two edits of a line overlap
            return self.literal(scope, depth)
        self.note("sizeof")
        name = element.record.name
        return self.pick([f"unsigned(sizeof({name}))", f"unsigned(sizeof {self.whole(element)})",
                          f"unsigned(sizeof({self.whole(element)}))", f"unsigned(alignof({name}))",
                          f"unsigned(sizeof({name}[3]))"])

    def distance(self, scope, depth):
        pointers = [p for p in scope.pointers if p.own is not None]
        if not pointers:
            return self.literal(scope, depth)
        pointer = self.pick(pointers)
        self.note("pointer-difference")
        return f"unsigned(&{pointer.text}[{self.index(scope, pointer, depth - 1)}] - {pointer.text})"

    def field_value(self, scope, depth):
        element = self.element(scope, depth=depth)
        if not element:
            return self.literal(scope, depth)
        return self.read(element, self.pick(element.record.leaves()), scope, depth)

    def read(self, element, leaf, scope, depth=0):
        """The value of a leaf as unsigned."""
        text = self.named(element, leaf, scope, depth)
        number = leaf.kind in "usf" and not leaf.bits
        word = leaf.kind == "u" and not leaf.bits and leaf.scalar.size == 4
        if element.loadable and number and not element.record.accessors and self.chance(.15):
            self.note("ldg")
            text = f"__ldg(&{text})"
        elif "value-macros" in self.used and self.chance(.1):
            is_unsigned = leaf.kind == "u" and leaf.scalar.size == 4
            text = self.pick([f"TWICE({text})", f"LARGER({text}, {text})"]) if is_unsigned else f"SAME({text})"
        if word and self.chance(.6):
            return text
        return self.pick([f"unsigned({text})", f"(unsigned)({text})", f"static_cast<unsigned>({text})"])

    def named(self, element, leaf, scope, depth=0):
        """The leaf of an element, at times with a computed subscript."""
        path = leaf.path
        if leaf.hole and self.chance(.6):
            path = leaf.hole.format(self.number(scope, min(depth - 1, 1)) if depth > 0
                                    else self.name_of_number(scope, 0))
        if element.record.accessors and element.text != "*this":
            head, tail = re.match(r"(\w+)(.*)", path).groups()
            return element.member(f"{head}()") + tail
        subscripted = re.fullmatch(r"(\w+)\[(\w+)\]", element.text)
        if self.macros and subscripted and not element.pointer and self.chance(.3):
            self.note("field-macro")
            return f"FIELD({subscripted[1]}, {subscripted[2]}, {path})"
        if element.text == "*this" and self.chance(.2):
            return f"this->{element.member(path)}"
        return element.member(path)

    def call_value(self, scope, depth):
        """A call of a helper that returns a number or a record."""
        shapes = ("value-of", "make", "combine", "value-of-pointer", "by-value")
        helpers = [h for h in self.helpers if h.shape in shapes]
        helper = self.pick(helpers) if helpers else None
        element = helper and self.element(scope, helper.record, depth=depth - 1)
        if not element:
            return self.literal(scope, depth)
        whole = self.whole(element)
        value = self.number(scope, depth - 1)
        leaf = self.pick(helper.record.leaves())
        if helper.shape == "value-of":
            return self.call_with(helper, self.argument(whole, helper.record, scope, depth), value)
        if helper.shape == "value-of-pointer":
            return self.call_with(helper, self.address(element), value)
        if helper.shape == "by-value":
            return self.call_with(helper, whole, value)
        if helper.shape == "make":
            made = Element(helper.record, self.call_with(helper, whole, value), False, local=True)
        else:
            other = self.whole(self.element(scope, helper.record, depth=depth - 1) or element)
            made = Element(helper.record, f"{helper.name}({whole}, {other})", False, local=True)
        return self.read_rvalue(made, leaf)

    def call_with(self, helper, record, value):
        """A call of a helper that takes a record and a number, which may have a default."""
        if helper.optional and self.chance(.4):
            self.note("default-argument")
            return f"{helper.name}({record})"
        return f"{helper.name}({record}, {value})"

    def argument(self, whole, record, scope, depth):
        """An element, or at times what another helper makes of it."""
        makers = [h for h in self.helpers if h.shape == "make" and h.record is record]
        if makers and depth > 1 and self.chance(.25):
            self.note("nested-calls")
            return f"{self.pick(makers).name}({whole}, {self.number(scope, 0)})"
        return whole

    def read_rvalue(self, element, leaf):
        if element.record.accessors:
            head, tail = re.match(r"(\w+)(.*)", leaf.path).groups()
            return f"unsigned({element.text}.{head}(){tail})"
        return f"unsigned({element.text}.{leaf.path})"

    def method_value(self, scope, depth):
        element = self.element(scope, depth=depth - 1)
        names = [m for m in ("sum", "mix", "cast") if element and m in element.record.methods]
        if not names or element.text == "*this":
            return self.literal(scope, depth)
        name = self.pick(names)
        self.note(f"method-{name}")
        if name == "cast":
            return f"unsigned({self.whole(element)})"
        call = "sum()" if name == "sum" else f"mix({self.number(scope, depth - 1)})"
        return element.member(call)

    def index(self, scope, pointer, depth=1):
        """An index of an element that this thread may write."""
        if isinstance(pointer.own, str):
            return pointer.own
        low, high = pointer.own
        number = self.number(scope, depth) if depth > 0 else self.name_of_number(scope, 0)
        if low == "0":
            return f"int({number} % unsigned({high}))"
        return f"{low} + int({number} % unsigned({high} - {low}))"

    def readable_index(self, scope, pointer, depth):
        if pointer.count is None:
            return self.index(scope, pointer, depth)
        number = self.number(scope, depth - 1) if depth > 0 else self.name_of_number(scope, 0)
        return self.pick([f"{number} % unsigned({pointer.count})", f"int({number} % unsigned({pointer.count}))",
                          pointer.own if isinstance(pointer.own, str) else f"{number} % unsigned({pointer.count})"])

    def changed_element(self, scope, record=None):
        """An element for a function that changes it: named in a way that can be written twice, most of the time."""
        if self.chance(.15):
            return self.element(scope, record, write=True)
        arrays = [p for p in scope.pointers if record in (None, p.record) and p.own is not None and not p.constant]
        found = [e for e in scope.elements if record in (None, e.record) and e.writable]
        if arrays and (not found or self.chance(.6)):
            pointer = self.pick(arrays)
            name = pointer.view if pointer.view and self.chance(.5) else pointer.text
            return Element(pointer.record, f"{name}[{self.index(scope, pointer, 0)}]", True)
        return self.pick(found) if found else None

    def element(self, scope, record=None, write=False, depth=1):
        """An expression for an element, or None."""
        found = [e for e in scope.elements if (record in (None, e.record)) and (e.writable or not write)]
        arrays = [p for p in scope.pointers if (record in (None, p.record)) and p.record
                  and (not write or (p.own is not None and not p.constant))]
        if not found and not arrays:
            return None
        if arrays and (not found or self.chance(.5)):
            return self.element_of(scope, self.pick(arrays), write, depth)
        return self.pick(found)

    def element_of(self, scope, pointer, write, depth):
        if self.chance(.6):  # short subscripts most of the time: long ones are what is refused
            depth = 0
        index = self.index_of(scope, pointer, write, depth)
        spellings = self.spellings(pointer, index)
        if depth > 0 and self.chance(.12):
            self.note("selected-element")
            p, other = pointer.text, self.index_of(scope, pointer, write, 0)
            spellings = [lambda: (f"({self.condition(scope, 0)} ? {p}[{index}] : {p}[{other}])", None),
                         lambda: (f"(*({self.condition(scope, 0)} ? {p} + ({index}) : &{p}[{other}]))", None)]
        text, arrow = self.pick(spellings)()
        made = Element(pointer.record, text, write, arrow, pointer.local)
        made.loadable = pointer.constant and pointer.count == "n" and "?" not in text
        return made

    def index_of(self, scope, pointer, write, depth):
        if write or pointer.count is None:
            return self.index(scope, pointer, depth)
        return self.readable_index(scope, pointer, depth)

    def spellings(self, pointer, index):
        """Functions that return an element's text, and what an arrow can follow, or None."""
        p = pointer.text
        texts = [(f"{p}[{index}]", None)] * 6
        texts += [(f"(*({p} + ({index})))", None), (f"(*({p} + ({index})))", f"({p} + ({index}))")]
        texts += [(f"(&{p}[{index}])[0]", None)] if self.chance(.2) else []
        if pointer.view:
            texts += [(f"{pointer.view}[int({index})]", None), (f"{pointer.view}.at(int({index}))", None)] * 3
        if self.chance(.002):  # always refused
            self.note("subscript-in-front")
            texts += [(f"({index})[{p}]", None)] * 3
        helpers = [h for h in self.helpers if h.record is pointer.record and not pointer.constant]
        texts += [(f"{h.name}({p}, int({index}))", None) for h in helpers if h.shape == "at"]
        calls = [f"{h.name}({p}, int({index}))" for h in helpers if h.shape == "at-pointer"]
        texts += [(f"(*{call})", call) for call in calls]
        return [lambda text=text: text for text in texts]

    def two_of_one_record(self, scope, write=False):
        first = self.element(scope, write=write)
        second = first and self.element(scope, first.record)
        return (first, second) if second and first.text != "*this" and second.text != "*this" else None

    def whole(self, element):
        return "(*this)" if element.text == "*this" else element.text

    def address(self, element):
        if element.pointer and self.chance(.7):
            return element.pointer
        return "this" if element.text == "*this" else f"&{element.text}"
