// SPDX-License-Identifier: Apache-2.0
// Which declarations are taken to point into the same arrays, and where the memory comes from.
#include "relayout/instrument/clang/array_flow.h"

#include "relayout/instrument/clang/row_extents.h"
#include "relayout/trace/site_table.h"
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;
using rewriter::test::commandFor;
using rewriter::test::scratchFolder;
using rewriter::test::writeText;
using testing::ElementsAre;

struct Flow {
  std::unique_ptr<ParsedUnit> unit;
  ArrayFlow flow;

  const ArrayGroup *groupWith(const std::string &name) const {
    for (const ArrayGroup &group : flow.groups())
      for (const clang::ValueDecl *declaration : group.declarations)
        if (ArrayFlow::nameOf(declaration) == name)
          return &group;
    return nullptr;
  }
  bool together(const std::string &a, const std::string &b) const {
    return groupWith(a) && groupWith(a) == groupWith(b);
  }
};

Flow analyse(const std::string &code) {
  const fs::path folder = scratchFolder();
  writeText(folder / "input.cu", "#include <vector>\n#include <cstdlib>\n#include <utility>\n"
                                 "struct R { float x, y; };\n" +
                                     code);
  auto unit = parse(commandFor(folder / "input.cu"), Pass::Host);
  if (!unit)
    ADD_FAILURE() << render(toDiagnostic(unit.error()));
  Flow flow{std::move(*unit), {}};
  flow.flow = ArrayFlow::analyse(*flow.unit);
  fs::remove_all(folder);
  return flow;
}

TEST(ArrayFlow, JoinsKernelParametersWithWhatLaunchesPass) {
  const Flow flow = analyse("__global__ void k(R *p, const R *q) { p[0].x = q[0].x; }\n"
                            "int main() { R *a, *b; cudaMalloc(&a, 8); cudaMalloc((void **)&b, 8);"
                            " k<<<1, 1>>>(a, b); }");
  EXPECT_TRUE(flow.together("main::a", "k::p"));
  EXPECT_TRUE(flow.together("main::b", "k::q"));
  EXPECT_FALSE(flow.together("main::a", "main::b"));
  EXPECT_TRUE(flow.groupWith("k::p")->origins.device);
  EXPECT_FALSE(flow.groupWith("k::p")->origins.unknown);
}

TEST(ArrayFlow, JoinsThroughMembersReturnsSwapsAndConditions) {
  const Flow flow = analyse("struct S { R *m; };\nR *id(R *p) { return p + 1; }\n"
                            "void f(bool c) { R *a = nullptr, *b = nullptr, *d = nullptr; S s;\n"
                            " s.m = id(a); std::swap(a, b); R *e = c ? d : s.m; R &r = e[3]; }");
  for (const char *name : {"id", "id::p", "f::b", "f::d", "f::e", "f::r", "S::m"})
    EXPECT_TRUE(flow.together("f::a", name)) << name;
}

TEST(ArrayFlow, FollowsTheAddressesOfALaunchByPointers) {
  const Flow flow = analyse("__global__ void k(int n, R *p) { p[n].x = 1; }\n"
                            "int main() { R *a; cudaMalloc(&a, 8); int n = 0;"
                            " void *arguments[] = {&n, (void *)&a};"
                            " cudaLaunchCooperativeKernel((void *)k, 1, 1, arguments); }");
  EXPECT_TRUE(flow.together("main::a", "k::p"));
  EXPECT_FALSE(flow.groupWith("k::p")->origins.unknown);
}

TEST(ArrayFlow, SaysWhyAPlainArrayIsNotLookedAt) {
  const Flow flow =
      analyse("__device__ int onDevice[8];\n"
              "__global__ void k(char *bytes, int *managed, int *both, int *unseen) {}\n"
              "int main(int argc, char **) { char *b; cudaMalloc((void **)&b, 8); int *m;"
              " cudaMallocManaged(&m, 8); int *h = argc > 1 ? m : new int[2], *u = nullptr;"
              " k<<<1, 1>>>(b, m, h, u); }");
  const auto why = [&](const char *name) { return flow.groupWith(name)->whyNotPlain(); };
  EXPECT_EQ(why("k::bytes"), "");
  EXPECT_EQ(why("k::both"), "the same pointers lead to memory of the host");
  EXPECT_EQ(why("k::unseen"), "no allocation of it is seen");
  EXPECT_THAT(why("onDevice"), testing::HasSubstr("__device__"));
  const Flow apart = analyse("__global__ void k(int *managed) {}\n"
                             "int main() { int *m; cudaMallocManaged(&m, 8); k<<<1, 1>>>(m); }");
  EXPECT_EQ(apart.groupWith("k::managed")->whyNotPlain(), "");
}

TEST(ArrayFlow, LiteralsOfPointersAndTemporariesAreKnown) {
  const Flow flow = analyse("struct H { R r; ~H() {} H(int n) : r{1.f * n, 2} {} };\n"
                            "H made(const H &of) { return of; }\n"
                            "__global__ void k(R *p) { p[0].x = 1; }\n"
                            "int main() { auto a = (R *){}; auto b = (R *){nullptr};\n"
                            " cudaMalloc(&a, 8); cudaMalloc(&b, 8); k<<<1, 1>>>(a); k<<<1, 1>>>(b);"
                            " made(H{3}); made(H(4)); }");
  EXPECT_TRUE(flow.together("main::a", "k::p"));
  EXPECT_FALSE(flow.groupWith("k::p")->origins.unknown);
  const ArrayGroup *const given = flow.groupWith("made::of");
  EXPECT_TRUE(!given || !given->origins.unknown);
}

TEST(ArrayFlow, DoesNotJoinByComparison) {
  const Flow flow = analyse("bool f(R *a, R *b) { return a == b || a - b > 2; }");
  EXPECT_FALSE(flow.together("f::a", "f::b"));
}

TEST(ArrayFlow, GivesRedeclarationsAndInstantiationsOneName) {
  const Flow flow = analyse("void g(R *first);\nvoid g(R *second) { second->x = 1; }\n"
                            "template <int N> __global__ void k(R *p) { p[N].x = 1; }\n"
                            "int main() { R *a; cudaMalloc(&a, 8); g(a); k<1><<<1, 1>>>(a);"
                            " k<2><<<1, 1>>>(a); }");
  std::vector<std::string> names;
  for (const clang::ValueDecl *declaration : flow.groupWith("main::a")->declarations)
    names.push_back(ArrayFlow::nameOf(declaration));
  EXPECT_THAT(names, ElementsAre("g::second", "k::p", "main::a"));
}

TEST(ArrayFlow, TellsWhereMemoryComesFrom) {
  const Flow flow = analyse(
      "__constant__ R table[4];\n"
      "__global__ void k() { __shared__ R tile[4]; R *s = tile; R *t = table; s->x = t->x; }\n"
      "int main() { std::vector<R> v(4); R *a = v.data(); R *b = new R[4];\n"
      " R *c = (R *)malloc(8); R local; R *d = &local; R *e; cudaMallocManaged(&e, 8);\n"
      " float *raw; R *f = (R *)raw; R stack[4]; R *g = stack; }");
  EXPECT_TRUE(flow.groupWith("k::s")->origins.shared);
  EXPECT_TRUE(flow.groupWith("k::t")->origins.symbol);
  for (const char *name : {"main::a", "main::b", "main::c", "main::g"})
    EXPECT_TRUE(flow.groupWith(name)->origins.host) << name;
  EXPECT_TRUE(flow.groupWith("main::d")->origins.local);
  EXPECT_TRUE(flow.groupWith("main::e")->origins.managed);
  EXPECT_TRUE(flow.groupWith("main::f")->origins.unknown);
  EXPECT_FALSE(flow.groupWith("main::f")->unknownFlows.empty());
}

TEST(ArrayFlow, KnowsPartsOfSharedMemory) {
  const Flow flow =
      analyse("__global__ void k(R *out, void *given) { extern __shared__ char memory[];\n"
              " float *table = (float *)memory; table = table + 64;\n"
              " R *parts = (R *)(memory + 256), *behind = (R *)&table[64];\n"
              " float *other = table; other = (float *)given; R *unknown = (R *)other;\n"
              " out[0] = parts[0]; out[1] = behind[1]; out[2] = unknown[2]; }");
  for (const char *name : {"k::parts", "k::behind"}) {
    EXPECT_TRUE(flow.groupWith(name)->origins.shared) << name;
    EXPECT_FALSE(flow.groupWith(name)->mayBeDeviceArrays()) << name;
  }
  EXPECT_TRUE(flow.groupWith("k::unknown")->origins.unknown);
  EXPECT_FALSE(flow.together("k::out", "k::parts"));
}

TEST(ArrayFlow, LeavesOutMemoryThatAPointerStartsWithAndNothingUses) {
  const auto leadsToHost = [](const std::string &then) {
    const Flow flow = analyse("void use(R *); bool some();\n"
                              "int main(int argc, char **) { R *p = new R[4]; R *q;\n" +
                              then + " return 0; }");
    return flow.groupWith("main::p")->origins.host;
  };
  for (const char *unused :
       {"cudaMalloc(&p, 8); use(p);", "if (some()) return 1; cudaMalloc((void **)&p, 8); use(p);",
        "{ cudaError_t e = cudaMallocManaged(&p, 8); if (e) return 1; } use(p);",
        "if (some()) cudaMalloc(&p, 8); else p = nullptr; use(p);"})
    EXPECT_FALSE(leadsToHost(unused)) << unused;
  for (const char *used :
       {"use(p); cudaMalloc(&p, 8);", "if (some()) cudaMalloc(&p, 8); use(p);",
        "R *&r = p; cudaMalloc(&p, 8);", "R *s = p, *t = s; cudaMalloc(&p, 8);",
        "while (some()) cudaMalloc(&p, 8); use(p);",
        "do { if (some()) break; cudaMalloc(&p, 8); } while (false); use(p);",
        "auto f = [&] { use(p); }; cudaMalloc(&p, 8);", "goto end; cudaMalloc(&p, 8); end: use(p);",
        "cudaMalloc(&q, 8); use(p);"})
    EXPECT_TRUE(leadsToHost(used)) << used;
  const Flow effects = analyse("int count(); int main() { R *p = new R[count()], *q = p;\n"
                               " R *s = new R[4]; cudaMalloc(&p, 8); cudaMalloc(&s, 8); }");
  EXPECT_TRUE(effects.groupWith("main::p")->origins.host);
  EXPECT_FALSE(effects.groupWith("main::s")->origins.host);
}

TEST(ArrayFlow, TellsWhereMemoryOfTheHostComesFrom) {
  const Flow flow = analyse("void use(R *p) {}\n"
                            "int main() { R *a; cudaMalloc(&a, 8); use(a);\n"
                            " R *b = (R *)malloc(8);\n use(b);\n use(new R); R c[2]; use(c); }");
  std::vector<unsigned> lines;
  for (const SourcePlace &place : flow.groupWith("use::p")->hostMemory)
    lines.push_back(place.line);
  EXPECT_THAT(lines, testing::UnorderedElementsAre(7u, 9u, 9u));
}

TEST(ArrayFlow, MemoryForPointersIsNotWhatTheyPointTo) {
  const Flow flow =
      analyse("__global__ void make(R **one) { *one = new R; }\n"
              "__global__ void k(R **rows) { rows[0]->x = 1; }\n"
              "int main() { R **one; cudaMalloc((void **)&one, sizeof(R *)); make<<<1, 1>>>(one);\n"
              " R **rows; cudaMalloc(&rows, 2 * sizeof(R *)); R *row; cudaMalloc(&row, 8);\n"
              " cudaMemcpy(rows, &row, sizeof(R *), cudaMemcpyHostToDevice); k<<<1, 1>>>(rows); }");
  EXPECT_FALSE(flow.groupWith("main::one")->origins.device);
  EXPECT_FALSE(flow.groupWith("main::one")->mayBeDeviceArrays());
  EXPECT_TRUE(flow.groupWith("main::row")->origins.device);
}

TEST(ArrayFlow, MemoryOfDeviceCodeIsNotTheHosts) {
  const Flow flow =
      analyse("__device__ R *made(int n) { return new R[n]; }\n"
              "__global__ void k(R *p) { R *own = (R *)malloc(8); own[0] = p[0]; own = p; R *two = "
              "made(2); }\n"
              "int main() { R *p, *host = new R[2]; cudaMalloc(&p, 8); k<<<1, 1>>>(p); }");
  EXPECT_TRUE(flow.groupWith("k::p")->origins.deviceHeap);
  EXPECT_TRUE(flow.groupWith("k::two")->origins.deviceHeap);
  EXPECT_FALSE(flow.groupWith("main::host")->origins.deviceHeap);
}

TEST(ArrayFlow, PageLockedMemoryIsADeviceArrayWhereKernelsReachIt) {
  const Flow flow =
      analyse("__global__ void k(R *p) { p[0].x = 1; }\n"
              "int main() { R *mapped, *view, *staging; cudaHostAlloc(&mapped, 8, 0);\n"
              " cudaHostGetDevicePointer((void **)&view, (void *)mapped, 0); k<<<1, 1>>>(view);\n"
              " cudaMallocHost(&staging, 8); staging[0].x = mapped[0].x; }");
  EXPECT_TRUE(flow.together("main::mapped", "k::p"));
  EXPECT_TRUE(flow.groupWith("main::mapped")->origins.pinned);
  EXPECT_FALSE(flow.groupWith("main::mapped")->origins.unknown);
  EXPECT_TRUE(flow.groupWith("main::mapped")->mayBeDeviceArrays());
  EXPECT_TRUE(flow.groupWith("main::staging")->origins.pinned);
  EXPECT_FALSE(flow.groupWith("main::staging")->mayBeDeviceArrays());
}

TEST(ArrayFlow, SaysWhichRowsPointersPointTo) {
  const Flow flow = analyse(
      "typedef double Vector[3];\n"
      "__global__ void k(Vector *p, float a[][4][5], double *u, Vector **table, float *mixed) {}\n"
      "int main() { Vector *p; float (*a)[4][5]; double *u; float (*rows)[4];\n"
      "  cudaMalloc(&p, 48); cudaMalloc(&a, 80); cudaMalloc(&u, 8); cudaMalloc(&rows, 16);\n"
      "  k<<<1, 1>>>(p, a, u, &p, (float *)rows); }");
  using Extents = std::vector<std::uint64_t>;
  EXPECT_EQ(rowExtentsOf(*flow.groupWith("main::p")), Extents{3});
  EXPECT_EQ(rowExtentsOf(*flow.groupWith("k::a")), (Extents{4, 5}));
  EXPECT_EQ(rowExtentsOf(*flow.groupWith("main::u")), Extents{});
  EXPECT_EQ(rowExtentsOf(*flow.groupWith("k::mixed")), std::nullopt);
}

TEST(ArrayFlow, TellsWhatNothingCalls) {
  const std::string unused = "__global__ void u(R *p) { p[0].x = 1; }\n"
                             "void launch(R *p) { u<<<1, 1>>>(p); }\n"
                             "__global__ void k(R *p) { p[0].x = 1; }\n";
  const Flow whole = analyse(unused + "int main() { R *a; cudaMalloc(&a, 8); k<<<1, 1>>>(a); }");
  EXPECT_TRUE(whole.groupWith("launch::p")->isUncalled);
  EXPECT_TRUE(whole.together("launch::p", "u::p"));
  EXPECT_FALSE(whole.groupWith("k::p")->isUncalled);
  const Flow part = analyse(unused + "void other() { R *a; cudaMalloc(&a, 8); k<<<1, 1>>>(a); }");
  EXPECT_FALSE(part.groupWith("launch::p")->isUncalled);
}

TEST(ArrayFlow, AConstReferenceParameterDoesNotMixHostWithDevice) {
  const Flow flow =
      analyse("__host__ __device__ float sum(const R &r) { return r.x + r.y; }\n"
              "__global__ void k(R *p) { p[0].x = sum(p[1]); }\n"
              "int main() { R *a; cudaMalloc(&a, 8); k<<<1, 1>>>(a);\n"
              " std::vector<R> v(4); R *h = v.data(); return sum(h[1]) + sum(v[0]); }");
  EXPECT_TRUE(flow.together("sum::r", "k::p"));
  EXPECT_FALSE(flow.together("sum::r", "main::h"));
  EXPECT_FALSE(flow.groupWith("k::p")->origins.host);
}

const clang::ParmVarDecl *parameterOf(const Flow &flow, const std::string &name) {
  const ArrayGroup *group = flow.groupWith(name);
  for (const clang::ValueDecl *declaration :
       group ? group->declarations : std::vector<const clang::ValueDecl *>())
    if (ArrayFlow::nameOf(declaration) == name)
      return clang::dyn_cast<clang::ParmVarDecl>(declaration);
  return nullptr;
}

TEST(ArrayFlow, AReferenceParameterThatIsGivenLocalsTakesValues) {
  const Flow flow = analyse("__device__ void inner(R &i) { i.x += 1; }\n"
                            "__device__ void mixed(R &m) { inner(m); }\n"
                            "__device__ void plain(R &p) { p.x = 2; }\n"
                            "__global__ void k(R *a) { R own; mixed(own); mixed(a[1]);"
                            " plain(a[2]); }\n"
                            "int main() { R *d; cudaMalloc(&d, 8); k<<<1, 1>>>(d); }");
  EXPECT_TRUE(flow.flow.takesValue(*parameterOf(flow, "mixed::m")));
  EXPECT_TRUE(flow.flow.takesValue(*parameterOf(flow, "inner::i"))) << "handed on";
  EXPECT_FALSE(flow.flow.takesValue(*parameterOf(flow, "plain::p")));
  EXPECT_FALSE(flow.groupWith("k::a")->origins.local);
  for (const char *name : {"plain::p", "mixed::m", "inner::i"})
    EXPECT_TRUE(flow.together("k::a", name)) << name;
}

TEST(ArrayFlow, FollowsPointersThatARangeBasedForHides) {
  const Flow flow =
      analyse("struct Span { R *b, *e; __device__ R *begin() const { return b; }\n"
              "              __device__ R *end() const { return e; } };\n"
              "__global__ void k(R *p, R *q) {\n"
              "  for (R &a : Span{p, p + 3}) a.x = 1;\n"
              "  R own[2] = {q[0], q[1]};\n"
              "  for (R &o : own) o.x = 1; }\n"
              "int main() { R *a, *b; cudaMalloc(&a, 8); cudaMalloc(&b, 8); k<<<1, 1>>>(a, b); }");
  EXPECT_TRUE(flow.together("main::a", "k::a"));
  EXPECT_TRUE(flow.together("k::own", "k::o"));
  EXPECT_FALSE(flow.together("main::b", "k::o"));
}

} // namespace
} // namespace relayout::instrument
