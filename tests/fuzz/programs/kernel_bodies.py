# SPDX-License-Identifier: Apache-2.0
"""Bodies of kernels, one for each way to give elements to threads."""
from names import Element, Pointer, Scope

INDEX = "  int i = blockIdx.x * blockDim.x + threadIdx.x;"
SHUFFLES = ("__shfl_xor_sync(0xffffffffu, lane, 1)", "__shfl_down_sync(0xffffffffu, lane, 2)",
            "__shfl_sync(0xffffffffu, lane, 0)")
CAPTURES = (("[=]", ["v", "seed"]), ("[seed]", ["v", "seed"]), ("[by = seed * 5u]", ["v", "by"]), ("[]", ["v"]))


class KernelBodies:
    """In all of them no thread writes what another one reads or writes meanwhile."""

    def kernel_body(self, kernel, pointers, numbers):
        makers = {"own": self.own_body, "ping": self.own_body, "apply": self.apply_body, "stride": self.stride_body,
                  "slice": self.slice_body, "single": self.single_body, "plane": self.plane_body,
                  "tile": self.tile_body, "atomic": self.atomic_body}
        return makers[kernel.mode](kernel, pointers, numbers)

    def scope(self, kernel, pointers, numbers):
        words = [] if kernel.mode in ("slice", "single") else [f"{name}[i]" for name in kernel.words]
        return Scope((), pointers, numbers + words)

    def work(self, kernel, pointers, numbers, indent):
        scope = self.scope(kernel, pointers, numbers)
        lines = self.code.block(scope, indent, self.rng.randint(2, 6))
        for name in kernel.words if kernel.mode not in ("slice", "single") else ():
            lines.append(f"{indent}{name}[i] {self.pick(['=', '+=', '^='])} {self.code.number(scope, 2)};")
        return lines

    def own_body(self, kernel, pointers, numbers):
        lines = [INDEX]
        if self.chance(.2):
            lines += self.shuffle(self.pick(pointers))
            numbers = numbers + ["lane"]
        numbers = numbers + ["unsigned(i)"]
        if self.chance(.5):
            return lines + ["  if (i >= n)", "    return;"] + self.work(kernel, pointers, numbers, "  ")
        return lines + ["  if (i < n) {"] + self.work(kernel, pointers, numbers, "    ") + ["  }"]

    def shuffle(self, pointer):
        """A number that the lanes of a warp exchange, before some of them leave."""
        self.note("shuffle")
        leaf = self.pick(pointer.record.leaves())
        element = Element(pointer.record, f"{pointer.text}[i]", False)
        value = self.code.read(element, leaf, Scope((), (), ["1u"]))
        return [f"  unsigned lane = i < n ? {value} : 0u;", f"  lane = {self.pick(SHUFFLES)};"]

    def apply_body(self, kernel, pointers, numbers):
        """A kernel over a function, which the launch gives as a functor or a lambda."""
        written = [p for p in pointers if p.own == "i" and not p.constant]
        if not written or not self.has("kernel-over-function"):
            return self.own_body(kernel, pointers, numbers)
        target, record = written[0].text, written[0].record
        if self.chance(.4):
            kernel.function = f"{record.short}Nudge{{seed * 3u + 1u}}"
        else:
            captures, names = self.pick(CAPTURES)
            inner = Scope([Element(record, "e", True)], (), names)
            stores = " ".join(self.code.store(inner, "") + self.code.store(inner, ""))
            kernel.function = f"{captures} __device__({record.name} &e, unsigned v) {{ {stores} }}"
        call = self.pick([f"f({target}[i], {{}});", f"f(*({target} + i), {{}});",
                          f"onElement({target}[i], [&]({record.name} &r) {{{{ f(r, {{}}); }}}});"])
        scope = self.scope(kernel, pointers, numbers + ["unsigned(i)"])
        lines = [INDEX, "  if (i >= n)", "    return;"] + self.code.block(scope, "  ", self.rng.randint(0, 2))
        return lines + ["  " + call.format(self.code.name_of_number(scope, 0))]

    def stride_body(self, kernel, pointers, numbers):
        numbers = numbers + ["unsigned(i)"]
        written = [p for p in pointers if p.own == "i" and not p.constant]
        if not written or not self.chance(.35):
            return ["  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {"] + \
                self.work(kernel, pointers, numbers, "    ") + ["  }"]
        self.note("stride-by-pointer")
        p, record = written[0].text, written[0].record
        scope = self.scope(kernel, pointers, numbers)
        scope.elements = [Element(record, "(*q)", True, "q"), Element(record, "q[0]", True)]
        return [f"  for ({record.name} *q = {p} + blockIdx.x * blockDim.x + threadIdx.x; q < {p} + n; "
                f"q += gridDim.x * blockDim.x) {{", f"    int i = int(q - {p});"] + \
            self.code.block(scope, "    ", self.rng.randint(1, 5)) + ["  }"]

    def plane_body(self, kernel, pointers, numbers):
        return ["  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;",
                "  int i = y * 8 + x;", "  if (x < 8 && i < n) {"] + \
            self.work(kernel, pointers, numbers + ["unsigned(x)", "unsigned(i)"], "    ") + ["  }"]

    def slice_body(self, kernel, pointers, numbers):
        """A thread has all elements from lo to hi."""
        return ["  int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;",
                "  int part = (n + threads - 1) / threads;", "  int lo = t * part, hi = lo + part < n ? lo + part : n;",
                "  if (lo >= hi)", "    return;"] + self.work(kernel, pointers, numbers + ["unsigned(lo)"], "  ")

    def single_body(self, kernel, pointers, numbers):
        """One thread has all elements."""
        return ["  if (blockIdx.x != 0 || threadIdx.x != 0 || n == 0)", "    return;"] + \
            self.work(kernel, pointers, numbers, "  ")

    def tile_body(self, kernel, pointers, numbers):
        """The block's elements are copied to shared memory, where all threads read them."""
        record, p = pointers[0].record, pointers[0].text
        if not record.trivial or record.builtin:
            return self.own_body(kernel, pointers, numbers)
        declaration = f"  __shared__ {record.name} tile[{kernel.block}];"
        if self.chance(.2):
            kernel.shared = f"{kernel.block} * sizeof({record.name})"
            declaration = f"  extern __shared__ {record.name} tile[];"
        lines = [INDEX, declaration, "  if (i < n)", f"    tile[threadIdx.x] = {p}[i];", "  __syncthreads();",
                 "  if (i < n) {", "    int held = n - int(blockIdx.x * blockDim.x);",
                 f"    held = held < {kernel.block} ? held : {kernel.block};"]
        tile = Pointer(record, "tile", None, "held", True)
        return lines + self.work(kernel, pointers + [tile, tile], numbers + ["unsigned(i)"], "    ") + ["  }"]

    def atomic_body(self, kernel, pointers, numbers):
        """Atomics on any elements, without results, so that their order does not matter."""
        target, rest = pointers[0], [p for p in pointers[1:] if p.constant]
        leaves = [leaf for leaf in target.record.leaves() if not leaf.bits and leaf.scalar.name in
                  ("unsigned", "int", "float", "unsigned long long", "double")]
        if not leaves or target.record.accessors:
            return self.own_body(kernel, pointers, numbers)
        lines = [INDEX, "  if (i >= n)", "    return;"]
        scope = self.scope(kernel, rest, numbers + ["unsigned(i)"])
        # One function a field: those of different functions do not commute.
        for leaf in self.rng.sample(leaves, min(len(leaves), self.rng.randint(1, 3))):
            lines.append(f"  {self.atomic_call(scope, target.text, leaf)};")
        return lines

    def atomic_call(self, scope, array, leaf):
        name = leaf.scalar.name
        index = f"{self.code.number(scope, 1)} % unsigned(n)"
        place = self.pick([f"{array}[{index}].{leaf.path}", f"({array} + {index})->{leaf.path}"])
        number = self.code.number(scope, 1)
        value = f"({name})({number})" if leaf.kind == "u" else leaf.scalar.convert.format(f"{number} & 63u")
        integer = name in ("unsigned", "int", "unsigned long long")
        function = self.pick(["atomicAdd", "atomicAdd", "atomicMax", "atomicOr"] if integer else ["atomicAdd"])
        return f"{function}(&{place}, {value})"
