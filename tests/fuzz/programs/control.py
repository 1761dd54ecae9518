# SPDX-License-Identifier: Apache-2.0
"""Branches, loops, and calls in larger statements."""
import re

from names import Element, Scope


class Control:
    """Statements around other statements, and loops over the elements of a thread."""

    def branch(self, scope, indent):
        lines = [f"{indent}if ({self.condition(scope, 2)}) {{"]
        lines += self.block(Scope(parent=scope), indent + "  ", self.rng.randint(1, 2))
        if self.chance(.5):
            lines.append(f"{indent}}} else {{")
            lines += self.block(Scope(parent=scope), indent + "  ", self.rng.randint(1, 2))
        return lines + [f"{indent}}}"]

    def loop(self, scope, indent):
        if scope.loops >= 2:
            return None
        name = self.fresh("k")
        inner = Scope((), (), [f"unsigned({name})"], parent=scope)
        inner.loops += 1
        head = self.pick([f"for (int {name} = 0; {name} < {self.rng.randint(2, 4)}; ++{name}) {{",
                          f"for (unsigned {name} = 0; {name} < ({self.number(scope, 1)} & 3u); {name}++) {{"])
        return [indent + head] + self.block(inner, indent + "  ", self.rng.randint(1, 2)) + [f"{indent}}}"]

    def switch(self, scope, indent):
        lines = [f"{indent}switch ({self.number(scope, 1)} % 3u) {{"]
        for case in ("case 0u:", "case 1u:", "default:"):
            lines.append(f"{indent}{case} {{")
            lines += self.block(Scope(parent=scope), indent + "  ", 1)
            lines += [f"{indent}}}", f"{indent}  {self.pick(['break;', 'break;', ';'])}"]
        return lines + [f"{indent}}}"]

    def sort(self, scope, indent):
        """An insertion sort by a field."""
        ranges = self.ranges(scope)
        if not ranges or not self.chance(.5):
            return None
        pointer = self.pick(ranges)
        low, high = pointer.own
        leaf, p, record = self.pick(pointer.record.leaves()), pointer.text, pointer.record
        self.note("insertion-sort")
        value = [self.read(Element(record, text, False), leaf.without_hole(), Scope())
                 for text in (f"{p}[j - 1]", "held")]
        i = self.fresh("k")
        return [f"{indent}for (int {i} = {low} + 1; {i} < {high}; ++{i}) {{",
                f"{indent}  {record.name} held = {p}[{i}];",
                f"{indent}  int j = {i};", f"{indent}  while (j > {low} && {value[0]} > {value[1]}) {{",
                *self.pick([[f"{indent}    {p}[j] = {p}[j - 1];", f"{indent}    --j;"],
                            [f"{indent}    {p}[j] = {p}[j - 1], --j;"]]),
                f"{indent}  }}", f"{indent}  {p}[j] = held;", f"{indent}}}"]

    def two_ends(self, scope, indent):
        ranges = self.ranges(scope)
        if not ranges:
            return None
        pointer = self.pick(ranges)
        low, high = pointer.own
        p, record, leaf = pointer.text, pointer.record, self.pick(pointer.record.leaves())
        self.note("two-ends")
        a, b = self.fresh("k"), self.fresh("k")
        if self.chance(.5):
            return [f"{indent}for (int {a} = {low}, {b} = {high} - 1; {a} < {b}; ++{a}, --{b}) {{",
                    f"{indent}  {record.name} t = {p}[{a}];", f"{indent}  {p}[{a}] = {p}[{b}];",
                    f"{indent}  {p}[{b}] = t;", f"{indent}}}"]
        first, last = self.fresh("q"), self.fresh("q")
        change = self.change(Element(record, f"(*{first})", True, first), leaf, Scope((), (), scope.numbers))
        start = f"{record.name} *{first} = {p} + {low}, *{last} = {p} + {high}"
        return [f"{indent}for ({start}; {first} < {last}; ++{first}) {{",
                f"{indent}  --{last};", f"{indent}  {change};",
                f"{indent}  if ({first} != {last})", f"{indent}    *{last} = *{first};", f"{indent}}}"]

    def leaving_loop(self, scope, indent):
        if scope.loops >= 2:
            return None
        name = self.fresh("k")
        inner = Scope((), (), [f"unsigned({name})"], parent=scope)
        inner.loops += 1
        self.note("leaving-loop")
        lines = self.pick([[f"{indent}int {name} = 0;", f"{indent}while (true) {{", f"{indent}  if (++{name} > 3)",
                            f"{indent}    break;"],
                           [f"{indent}int {name} = 0;", f"{indent}do {{", f"{indent}  if ({self.condition(scope, 1)})",
                            f"{indent}    continue;"]])
        lines += self.block(inner, indent + "  ", self.rng.randint(1, 2))
        return lines + [f"{indent}}}" if "while" in lines[1] else f"{indent}}} while (++{name} < 3);"]

    def ranges(self, scope):
        return [p for p in scope.pointers if isinstance(p.own, tuple) and not p.constant and scope.loops == 0]

    def pointer_loop(self, scope, indent):
        """A loop by a pointer: upwards by for or while, or downwards."""
        ranges = self.ranges(scope)
        if not ranges:
            return None
        pointer, name = self.pick(ranges), self.fresh("q")
        record, (low, high) = pointer.record, pointer.own
        self.note("pointer-loop")
        first, behind = f"{pointer.text} + {low}", f"{pointer.text} + {high}"
        inner = Scope([Element(record, f"(*{name})", True, name), Element(record, f"(*{name})", True)], parent=scope)
        inner.loops += 2
        step = self.pick([f"++{name}", f"{name}++", f"{name} += 2"])
        shape = self.rng.randint(0, 2)
        end, last = self.fresh("e") if shape != 0 else "", []
        if shape == 0:
            lines = [f"{indent}for ({record.name} *{name} = {first}; {name} < {behind}; {step}) {{"]
        elif shape == 1:
            lines = [f"{indent}{record.name} *{name} = &{pointer.text}[{low}], *{end} = {behind};",
                     f"{indent}while ({name} != {end}) {{"]
        else:
            lines = [f"{indent}const {record.name} *{end} = {first};",
                     f"{indent}for ({record.name} *{name} = {behind}; {name}-- > {end};) {{"]
        lines += self.block(inner, indent + "  ", self.rng.randint(1, 2))
        if shape == 1:
            target, leaf = Element(record, f"(*{name}++)", True), self.pick(record.leaves())
            last = [f"{indent}  {self.change(target, leaf, Scope((), (), scope.numbers))};"]
        return lines + last + [f"{indent}}}"]

    def counting(self, scope, indent):
        """A loop over a range whose index changes in one of many places."""
        ranges = self.ranges(scope)
        if not ranges:
            return None
        pointer, name = self.pick(ranges), self.fresh("k")
        low, high = pointer.own
        self.note("counting")
        leaf = self.pick(pointer.record.leaves())
        makers = [self.count_in_subscript, self.count_on_left, self.count_after_copy, self.count_in_comma,
                  self.count_at_end, self.count_on_right, self.count_by_function]
        maker = makers[self.rng.randint(0, 6)]
        call, declared = f"advance({name})", []
        if maker in (self.count_on_right, self.count_by_function) and self.chance(.4):
            self.note("index-by-lambda")
            call, declared = f"step{name}()", [f"{indent}auto step{name} = [&] {{ return {name}++; }};"]
        if pointer.local and self.chance(.5):
            return None
        return [f"{indent}int {name} = {low};", *declared, f"{indent}while ({name} < {high}) {{",
                *maker(scope, indent + "  ", pointer, name, leaf, call), f"{indent}}}"]

    def count_in_subscript(self, scope, indent, pointer, name, leaf, _call):
        element = Element(pointer.record, f"{pointer.text}[{name}++]", True)
        return [f"{indent}{self.change(element, leaf, Scope((), (), scope.numbers))};"]

    def count_on_left(self, _scope, indent, pointer, name, _leaf, _call):
        """Since C++17 the right side is evaluated first."""
        self.note("side-effect-on-left")
        low, high = pointer.own
        right = self.pick([f"{high} - 1", f"{low} + ({name} - {low}) / 2", name])
        return [f"{indent}{pointer.text}[{name}++] = {pointer.text}[{right}];"]

    def count_after_copy(self, scope, indent, pointer, name, _leaf, _call):
        inner = Scope([Element(pointer.record, f"t{name}", True, local=True)], (), scope.numbers)
        return [f"{indent}{pointer.record.name} t{name} = {pointer.text}[{name}];", *self.block(inner, indent, 1),
                f"{indent}{pointer.text}[{name}++] = t{name};"]

    def count_in_comma(self, scope, indent, pointer, name, leaf, _call):
        element, plain = Element(pointer.record, f"{pointer.text}[{name}]", True), Scope((), (), scope.numbers)
        first = self.change(element, leaf, plain)
        second = self.change(element, self.pick(pointer.record.leaves()), plain)
        return [f"{indent}{first};", f"{indent}{second}, ++{name};"]

    def count_at_end(self, scope, indent, pointer, name, _leaf, _call):
        element = Element(pointer.record, f"{pointer.text}[{name}]", True)
        inner = Scope([element], (), [f"unsigned({name})"], parent=scope)
        inner.loops += 2
        return self.block(inner, indent, self.rng.randint(1, 2)) + [f"{indent}{name} += 1;"]

    def count_on_right(self, scope, indent, pointer, name, leaf, call):
        """The call changes the index before the left side names it."""
        self.note("index-by-function")
        if pointer.record.accessors and leaf.bits:
            return [f"{indent}{call};"]
        before = Element(pointer.record, f"{pointer.text}[{name} - 1]", True)
        field = self.named(before, leaf.without_hole(), Scope((), (), scope.numbers))
        return [f"{indent}{field} = {leaf.convert(f'unsigned({call})')};"]

    def count_by_function(self, scope, indent, pointer, name, leaf, call):
        self.note("index-by-function")
        p, element = pointer.text, Element(pointer.record, f"{pointer.text}[{call}]", True)
        statement = self.pick([f"{p}[{name} - 1] = {p}[{call}]", f"{p}[{call}] = {p}[{name}]",
                               f"{p}[{call}] = {p}[{pointer.own[1]} - 1]",
                               self.change(element, leaf, Scope((), (), scope.numbers))])
        return [f"{indent}{statement};"]

    def changing_call(self, scope):
        """A call that changes an element and returns a number, or None."""
        element = self.changed_element(scope)
        if not element or element.text == "*this":
            return None
        calls = [element.member("next()")] * 2 if "next" in element.record.methods else []
        calls += [f"{h.name}({self.whole(element)})" for h in self.helpers if h.shape == "next"
                  and h.record is element.record]
        return self.pick(calls) if calls else None

    def call_in_statement(self, scope, indent):
        """A call that changes an element as part of a larger statement, in places where the order is defined."""
        call = self.changing_call(scope)
        if not call:
            return None
        target = self.element(scope, write=True)
        # Numbers that the call does not change.
        free = Scope((), (), [n for n in scope.numbers if not n.startswith("b")
                              and re.fullmatch(r"[a-z]+\d*|unsigned\((n|i|lo|x)\)", n)])
        value, name = self.binary(free, 1), self.fresh("v")
        self.note("call-in-statement")
        op, other = self.pick(["+", "^", "*"]), self.changing_call(scope) or call
        declarations = [f"unsigned {name} = {call} {op} {value};", f"const auto {name} = {call};",
                        f"unsigned {name} = {call}, {name}b = {other};", f"unsigned {name} = {value} - {call};",
                        f"unsigned {name} = ({call} & 1u) == 0u ? {value} : 3u;"]
        if not scope.is_deep and self.chance(.5):
            return self.call_in_head(scope, indent, call, value, name)
        leaf = self.pick(target.record.leaves())
        if self.chance(.5):
            return self.call_on_right(scope, indent, call, target, leaf)
        scope.numbers.insert(0, name)
        return [indent + self.pick(declarations)]

    def call_in_head(self, scope, indent, call, value, name):
        inner = Scope(parent=scope)
        inner.loops += 1
        heads = [f"if ({call} % 3u == 1u) {{", f"if ({value} < {call}) {{", f"if (unsigned {name} = {call} & 3u) {{",
                 f"if (unsigned {name} = {call}; {name} > 9u) {{"]
        if self.chance(.1):  # refused, as the next one
            heads.append(f"for (unsigned {name} = {call} & 3u; {name} > 0u; --{name}) {{")
        if self.chance(.1):
            heads.append(f"if ({value} > 7u && {call} > 9u) {{")
        head = self.pick(heads + [f"if (!({call} & 4u)) {{"])
        lines = [indent + head] + self.block(inner, indent + "  ", self.rng.randint(1, 2))
        if head.startswith("if") and self.chance(.4):
            lines += [f"{indent}}} else {{"] + self.block(Scope(parent=scope), indent + "  ", 1)
        return lines + [f"{indent}}}"]

    def call_on_right(self, scope, indent, call, target, leaf):
        record = target.record
        op = "=" if leaf.kind != "u" or leaf.bits else self.pick(["=", "+=", "^="])
        if record.accessors and leaf.bits:
            return None
        line = f"{self.named(target, leaf.without_hole(), scope)} {op} {leaf.convert(call)};"
        if "constructor" in record.methods and self.chance(.3) and target.text != "*this":
            line = f"{self.whole(target)} = {record.name}({call});"
        elif "[" not in leaf.path and not record.accessors and leaf.kind == "u" and self.chance(.04):
            value = f"{call} ^ {self.changing_call(scope) or call}"  # refused
            line = f"{self.named(target, leaf, scope)} = {leaf.convert(value)};"
        return [indent + line]
