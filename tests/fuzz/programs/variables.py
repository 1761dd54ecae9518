# SPDX-License-Identifier: Apache-2.0
"""Statements that declare references, pointers, bindings and arrays, which statements behind them use."""
from fields import Array, Bits, Leaf, Scalar, leaves_of
from names import Element, Pointer, Scope


class Variables:
    """Each function adds what it declares to the scope."""

    def reference(self, scope, indent):
        element = self.element(scope, write=self.chance(.7))
        if not element or element.text == "*this" or "?" in element.text and not element.writable:
            return None
        name = self.fresh("r")
        writable = element.writable and self.chance(.75)
        kinds = ["{} &", "auto &", "auto &&"] if writable else ["const {} &", "const auto &", "{} const &"]
        line = f"{indent}{self.pick(kinds).format(element.record.name)}{name} = {self.whole(element)};"
        scope.elements.insert(0, Element(element.record, name, writable, local=element.local))
        return [line]

    def pointer_variable(self, scope, indent):
        element = self.element(scope, write=self.chance(.7))
        if not element or element.text == "*this":
            return None
        name = self.fresh("q")
        writable = element.writable and self.chance(.75)
        kinds = ["const {} *", "const auto *", "const {} *const "]
        if writable:
            kinds = ["{} *", "auto *", "auto ", "{} *const "]
        kind = self.pick(kinds).format(element.record.name)
        lines = [f"{indent}{kind}{name} = {self.address(element)};"]
        if self.chance(.15) and "const " not in kind.replace("*", "") and "*const" not in kind and not element.local:
            other = self.element(scope, element.record, write=writable)
            if other and not other.local:
                self.note("conditional-pointer")
                lines.append(f"{indent}if ({self.condition(scope, 1)})")
                lines.append(f"{indent}  {name} = {self.address(other)};")
        first = self.pick([f"{name}[0]", f"(*{name})"])
        scope.elements.insert(0, Element(element.record, f"(*{name})", writable, name, local=element.local))
        scope.elements.insert(0, Element(element.record, first, writable, local=element.local))
        return lines

    def field_pointer(self, scope, indent):
        element = self.element(scope, write=True)
        leaves = [leaf for leaf in element.record.leaves() if not leaf.bits] if element else []
        if not leaves or element.record.accessors:
            return None
        leaf, name = self.pick(leaves), self.fresh("f")
        self.note("field-pointer")
        target = Leaf("", leaf.scalar)
        if self.chance(.5):
            lines = [f"{indent}{leaf.scalar.name} *{name} = &{self.named(element, leaf, scope)};"]
            at = self.pick([f"*{name}", f"{name}[0]"])
        else:
            lines = [f"{indent}{self.pick([leaf.scalar.name, 'auto'])} &{name} = {self.named(element, leaf, scope)};"]
            at = name
        lines.append(f"{indent}{at} = {target.convert(self.number(scope, 1) + f' + unsigned({at})')};")
        return lines

    def binding(self, scope, indent):
        element = self.element(scope, write=True)
        if not element or element.record.accessors or element.record.base or element.text == "*this" or \
                not element.record.fields:
            return None
        names = [self.fresh("b") for _ in element.record.fields]
        reference = self.chance(.03) or element.local and self.chance(.4)
        kind = "auto &" if reference else self.pick(["auto ", "const auto "])
        self.note("structured-binding" + (" by reference" if reference else ""))
        lines = [f"{indent}{kind}[{', '.join(names)}] = {self.whole(element)};"]
        for name, (_, field) in zip(names, element.record.fields):
            if isinstance(field, (Scalar, Bits)):
                leaf = leaves_of(name, field)[0]
                scope.numbers.insert(0, f"unsigned({name})")
                if reference and self.chance(.6):
                    lines.append(f"{indent}{name} = {leaf.convert(self.number(scope, 1))};")
        return lines

    def bind(self, scope, indent):
        """A range-based loop over an array member."""
        element = self.element(scope, write=True)
        if not element or element.record.accessors:
            return None
        arrays = [(n, k) for n, k in element.record.all_fields()
                  if isinstance(k, Array) and isinstance(k.element, Scalar)]
        if not arrays:
            return None
        name, kind = self.pick(arrays)
        variable = self.fresh("x")
        self.note("range-for")
        leaf = Leaf(variable, kind.element)
        return [f"{indent}for ({self.pick([kind.element.name, 'auto'])} &{variable} : {element.member(name)})",
                f"{indent}  {variable} = {leaf.convert(self.number(scope, 1) + f' ^ unsigned({variable})')};"]

    def local_array(self, scope, indent):
        element = self.element(scope)
        if not element or element.text == "*this":
            return None
        name, count = self.fresh("l"), self.rng.randint(2, 4)
        self.note("local-array")
        lines = [f"{indent}{element.record.name} {name}[{count}];",
                 f"{indent}for (int k = 0; k < {count}; ++k)", f"{indent}  {name}[k] = {self.whole(element)};"]
        scope.pointers.insert(0, Pointer(element.record, name, ("0", str(count)), str(count), False))
        return lines

    def several_declarators(self, scope, indent):
        first = self.element(scope, write=True)
        second = first and self.element(scope, first.record, write=True)
        if not second or first.text == "*this" or second.text == "*this":
            return None
        self.note("several-declarators")
        record, value, pointer, reference = first.record, self.fresh("t"), self.fresh("q"), self.fresh("r")
        parts = [f"{value} = {self.whole(first)}", f"*{pointer} = {self.address(second)}"]
        if self.chance(.4):
            parts.append(f"&{reference} = {self.whole(first)}")
            scope.elements.insert(0, Element(record, reference, True, local=first.local))
        if self.chance(.3):
            self.rng.shuffle(parts)
        scope.elements.insert(0, Element(record, value, True, local=True))
        scope.elements.insert(0, Element(record, f"(*{pointer})", True, pointer, local=second.local))
        return [f"{indent}{record.name} {', '.join(parts)};"]

    def init_statement(self, scope, indent):
        """A reference or a pointer in the head of an if or a loop."""
        element = self.element(scope, write=True)
        if not element or element.text == "*this" or scope.is_deep:
            return None
        name, record = self.fresh("r"), element.record
        self.note("init-statement")
        pointer = self.chance(.4)
        target = Element(record, f"(*{name})", True, name) if pointer else Element(record, name, True)
        target.local = element.local
        inner = Scope([target], parent=scope)
        kind = self.pick([record.name, "auto"]) + (" *" if pointer else " &")
        start = f"{kind}{name} = {self.address(element) if pointer else self.whole(element)}"
        shape = self.rng.randint(0, 2)
        inner.loops += shape == 2
        if shape == 0:
            head = f"if ({start}; {self.condition(inner, 1)}) {{"
        elif shape == 1 and pointer:
            head = f"if ({start}) {{"
        else:
            inner.loops += 1
            turn = self.fresh("k")
            head = f"unsigned {turn} = 0u;\n{indent}for ({start}; {turn} < 2u; ++{turn}) {{"
        return [indent + head] + self.block(inner, indent + "  ", self.rng.randint(1, 2)) + [f"{indent}}}"]

    def pointer_test(self, scope, indent):
        element = self.element(scope, write=True)
        if not element or element.text == "*this" or element.local:
            return None
        name = self.fresh("q")
        self.note("pointer-test")
        target = Element(element.record, f"(*{name})", True, name)
        plain = Scope((), (), scope.numbers)
        null = self.pick(["nullptr", "nullptr", "NULL"])
        return [f"{indent}{element.record.name} *{name} = {null};",
                f"{indent}if ({self.condition(scope, 1)})", f"{indent}  {name} = {self.address(element)};",
                f"{indent}if ({self.pick([name, f'{name} != nullptr', f'!(!{name})'])})",
                f"{indent}  {self.change(target, self.pick(element.record.leaves()), plain)};"]
