# SPDX-License-Identifier: Apache-2.0
"""Statements that change elements: assignments, calls and operators."""
import re

from fields import Scalar
from names import Element, Scope


class Statements:
    """Each function returns lines, or None where the scope has nothing that it could name."""

    def block(self, scope, indent, count):
        lines = []
        for _ in range(count):
            lines += self.statement(scope, indent)
        return lines

    def change(self, element, leaf, scope, depth=1):
        """An expression that changes a leaf."""
        value = self.number(scope, depth)
        if element.record.accessors and element.text != "*this" and (leaf.bits or self.chance(.3)):
            if re.fullmatch(r"\w+", leaf.path):
                return element.member(f"set_{leaf.path}({leaf.convert(value)})")
        name = self.named(element, leaf, scope, depth)
        if leaf.kind == "u":
            op = self.pick(["=", "=", "=", "+=", "^=", "-=", "|=", "*=", "&=", "++", "--", "p++"])
        elif leaf.kind == "s":
            op = self.pick(["=", "=", "+=", "^=", "++", "p++", "|="])
            if op in ("+=", "^=", "|="):
                return f"{name} {op} int({value} & {255 if leaf.scalar.size < 4 else 1023}u)"
        elif leaf.kind == "f":
            op = self.pick(["=", "=", "+=", "++"])
            if op == "+=":
                return f"{name} += {leaf.scalar.name}({value} & 63u)"
        else:
            op = "="
        if op in ("++", "--"):
            return f"{op}{name}"
        if op == "p++":
            return f"{name}++"
        return f"{name} {op} {leaf.convert(value)}"

    def store(self, scope, indent):
        element = self.element(scope, write=True)
        if not element:
            return None
        leaves = element.record.leaves()
        if element.text == "*this" and self.chance(.9):  # methods that change a part of a field are refused
            leaves = [leaf for leaf in leaves if re.fullmatch(r"\w+", leaf.path)] or leaves
        return [f"{indent}{self.change(element, self.pick(leaves), scope, 2)};"]

    def declare_number(self, scope, indent):
        name, value = self.fresh("v"), self.number(scope, 3)
        scope.numbers.insert(0, name)
        kind = self.pick(["unsigned", "const unsigned", "unsigned", "auto"])
        return [f"{indent}{kind} {name} = {f'unsigned({value})' if kind == 'auto' else value};"]

    def copy_element(self, scope, indent):
        pair = self.two_of_one_record(scope, write=True)
        if not pair:
            return None
        return [f"{indent}{self.whole(pair[0])} = {self.whole(pair[1])};"]

    def change_copy(self, scope, indent):
        element = self.element(scope, write=True)
        if not element or element.text == "*this":
            return None
        name = self.fresh("t")
        kind = self.pick([element.record.name, element.record.name, "auto"])
        braces = not element.record.aggregate or kind == "auto"
        start = self.pick([" = {}", " = {}", "({})", "{{{}}}"] if braces else [" = {}", "({})"])
        lines = [f"{indent}{kind} {name}{start.format(self.whole(element))};"]
        inner = Scope([Element(element.record, name, True, local=True)], parent=scope)
        for _ in range(self.rng.randint(1, 3)):
            lines += self.store(Scope(inner.elements[:1], (), scope.numbers), indent) or []
        lines += self.statement(inner, indent) if not scope.is_deep else []
        if self.chance(.8):
            lines.append(f"{indent}{self.whole(element)} = {name};")
        scope.elements.insert(0, Element(element.record, name, True, local=True))
        return lines

    def helper_call(self, scope, indent):
        shapes = ("change", "change-pointer", "assign", "exchange", "next", "make")
        helpers = [h for h in self.helpers if h.shape in shapes]
        if not helpers:
            return None
        helper = self.pick(helpers)
        element = self.changed_element(scope, helper.record)
        if not element:
            return None
        value = self.number(scope, 1)
        if helper.shape == "change":
            return [f"{indent}{self.call_with(helper, self.whole(element), value)};"]
        if helper.shape == "change-pointer":
            return [f"{indent}{self.call_with(helper, self.address(element), value)};"]
        if helper.shape == "make":
            return [f"{indent}{self.whole(element)} = {self.call_with(helper, self.whole(element), value)};"]
        other = self.element(scope, helper.record, write=helper.shape == "exchange")
        if helper.shape == "assign":
            return [f"{indent}{helper.name}({self.address(element)}, {self.address(other)});"]
        if helper.shape == "exchange":
            return [f"{indent}{helper.name}({self.whole(element)}, {self.whole(other)});"]
        name = self.fresh("v")
        scope.numbers.insert(0, name)
        return [f"{indent}unsigned {name} = {helper.name}({self.whole(element)}) + {self.literal(scope, 0)};"]

    def method_call(self, scope, indent):
        element = self.changed_element(scope)
        if not element or element.text == "*this":
            return None
        names = [m for m in ("bump", "add", "next") if m in element.record.methods]
        if not names:
            return None
        name = self.pick(names)
        self.note(f"method-{name}")
        if name == "bump":
            return [f"{indent}{element.member(f'bump({self.number(scope, 1)})')};"]
        if name == "add":
            others = [e for e in scope.elements if e.record is element.record and e.local]
            other = self.pick(others) if others and self.chance(.6) else self.element(scope, element.record)
            if other.text == element.text and self.chance(.9):
                return None
            call = element.member(f"add({self.whole(other)})")
            more = f".bump({self.number(scope, 0)})" if "bump" in element.record.methods else ""
            return [f"{indent}{call}{self.pick(['', '', more])};"]
        variable = self.fresh("v")
        line = self.pick([f"{indent}unsigned {variable} = {element.member('next()')};",
                          f"{indent}unsigned {variable} = {element.member('next()')} * 3u + {self.literal(scope, 0)};"])
        scope.numbers.insert(0, variable)
        return [line]

    def operator(self, scope, indent):
        first = self.changed_element(scope)
        pair = first and (first, self.element(scope, first.record))
        if not pair or not pair[1] or "*this" in (pair[0].text, pair[1].text):
            return None
        names = [m for m in ("+=", "+", "++") if m in pair[0].record.methods]
        if not names:
            return None
        name = self.pick(names)
        self.note(f"operator{name}")
        left, right = self.whole(pair[0]), self.whole(pair[1])
        if name == "+=" and left == right and self.chance(.9):
            return None
        if name == "+=":
            return [f"{indent}{left} += {right};"]
        if name == "++":
            return [f"{indent}++{left};"]
        return [f"{indent}{left} = {left if self.chance(.5) else right} + {right};"]

    def swap(self, scope, indent):
        first = self.element(scope, write=True)
        second = first and self.element(scope, first.record, write=True)
        if not second or first.text == "*this":
            return None
        name = self.fresh("t")
        a, b = self.whole(first), self.whole(second)
        if "common-swap" in self.used and first.local == second.local and self.chance(.7):
            return [f"{indent}swapValues({a}, {b});"]
        return [f"{indent}{{", f"{indent}  {first.record.name} {name} = {a};", f"{indent}  {a} = {b};",
                f"{indent}  {b} = {name};", f"{indent}}}"]

    def macro_swap(self, scope, indent):
        pair = self.two_of_one_record(scope, write=True)
        second = pair and self.element(scope, pair[0].record, write=True)
        if not second or second.text == "*this" or "value-macros" not in self.used:
            return None
        self.note("macro-swap")
        return [f"{indent}SWAP({pair[0].record.name}, ({self.whole(pair[0])}), ({self.whole(second)}));"]

    def make_record(self, scope, indent):
        element = self.element(scope, write=True)
        if not element or element.text == "*this":
            return None
        record, name = element.record, element.record.name
        options = [f"{name}()", f"{name}{{}}"]
        if "constructor" in record.methods:
            options += [f"{name}({self.number(scope, 1)})"] * 3
        elif record.aggregate and not record.base and all(isinstance(k, Scalar) for _, k in record.fields):
            values = ", ".join(kind.convert.format(self.number(scope, 1)) for _, kind in record.fields)
            options += [f"{name}{{{values}}}", f"{{{values}}}"] * 2
        if record.name in ("float2", "float4", "uint4", "int2"):
            values = ", ".join(kind.convert.format(self.number(scope, 1)) for _, kind in record.fields)
            options = [f"make_{record.name}({values})"]
        self.note("made-record")
        return [f"{indent}{self.whole(element)} = {self.pick(options)};"]

    def chained(self, scope, indent):
        first, second = self.element(scope, write=True), self.element(scope, write=True)
        if not first or not second:
            return None
        words = [[leaf for leaf in e.record.leaves() if leaf.kind == "u" and not leaf.bits and leaf.scalar.size == 4]
                 for e in (first, second)]
        if not words[0] or not words[1] or first.record.accessors or second.record.accessors:
            return None
        self.note("chained-assignment")
        a = self.named(first, self.pick(words[0]), scope)
        b = self.named(second, self.pick(words[1]), scope)
        return [f"{indent}{a} = {b} = {self.number(scope, 1)};"]

    def value_used(self, scope, indent):
        element = self.element(scope, write=True)
        words = [leaf for leaf in element.record.leaves() if leaf.kind == "u"] if element else []
        if not words or element.record.accessors:
            return None
        name = self.fresh("v")
        field = self.named(element, self.pick(words), scope)
        self.note("assignment-value")
        value = self.pick([f"{field}++", f"++{field}", f"{field}--", f"({field} = {self.number(scope, 0)} & 3u)",
                           f"({field} += 2u)"])
        scope.numbers.insert(0, name)
        return [f"{indent}unsigned {name} = unsigned({value});"]

    def comma(self, scope, indent):
        first, second = self.element(scope, write=True), self.element(scope, write=True)
        if not first or not second:
            return None
        self.note("comma")
        a = self.change(first, self.pick(first.record.leaves()), scope)
        b = self.change(second, self.pick(second.record.leaves()), scope)
        return [f"{indent}{a}, {b};"]

    def device_memory_function(self, scope, indent):
        element = self.element(scope, write=True)
        other = element and self.element(scope, element.record)
        if not other or element.text == "*this" or other.text == "*this" or element.record.accessors or \
                element.local != other.local:
            return None
        self.note("memcpy-in-kernel")
        name = element.record.name
        if element.local or other.local:
            temporary = self.fresh("t")
            scope.elements.insert(0, Element(element.record, temporary, True, local=True))
            return [f"{indent}{name} {temporary} = {self.whole(other)};",
                    f"{indent}{temporary} = {self.whole(element)};"]
        return [f"{indent}if ({self.address(element)} != {self.address(other)})",
                f"{indent}  memcpy({self.address(element)}, {self.address(other)}, sizeof({name}));"]

    def whole_selection(self, scope, indent):
        pair = self.two_of_one_record(scope, write=True)
        if not pair:
            return None
        other = self.element(scope, pair[0].record)
        if pair[1].local != other.local and self.chance(.95):  # refused: an element or a local variable
            return None
        self.note("whole-selection")
        value = f"{self.condition(scope, 1)} ? {self.whole(pair[1])} : {self.whole(other)}"
        if self.chance(.5):
            return [f"{indent}{self.whole(pair[0])} = {value};"]
        name = self.fresh("t")
        line = f"{indent}{self.pick(['', 'const '])}{pair[0].record.name} {name} = {value};"
        scope.elements.insert(0, Element(pair[0].record, name, False, local=True))
        return [line]
