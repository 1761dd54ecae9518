# SPDX-License-Identifier: Apache-2.0
"""What functions and kernels are templates over: numbers, functors, and classes with virtual functions beside them."""
from names import Element, Scope

# Two values of each type; a bool is a divisor as well.
VALUES = {"int": ["3", "-5"], "unsigned": ["7u", "32u"], "unsigned long long": ["5ull", "0xffffffffffull"],
          "short": ["-3", "300"], "bool": ["true"], "char": ["'A'", "-7"], "unsigned char": ["200", "3"],
          "long long": ["-4", "1ll << 40"]}
NARROW = ("unsigned(kValue * 2u / 3u)", "unsigned((kValue - 9) / 2)")
WIDE = ("unsigned((kValue + 1) / 3)",)
# Their results depend on the type of kValue, and are defined for each of the values.
OVER_VALUE = ("unsigned((int({} % 9u) - 5) % kValue)", "unsigned((int({} % 9u) - 7) / kValue)", "unsigned(-1 < kValue)",
              "unsigned(int({} % 5u) - 3 < kValue)", "(unsigned(kValue) << ({} & 3u))", "unsigned(kValue >> 1)",
              "unsigned(-kValue)", "unsigned(~kValue)", "unsigned(kValue - 5 < 0)", "unsigned(sizeof(kValue + 0))",
              "unsigned(kValue ? 3 : kValue)")

# `slot` counts for each thread by itself.
CALLABLES = """\
struct Order {
  __host__ __device__ virtual int next() { return 0; }
};
struct Counted : Order {
  __host__ __device__ explicit Counted(int first) : at(first) {}
  __host__ __device__ int next() override { return at++; }
  int at;
};
struct Tally {
  int at;
  __host__ __device__ int operator()() { return at++; }
};
struct Counts {
  int at[128];
};
static __device__ Counts g_used;
__device__ inline int slot(int at = g_used.at[blockIdx.x * blockDim.x + threadIdx.x]++) {
  return at;
}
template <class F> __host__ __device__ inline unsigned twice(F f, unsigned v) {
  unsigned first = f(v);
  return first + f(first);
}
template <class R, class F> __host__ __device__ inline void onElement(R &r, F f) {
  f(r);
}
template <class R, class F> __host__ __device__ inline void onEach(R *p, int low, int high, F f) {
  for (int k = low; k < high; ++k)
    f(p[k]);
}
template <class R, class F> __host__ __device__ inline void fillFrom(R *p, int &k, int end, F make) {
  while (k < end)
    p[k] = make();
}
"""


class Templates:
    """Template parameters, and definitions of what is called through them."""

    def value_parameter(self):
        """Type and values of a template parameter that is a number, or None."""
        kind = self.pick(VALUES)
        return (kind, VALUES[kind]) if self.has("value-parameter") else None

    def values_of(self, value, other="seed"):
        """Numbers computed from the parameter and another number."""
        if not value:
            return []
        shapes = OVER_VALUE + (WIDE if "long long" in value[0] else NARROW)
        return [shape.format(other) for shape in self.rng.sample(shapes, 3)]

    def make_callables(self):
        lines = CALLABLES.split("\n")
        device_helpers, self.code.helpers = self.code.helpers, self.host_helpers[:]  # both sides call them
        for record in self.records:
            lines += self.functor(record) + self.rules(record)
        self.code.helpers, self.code.callables = device_helpers, True
        self.texts["helpers"] += lines

    def functor(self, record):
        head = f"  __host__ __device__ void operator()({record.name} &r, unsigned v = 4u) const {{"
        scope = Scope([Element(record, "r", True)], (), ["v", "by"])
        return [f"struct {record.short}Nudge {{", "  unsigned by;", head] + self.body(scope, "    ") + ["  }", "};"]

    def rules(self, record):
        """A class with virtual functions, and one that overrides them with other default arguments."""
        both, short, changed = "  __host__ __device__ ", record.short, Element(record, "r", True)
        read = Element(record, "r", False)
        default, other = self.pick([("", ""), (" = 3u", " = 5u"), (f" = sizeof({record.name})", " = 2u")])
        if default:
            self.code.records_with_default.add(short)
        weight = f"unsigned weight(const {record.name} &r, unsigned v"
        apply = f"void apply({record.name} &r, unsigned v)"
        lines = [f"struct {short}Rule {{", f"{both}virtual {apply} {{"]
        lines += self.body(Scope([changed], (), ["v"]), "    ")
        lines += ["  }", f"{both}virtual {weight}{default}) const {{",
                  f"    return {self.code.number(Scope([read], (), ['v']), 2)};", "  }", "};",
                  f"struct {short}Growth : {short}Rule {{",
                  f"{both}explicit {short}Growth(unsigned first) : by(first) {{}}", f"{both}{apply} override {{"]
        lines += self.body(Scope([changed], (), ["v", "by"]), "    ")
        return lines + ["    ++by;", "  }", f"{both}{weight}{other}) const override {{",
                        f"    return {self.code.number(Scope([read], (), ['v', 'by']), 2)};", "  }",
                        "  unsigned by;", "};", ""]
