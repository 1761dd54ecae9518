# SPDX-License-Identifier: Apache-2.0
"""Statements with lambdas, functors, virtual functions and default arguments, whose calls have effects at times."""
import re

from names import Element, Scope


class Callables:
    """A rewritten program has the effects of such calls as often as the original, and in the same order."""

    def counting_call(self, pointer, name):
        """Declarations, a call that returns the next index of a range, and whether the call changes `name`."""
        low, step = pointer.own[0], f"step{name}"
        captured, copied = self.pick(["[&]", f"[&{name}]"]), self.pick(["[=]", f"[{name}]"])
        counted = f"Counted {step}Object({low});"
        kinds = {
            "lambda": ([f"auto {step} = {captured} {{ return {name}++; }};"], f"{step}()", True),
            "reference-capture": ([f"auto {step} = [&at = {name}] {{ return at++; }};"], f"{step}()", True),
            "init-capture": ([f"auto {step} = [at = {low}]() mutable {{ return at++; }};"], f"{step}()", False),
            "mutable-lambda": ([f"auto {step} = {copied}() mutable {{ return {name}++; }};"], f"{step}()", False),
            "virtual": ([counted, f"Order &{step} = {step}Object;"], f"{step}.next()", False),
            "virtual-pointer": ([counted, f"Order *{step} = &{step}Object;"], f"{step}->next()", False),
            "functor": ([f"Tally {step}{{{low}}};"], f"{step}()", False),
        }
        if pointer.own in (("lo", "hi"), ("0", "n")):  # few threads: each has a counter of its own behind `slot`
            first = f"g_used.at[blockIdx.x * blockDim.x + threadIdx.x] = {low};"
            kinds["default-argument"] = ([first], "slot()", False)
        kind = self.pick(kinds)
        self.note(f"index-by-{kind}")
        return kinds[kind]

    def effect_in_index(self, scope, indent):
        """A loop over a range whose subscript has an effect, once in each iteration."""
        ranges = self.ranges(scope)
        if not ranges or not self.callables:
            return None
        pointer, name = self.pick(ranges), self.fresh("k")
        declared, call, moves = self.counting_call(pointer, name)
        lines = [f"{indent}int {name} = {pointer.own[0]};"] + [indent + line for line in declared]
        lines.append(f"{indent}while ({name} < {pointer.own[1]}) {{")
        use = self.use_of_call(scope, pointer, call, f"{name} - 1" if moves else name)
        lines += [f"{indent}  {line}" for line in use]
        return lines + ([] if moves else [f"{indent}  ++{name};"]) + [f"{indent}}}"]

    def use_of_call(self, scope, pointer, call, after):
        """Statements that evaluate the call once; `after` is what it gave, as an index."""
        record, p, (low, high) = pointer.record, pointer.text, pointer.own
        text, arrow = self.pick([(f"{p}[{call}]", None), (f"{p}[{call}]", None),
                                 (f"(*({p} + {call}))", f"({p} + {call})")])
        target, leaf = Element(record, text, True, arrow), self.pick(record.leaves())
        name = self.fresh("r")
        other = f"{p}[{self.pick([low, f'{high} - 1'])}]"
        value = self.number(Scope((), (), scope.numbers), 1)
        kept = Element(record, f"{p}[{after}]", True)
        makers = [lambda: [f"{self.change(target, leaf, Scope((), (), scope.numbers))};"]] * 3
        makers += [lambda: [f"{text} = {other};"], lambda: [f"{other} = {text};"]]
        makers += self.names_for_call(scope, target, name, kept)
        makers += self.fields_of_call(scope, target, leaf, other, kept, call)
        makers += self.methods_on_call(target, other, value)
        if "next" in record.methods:
            makers.append(lambda: [f"unsigned {name} = {target.member('next()')};",
                                   f"{other} = {p}[{name} % unsigned({high} - {low}) + {low}];"])
        makers += self.functions_on_call(scope, target, other, value)
        return self.pick(makers)()

    def names_for_call(self, scope, target, name, kept):
        """A reference, a pointer and a copy of the element."""
        record, address = target.record, target.pointer or f"&{target.text}"

        def changed(text, pointer=None, local=False):
            return self.store(Scope([Element(record, text, True, pointer, local)], (), scope.numbers), "")
        return [lambda: [f"{self.pick([record.name, 'auto'])} &{name} = {target.text};", *changed(name)],
                lambda: [f"{record.name} *{name} = {address};", *changed(f"(*{name})", name)],
                lambda: [f"{record.name} {name} = {target.text};", *changed(name, local=True),
                         f"{kept.text} = {name};"]]

    def fields_of_call(self, scope, target, leaf, other, kept, call):
        """Comparisons and assignments of fields."""
        plain, leaf = Scope((), (), scope.numbers), leaf.without_hole()

        def field(element):
            return self.named(element, leaf, plain)
        makers = [lambda: [f"if ({field(target)} == {field(Element(target.record, other, False))})",
                           f"  {kept.text} = {other};"]]
        if not (leaf.bits and target.record.accessors):
            makers += [lambda: [f"{field(kept)} = {leaf.convert(f'unsigned({field(target)})')};"],
                       lambda: [f"{field(kept)} = {leaf.convert(f'unsigned({call})')};"]]
        return makers

    def methods_on_call(self, target, other, value):
        makers = []
        for method, uses in (("+=", [f"{target.text} += {other};"] * 3), ("++", [f"++{target.text};"] * 2),
                             ("bump", [f"{target.member(f'bump({value})')};"] * 2),
                             ("add", [f"{target.member(f'add({other})')};"])):
            makers += [lambda use=use: [use] for use in uses if method in target.record.methods]
        return makers

    def functions_on_call(self, scope, target, other, value):
        """Functions that change the element."""
        record, text = target.record, target.text
        inner = Scope([Element(record, "e", True)], (), self.captured(scope))
        makers = [lambda: [f"onElement({text}, [=]({record.name} &e) {{ {self.store(inner, '')[0]} }});"]]
        for helper in self.helpers:
            if helper.record is record and helper.shape in ("change", "change-pointer", "make"):
                argument = (target.pointer or "&" + text) if helper.shape == "change-pointer" else text
                used = f"{other} = " if helper.shape == "make" else ""
                made = f"{used}{self.call_with(helper, argument, value)};"
                makers.append(lambda made=made: [made])
        return makers

    def captured(self, scope):
        """Numbers that a lambda can name: C++17 captures no structured bindings."""
        return [text for text in scope.numbers if not re.search(r"\bb\d+\b", text)]

    def filling_lambda(self, scope, indent):
        """Elements that are assigned what a lambda returns, which changes the subscript."""
        ranges = self.ranges(scope)
        if not ranges or not self.callables or scope.in_lambda:
            return None
        pointer, name = self.pick(ranges), self.fresh("k")
        low, high = pointer.own
        record, p = pointer.record, pointer.text
        self.note("filling-lambda")
        made = Scope([Element(record, "made", True, local=True)], (), self.captured(scope) + [f"unsigned({name})"])
        lines = [f"{indent}int {name} = {low};", f"{indent}auto make{name} = [&] {{",
                 f"{indent}  {record.name} made = {p}[{self.pick([low, name])}];"]
        lines += self.store(made, indent + "  ") + [f"{indent}  ++{name};", f"{indent}  return made;", f"{indent}}};"]
        if self.chance(.5):
            return lines + [f"{indent}fillFrom({p}, {name}, {high} - 1, make{name});"]
        return lines + [f"{indent}while ({name} < {high} - 1)", f"{indent}  {p}[{name}] = make{name}();"]

    def captured_element(self, scope, indent):
        """A lambda that copies an element or refers to it; the element changes before the lambda is called."""
        element = self.element(scope, write=True)
        if not element or element.text == "*this" or "?" in element.text or scope.in_lambda or not self.callables:
            return None
        record, name, call, result = element.record, self.fresh("r"), self.fresh("call"), self.fresh("v")
        lines = [f"{indent}{self.pick([record.name, 'auto'])} &{name} = {self.whole(element)};"]
        # The last four are refused where the element is in device memory.
        capture, inside, copies = self.pick([
            *[("[&]", name, False)] * 6, *[(f"[held = {name}]", "held", True)] * 3,
            *[(f"[held = &{name}]", "(*held)", False)] * 3,
            ("[=]", name, True), (f"[{name}]", name, True), (f"[&{name}]", name, False),
            (f"[&held = {name}]", "held", False)])
        changes = self.chance(.5)
        self.note("capture-by-copy" if copies else "capture-by-reference")
        numbers = ["w"] + (self.captured(scope) if capture in ("[=]", "[&]") else [])
        inner = Scope([Element(record, inside, changes, "held" if inside == "(*held)" else None,
                               local=copies or element.local)], (), numbers)
        lines.append(f"{indent}auto {call} = {capture}(unsigned w) {'mutable ' if copies and changes else ''}{{")
        if changes:
            lines += self.store(inner, indent + "  ")
        lines += [f"{indent}  return {self.number(inner, 2)};", f"{indent}}};"]
        lines += self.store(Scope([Element(record, self.pick([name, self.whole(element)]), True)], (), scope.numbers),
                            indent)
        lines.append(f"{indent}unsigned {result} = {call}({self.number(scope, 1)});")
        if self.chance(.5):
            lines.append(f"{indent}{result} ^= {call}({result});")
        scope.numbers.insert(0, result)
        scope.elements.insert(0, Element(record, name, True, local=element.local))
        return lines

    def captured_field(self, scope, indent):
        """A lambda that copies a field through a reference to it."""
        element = self.element(scope, write=True)
        leaves = [leaf for leaf in element.record.leaves() if not leaf.bits] if element else []
        if not leaves or element.record.accessors or element.text == "*this" or scope.in_lambda or not self.callables:
            return None
        leaf, name, call, result = self.pick(leaves), self.fresh("f"), self.fresh("call"), self.fresh("v")
        self.note("captured-field")
        capture, inside = self.pick([("[=]", name), (f"[{name}]", name), (f"[x = {name}]", "x"), (f"[&{name}]", name),
                                     ("[&]", name)])
        lines = [f"{indent}{self.pick([leaf.scalar.name, 'auto'])} &{name} = {self.named(element, leaf, scope)};",
                 f"{indent}auto {call} = {capture} {{ return unsigned({inside}) + 1u; }};",
                 f"{indent}{name} = {leaf.convert(self.number(scope, 1))};", f"{indent}unsigned {result} = {call}();"]
        scope.numbers.insert(0, result)
        return lines

    def applied_function(self, scope, indent):
        """A template over a function that changes an element."""
        element = self.changed_element(scope)
        if not element or element.text == "*this" or not self.callables or scope.in_lambda:
            return None
        record, numbers = element.record, self.captured(scope)
        self.note("template-over-function")
        inner = Scope([Element(record, "e", True)], (), numbers)
        ranges = [p for p in self.ranges(scope) if p.record is record]
        captures, kind = self.pick(["[=]", "[&]"]), self.pick([record.name] * 9 + ["auto"])
        stores = self.store(inner, indent + "  ") + self.store(inner, indent + "  ")
        function = "\n".join([f"{captures}({kind} &e) {{", *stores, f"{indent}}}"])
        functions = [function, function, f"{record.short}Nudge{{{self.number(scope, 1)}}}"]
        if ranges and self.chance(.6):
            pointer = self.pick(ranges)
            return [f"{indent}onEach({pointer.text}, {pointer.own[0]}, {pointer.own[1]}, {self.pick(functions)});"]
        if self.chance(.3):
            result, name = self.fresh("v"), self.fresh("r")
            inner = Scope([Element(record, name, True, local=element.local)], (), numbers + ["w"])
            scope.numbers.insert(0, result)
            return [f"{indent}{record.name} &{name} = {self.whole(element)};",
                    f"{indent}unsigned {result} = twice([&](unsigned w) {{",
                    *self.store(inner, indent + "  "), f"{indent}  return {self.number(inner, 1)};",
                    f"{indent}}}, {self.literal(scope, 0)});"]
        return [f"{indent}onElement({self.whole(element)}, {self.pick(functions)});"]

    def virtual_call(self, scope, indent):
        element = self.changed_element(scope)
        if not element or element.text == "*this" or not self.callables:
            return None
        rule, result, short = self.fresh("rule"), self.fresh("v"), element.record.short
        self.note("virtual-call")
        sign, arrow = self.pick([("&", "."), ("*", "->")])
        lines = [f"{indent}{short}Growth {rule}Object{{{self.number(scope, 1)}}};",
                 f"{indent}{short}Rule {sign}{rule} = {'&' if sign == '*' else ''}{rule}Object;",
                 f"{indent}{rule}{arrow}apply({self.whole(element)}, {self.number(scope, 1)});"]
        omitted = self.chance(.5) and short in self.records_with_default
        number = "" if omitted else f", {self.number(scope, 0)}"
        weight = f"{rule}{arrow}weight({self.whole(element)}{number})"
        lines.append(f"{indent}unsigned {result} = {weight} + {rule}Object.by;")
        scope.numbers.insert(0, result)
        return lines

    def lambda_call(self, scope, indent):
        if scope.in_lambda:
            return None
        name, value = self.fresh("call"), self.fresh("w")
        inner = Scope((), (), [value], parent=scope)
        inner.in_lambda = True
        inner.numbers = self.captured(inner)
        inner.depth = 3
        self.note("lambda")
        lines = [f"{indent}auto {name} = [&](unsigned {value}) {{"]
        lines += self.block(inner, indent + "  ", self.rng.randint(1, 2))
        lines += [f"{indent}  return {self.number(inner, 1)};", f"{indent}}};"]
        result = self.fresh("v")
        lines.append(f"{indent}unsigned {result} = {name}({self.number(scope, 1)});")
        scope.numbers.insert(0, result)
        return lines

    def element_lambda(self, scope, indent):
        element = self.element(scope, write=True)
        if not element or element.text == "*this" or scope.in_lambda:
            return None
        record, name = element.record, self.fresh("call")
        self.note("element-lambda")
        pointer = self.chance(.3)
        inner = Scope([Element(record, "(*e)" if pointer else "e", True, "e" if pointer else None)], (), ["w"])
        lines = [f"{indent}auto {name} = []({record.name} {'*' if pointer else '&'}e, unsigned w) {{"]
        lines += self.store(inner, indent + "  ") + self.store(inner, indent + "  ") + [f"{indent}}};"]
        argument = self.address(element) if pointer else self.whole(element)
        return lines + [f"{indent}{name}({argument}, {self.number(scope, 1)});"]
