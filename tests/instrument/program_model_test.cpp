// SPDX-License-Identifier: Apache-2.0
// Records, loops, reaches through calls, launches and memory operations.
#include "program_text.h"

#include "relayout/analysis/compiler_model/program_code.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;

/// "kernel:function:line of the loop (0: none)" for every reach.
std::vector<std::string> reaches(const trace::SiteTable &table) {
  std::vector<std::string> found;
  for (const trace::Reach &reach : table.reaches)
    found.push_back(
        table.kernels.at(reach.kernel).name + ":" + table.sites.at(reach.site).function + ":" +
        std::to_string(reach.loop == trace::kNone ? 0 : table.loops.at(reach.loop).place.line));
  return found;
}

/// "name offset+bytes alignment" for each field of the only record.
std::vector<std::string> placesOf(const std::string &record) {
  const ProgramText program(record + "\n__global__ void k(Cell *p) { p[1] = p[0]; }\n");
  const ProgramModel model = program.model();
  std::vector<std::string> places;
  if (model.sites.records.size() == 1)
    for (const trace::Field &field : model.sites.records[0].fields)
      places.push_back(field.name + " " + std::to_string(field.offset) + "+" +
                       std::to_string(field.bytes) + " " + std::to_string(field.alignment));
  EXPECT_TRUE(trace::siteTableFromJson(trace::toJson(model.sites)));
  return places;
}

TEST(ProgramModel, BitFieldsThatShareStorageUnitsAreOneField) {
  EXPECT_THAT(placesOf("struct Cell { float x; unsigned kind : 20, : 3, alive : 9; float y; };"),
              ElementsAre("x 0+4 4", "kind_alive 4+4 4", "y 8+4 4"));
  EXPECT_THAT(placesOf("struct Cell { unsigned a : 20, b : 20, c : 1; char x; };"),
              ElementsAre("a 0+4 4", "b_c_x 4+4 4"));
  EXPECT_THAT(placesOf("struct Cell { bool a : 1; unsigned char : 0; char b : 3; double x; };"),
              ElementsAre("a 0+1 1", "b 1+1 1", "x 8+8 8"));
}

TEST(ProgramModel, FieldsInStorageUnitsOfBitFieldsAreOneFieldWithThem) {
  EXPECT_THAT(placesOf("struct Cell { char tag[2]; unsigned kind : 8; float x; };"),
              ElementsAre("tag_kind 0+4 4", "x 4+4 4"));
  EXPECT_THAT(placesOf("struct Cell { unsigned long long a : 20; float x; int y; };"),
              ElementsAre("a_x 0+8 8", "y 8+4 4"));
  EXPECT_THAT(placesOf("struct Cell { char x; unsigned : 0; unsigned kind : 8; };"),
              ElementsAre("x 0+1 1", "kind 4+4 4"));
}

TEST(ProgramModel, BitFieldsOfPackedRecordsAndBasesEndWhereOthersBegin) {
  EXPECT_THAT(placesOf("struct __attribute__((packed)) Cell { char c; unsigned a : 9; int x; };"),
              ElementsAre("c 0+1 1", "a 1+2 1", "x 3+4 4"));
  EXPECT_THAT(placesOf("class Base { public: int x; private: unsigned a : 9; };\n"
                       "struct Cell : Base { char c; };"),
              ElementsAre("x 0+4 4", "a 4+2 4", "c 6+1 1"));
}

TEST(ProgramModel, RecordsSayHowTheyLie) {
  const ProgramText program("namespace sim { struct /*r*/Particle {\n"
                            "  char tag; double w; float v[2][3]; float3 pos; int *link; }; }\n"
                            "__global__ void k(sim::Particle *p) { p[0].tag = 1; }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.records.size(), 1u);
  const trace::Record &record = model.sites.records[0];
  EXPECT_EQ(record.name, "sim::Particle");
  EXPECT_EQ(record.place, program.mark("r"));
  EXPECT_EQ(record.bytes, 64u);
  EXPECT_EQ(record.alignment, 8u);
  std::vector<std::string> fields;
  for (const trace::Field &field : record.fields)
    fields.push_back(field.type + " " + field.name + field.extents + " @" +
                     std::to_string(field.offset) + "+" + std::to_string(field.bytes) + "x" +
                     std::to_string(field.count));
  EXPECT_THAT(fields, ElementsAre("char tag @0+1x1", "double w @8+8x1", "float v[2][3] @16+24x6",
                                  "float3 pos @40+12x1", "int * link @56+8x1"));
}

TEST(ProgramModel, NestedStructsOfScalarsOfOneSizeHaveParts) {
  const ProgramText program(
      "struct Vec { float x, y; int z; };\n"
      "struct Mixed { float x; double y; };\n"
      "struct P { float3 pos; struct { Vec a; float b[2]; } both; Mixed mixed;\n"
      "  Vec several[2]; float w; };\n"
      "__global__ void k(P *p) { p[0].w = 1; }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.records.size(), 1u);
  std::vector<std::uint32_t> parts, pieces;
  for (const trace::Field &field : model.sites.records[0].fields) {
    parts.push_back(field.parts);
    pieces.push_back(field.pieces());
  }
  EXPECT_THAT(parts, ElementsAre(3, 5, 1, 1, 1));
  EXPECT_THAT(pieces, ElementsAre(3, 5, 1, 2, 1));
}

TEST(ProgramModel, ArithmeticIsCountedByLoopAndKernel) {
  const ProgramText program(
      "struct P { float x, y; };\n"
      "__device__ float length(float a, float b) { return sqrtf(a * a + b * b); }\n" // 2 + 8
      "__global__ void k(P *p, const float *w, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" // 2
      "  float sum = 0;\n"
      "  for (int j = 0; j < n; ++j) {\n"       // 0.5
      "    sum += length(p[j].x, p[j].y);\n"    // 1 + 10
      "    for (int m = 0; m < 3; ++m)\n"       // 3 * 0.5
      "      sum += sum > 1 ? 2 * sum : sum;\n" // 3 * (1 + 1 + 1 + 1)
      "  }\n"
      "  p[i].x = w[i] / sum; }\n" // 2 + 8
      "__global__ void none(P *p) { p[0].x = p[1].y; }\n");
  const trace::SiteTable table = program.model().sites;
  ASSERT_EQ(table.loops.size(), 1u) << "the inner loop touches no record";
  const analysis::ProgramCode code = analysis::codeOf(table);
  EXPECT_DOUBLE_EQ(code.loops[0].arithmetic.instructions, 0.5 + 11 + 1.5 + 12);
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_DOUBLE_EQ(code.kernels[0].arithmetic.instructions, 2 + 10);
  EXPECT_DOUBLE_EQ(code.kernels[1].arithmetic.instructions, 0);
}

TEST(ProgramModel, IterationsAndRowsOfArraysCountExactly) {
  const auto operationsOf = [](const std::string &body) {
    const ProgramText program("struct P { float x; };\n__global__ void k(P *p, int t) {\n"
                              "  __shared__ float row[8], rows[2][8];\n  p[t].x = 0;\n" +
                              body + "}\n");
    return analysis::codeOf(program.model().sites).kernels.at(0).arithmetic.instructions;
  };
  const double once = operationsOf("row[t] = 1;");
  EXPECT_GT(once, 0);
  EXPECT_DOUBLE_EQ(operationsOf("rows[1][t] = 1;"), once);
  EXPECT_DOUBLE_EQ(operationsOf("for (int i = -1; i <= 1; ++i) row[t] = 1;"), 3 * (once + 0.5));
  EXPECT_DOUBLE_EQ(operationsOf("for (int i = 1; i < 256; i *= 2) row[t] = 1;"), 8 * (once + 0.5));
  EXPECT_DOUBLE_EQ(operationsOf("for (int i = 0; i < 0; ++i) row[t] = 1;"), 0);
}

TEST(ProgramModel, ReachesFollowCallsAndTheirLoops) {
  const ProgramText program("struct P { float x; __device__ float get() const { return x; } };\n"
                            "__device__ float leaf(P *p) { return p->x; }\n"
                            "__device__ float loops(P *p) {\n"
                            "  float s = 0; for (int i = 0; i < 4; ++i)\n"
                            "    s += p[i].x; return s; }\n"
                            "__device__ float chain(P *p) { return leaf(p); }\n"
                            "__global__ void flat(P *p, float *o) { o[0] = leaf(p); }\n"
                            "__global__ void deep(P *p, float *o) {\n"
                            "  o[1] = chain(p);\n"
                            "  for (int i = 0; i < 9; ++i)\n"
                            "    while (o[i] > 0)\n"
                            "      o[i] -= chain(p) + p[i].get();\n"
                            "  o[2] = loops(p); }\n");
  const trace::SiteTable table = program.model().sites;
  EXPECT_THAT(reaches(table),
              ElementsAre("flat:leaf:0", "deep:P::get:11", "deep:leaf:11", "deep:loops:4"));
  ASSERT_EQ(table.loops.size(), 3u);
  EXPECT_EQ(table.loops[2].parent, 1u);
  EXPECT_EQ(table.loops[1].parent, trace::kNone);
}

TEST(ProgramModel, RecursionEnds) {
  const ProgramText program(
      "struct P { int x; };\n"
      "__device__ int walk(P *p, int n) {\n"
      "  int s = 0; for (int i = 0; i < n; ++i) s += walk(p, n - 1) + p[i].x;\n"
      "  return s; }\n"
      "__global__ void k(P *p, int *o) { o[0] = walk(p, 3); }\n");
  EXPECT_THAT(reaches(program.model().sites), ElementsAre("k:walk:3"));
}

TEST(ProgramModel, LambdasAndOperatorsAreFollowed) {
  const ProgramText program(
      "struct V { float x; __device__ V operator+(const V &o) const { return {x + o.x}; } };\n"
      "struct P { V a, b; };\n"
      "template <class F> __global__ void each(P *p, F f) { f(p[threadIdx.x]); }\n"
      "int main() {\n"
      "  each<<<1, 32>>>((P *)nullptr, [] __device__(P &p) { p.a = p.a + p.b; }); }\n");
  const trace::SiteTable table = program.model().sites;
  std::vector<std::string> functions;
  for (const trace::Reach &reach : table.reaches)
    functions.push_back(table.sites[reach.site].function);
  EXPECT_THAT(functions,
              testing::UnorderedElementsAre("V::operator+", "V::operator+", "main::(lambda)"));
}

TEST(ProgramModel, MemoryOperationsThroughCastsAndWrappers) {
  const ProgramText program(
      "#include <vector>\n"
      "struct P { float x; };\n"
      "__global__ void k(P *particles, int n) { particles[threadIdx.x].x = n; }\n"
      "int main() {\n"
      "  std::vector<P> h(8); P *d = nullptr, *e = nullptr; float *f;\n"
      "  cudaMalloc((void **)&d, 8 * sizeof(P)); cudaMalloc(&e, 8 * sizeof(P));\n"
      "  cudaMalloc(&f, 4);\n"
      "  cudaMemcpy(d, h.data(), 8 * sizeof(P), cudaMemcpyHostToDevice);\n"
      "  cudaMemset(e, 0, 8 * sizeof(P));\n"
      "  k<<<1, 8>>>(d, 8);\n"
      "  cudaMemcpy(h.data(), d, 8 * sizeof(P), cudaMemcpyDeviceToHost);\n"
      "  cudaFree(d); cudaFree(e); cudaFree(f); }\n");
  const ProgramModel model = program.model();
  std::vector<std::string> operations;
  for (const MemoryOperation &operation : model.memory) {
    EXPECT_EQ(operation.record, 0u);
    const bool ofKernel =
        operation.group != trace::kNone && testing::Matches(testing::Contains("k::particles"))(
                                               model.sites.groups.at(operation.group).arrays);
    operations.push_back(operation.callee + ":" + std::to_string(operation.place.line) +
                         (ofKernel ? ":k" : ""));
  }
  EXPECT_THAT(operations,
              ElementsAre("cudaMalloc:6:k", "cudaMalloc:6", "cudaMemcpy:8:k", "cudaMemset:9",
                          "cudaMemcpy:11:k", "cudaFree:12:k", "cudaFree:12"));
  // The site knows its array too.
  ASSERT_EQ(model.sites.sites.size(), 1u);
  EXPECT_THAT(model.sites.groups.at(model.sites.sites[0].group).arrays,
              testing::Contains("k::particles"));
}

TEST(ProgramModel, PlainArraysOfCharsInManagedMemoryAndLaunchedByPointers) {
  ProgramText program(
      "__global__ void grow(const char *from, char *to) {\n"
      "  to[threadIdx.x] = /*char*/from[threadIdx.x] + 1;\n"
      "}\n"
      "__global__ void scale(int *values) { /*managed*/values[threadIdx.x] *= 2; }\n"
      "__global__ void sort(float *keys) { /*pointers*/keys[threadIdx.x] = 1; }\n"
      "int main() {\n"
      "  char *a, *b; cudaMalloc((void **)&a, 32); cudaMalloc((void **)&b, 32);\n"
      "  grow<<<1, 32>>>(a, b);\n"
      "  int *m; cudaMallocManaged(&m, 128); m[0] = 1; scale<<<1, 32>>>(m);\n"
      "  float *k; cudaMalloc(&k, 128); void *arguments[] = {&k};\n"
      "  cudaLaunchKernel((void *)sort, 1, 32, arguments, 0, 0);\n"
      "}\n");
  program.command.plainArrays = true;
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("char"), ElementsAre("read char.value 1"));
  EXPECT_THAT(at("managed"), ElementsAre("read int.value 4", "write int.value 4"));
  EXPECT_THAT(at("pointers"), ElementsAre("write float.value 4"));
  EXPECT_EQ(model.sites.groups.size(), 4u);
}

TEST(ProgramModel, SingleObjectsAreNoArrays) {
  const ProgramText program(
      "struct Scene { float light; int count; }; struct Item { float x; }; struct Many { int n; "
      "};\n"
      "struct Helped { int n; }; struct Raw { int n; }; struct Both { int n; };\n"
      "struct Shape { __device__ virtual int area() const { return 1; } int side; };\n"
      "struct Square : Shape { __device__ int area() const override { return side * side; } };\n"
      "__global__ void make(Shape **shapes) { *shapes = new Square; }\n"
      "__global__ void use(Shape **shapes) { ((Square *)*shapes)->side = 2; }\n"
      "template <class T> T *upload(int n) {\n"
      "  T *t; cudaMalloc((void **)&t, n * sizeof(T)); return t; }\n"
      "void *take(size_t bytes) { void *m; cudaMalloc(&m, bytes); return m; }\n"
      "__global__ void k(Scene *s, Item **items, Many *m, Helped *h, Raw *r, Both *b) {\n"
      "  /*one*/s->light += s->count + h->n + r->n + m[0].n + b->n;\n"
      "  items[threadIdx.x]->x = /*many*/m[threadIdx.x].n; }\n"
      "int main() {\n"
      "  Scene *s; cudaMalloc((void **)&s, sizeof(Scene)); Item *items[4], **list;\n"
      "  for (int i = 0; i < 4; ++i) cudaMalloc(&items[i], sizeof(*items[i]));\n"
      "  cudaMalloc(&list, sizeof(items)); Many *m; cudaMallocManaged(&m, sizeof(Many));\n"
      "  cudaMemcpy(list, items, sizeof(items), cudaMemcpyHostToDevice);\n"
      "  Both *b; cudaMalloc(&b, sizeof(Both)); if (s) cudaMalloc(&b, 2 * sizeof(Both));\n"
      "  Shape **shapes; cudaMalloc(&shapes, sizeof(Shape *));\n"
      "  make<<<1, 1>>>(shapes); use<<<1, 1>>>(shapes);\n"
      "  k<<<1, 4>>>(s, list, m, upload<Helped>(1), (Raw *)take(sizeof(Raw)), b); }\n");
  const ProgramModel model = program.model();
  std::vector<std::string> arrays, objects;
  for (const trace::Group &group : model.sites.groups)
    arrays.push_back(model.sites.records[group.record].name);
  for (const Diagnostic &finding : model.findings)
    if (finding.code == Code::None)
      objects.push_back(finding.text);
  EXPECT_THAT(arrays, testing::UnorderedElementsAre("Many", "Helped", "Raw", "Both"));
  EXPECT_THAT(objects, testing::UnorderedElementsAre(
                           "'Shape' around 'make::shapes' is a single object: no layout to choose",
                           "'Scene' around 'k::s' is a single object: no layout to choose",
                           "'Item' around 'k::items' is a single object: no layout to choose"));
  const auto records = [&](const char *mark) {
    std::vector<trace::Index> found;
    for (const trace::Site &site : model.sites.sites)
      if (site.place == program.mark(mark))
        found.push_back(site.record);
    return found;
  };
  EXPECT_THAT(records("one"), ElementsAre(trace::kNone, trace::kNone));
  EXPECT_THAT(records("many"), ElementsAre(testing::Ne(trace::kNone)));
}

TEST(ProgramModel, SingleObjectsMayLieBehindPointersWithoutAType) {
  const ProgramText program(
      "struct Ball { float r; int n; }; struct Box { float a, b; }; struct Cell { int n, m; };\n"
      "struct Shape { int kind; void *object; };\n"
      "__device__ float ball(const Ball *b) { return b->r; }\n"
      "__device__ float box(const Box *b) { return b->a * b->b; }\n"
      "__device__ int cell(const Cell *c) { return c[1].n; }\n"
      "__global__ void k(Shape **shapes, float *sizes) {\n"
      "  const Shape *s = shapes[threadIdx.x];\n"
      "  sizes[threadIdx.x] = s->kind == 0 ? ball((Ball *)s->object)\n"
      "    : s->kind == 1 ? box(static_cast<Box *>(s->object)) : cell((Cell *)s->object); }\n"
      "Shape *shape(int kind, void *object) {\n"
      "  Shape *s; cudaMallocManaged((void **)&s, sizeof(Shape)); s->kind = kind;\n"
      "  s->object = object; return s; }\n"
      "int main() {\n"
      "  Ball *b; cudaMallocManaged((void **)&b, sizeof(Ball)); b->r = 1;\n"
      "  Box *x; cudaMallocManaged((void **)&x, sizeof(Box)); x->a = x->b = 2;\n"
      "  Cell *c; cudaMallocManaged((void **)&c, 2 * sizeof(Cell)); c->n = 3;\n"
      "  Shape **shapes; float *sizes; cudaMallocManaged(&shapes, 3 * sizeof(Shape *));\n"
      "  cudaMallocManaged(&sizes, 3 * sizeof(float));\n"
      "  shapes[0] = shape(0, b); shapes[1] = shape(1, x); shapes[2] = shape(2, c);\n"
      "  k<<<1, 3>>>(shapes, sizes); }\n");
  std::set<std::string> arrays;
  const ProgramModel model = program.model();
  for (const trace::Group &group : model.sites.groups)
    arrays.insert(model.sites.records[group.record].name);
  EXPECT_THAT(arrays, testing::UnorderedElementsAre("Cell"));
}

TEST(ProgramModel, SingleObjectsMayHaveTheirSizeInAVariable) {
  const ProgramText program(
      "struct Scene { float light; ~Scene() {} }; struct Item { float x; }; struct Many { int n; "
      "};\n"
      "struct Short { int a, b, c, d; };\n"
      "__global__ void k(Scene *s, Item **items, Many *m, Short *h) {\n"
      "  s->light += items[threadIdx.x]->x + m->n + h->a; }\n"
      "int main() {\n"
      "  size_t bytes = sizeof(Scene); Scene *s; cudaMalloc(&s, bytes);\n"
      "  size_t more = sizeof(Many); more *= 4; Many *m; cudaMalloc(&m, more);\n"
      "  Short *h; cudaMallocManaged((void **)&h, sizeof(h));\n"
      "  Item *item, **items; cudaMalloc(&items, 4 * sizeof(Item *));\n"
      "  for (int i = 0; i < 4; ++i) {\n"
      "    cudaMalloc(&item, sizeof(Item));\n"
      "    cudaMemcpy(&items[i], &item, sizeof(Item *), cudaMemcpyHostToDevice); }\n"
      "  k<<<1, 4>>>(s, items, m, h); }\n");
  const ProgramModel model = program.model();
  std::vector<std::string> arrays;
  for (const trace::Group &group : model.sites.groups)
    arrays.push_back(model.sites.records[group.record].name);
  EXPECT_THAT(arrays, ElementsAre("Many"));
}

TEST(ProgramModel, LambdasOfHostFunctionsAreTheHosts) {
  const ProgramText program(
      "struct P { float x, y; };\n"
      "__global__ void k(P *a) { auto own = [](P *q) { q[threadIdx.x].x = 1; }; own(a); }\n"
      "int main() { P *p; cudaMalloc(&p, 64); k<<<1, 1>>>(p);\n"
      "  auto print = [](const P *h) { return h[1].y; };\n"
      "  auto any = [](const auto *h) { return h[1].x; };\n"
      "  P *host; cudaMallocHost(&host, 64); return any(host); }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.groups.size(), 1u);
  EXPECT_THAT(model.sites.groups[0].arrays,
              testing::UnorderedElementsAre("k::q", "k::a", "main::p"));
}

TEST(ProgramModel, MethodsThatNothingCallsHaveNoArrays) {
  const ProgramText program("struct P { float x, y; };\n"
                            "struct Printer { __host__ __device__ void print(P *p) { p->x = 0; }\n"
                            "  __host__ __device__ void show(P *p) { p->y = 0; } };\n"
                            "__global__ void k(P *a) { Printer().show(a); }\n"
                            "int main() { P *p; cudaMalloc(&p, 64); k<<<1, 1>>>(p); }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.groups.size(), 1u);
  EXPECT_THAT(model.sites.groups[0].arrays, ElementsAre("Printer::show::p", "k::a", "main::p"));
}

TEST(ProgramModel, LaunchesRepeatWhereALoopLeadsToThem) {
  const auto repeats = [](const std::string &rest) {
    const ProgramText program("struct P { float x, y; };\n"
                              "__global__ void k(P *p) { p[threadIdx.x].x += 1; }\n"
                              "static void once(P *p);\n"
                              "template <class T> void any(T *p) { k<<<1, 32>>>(p); }\n"
                              "struct Run { P *p; Run() { cudaMalloc(&p, 128); }\n"
                              "  void step() { once(p); } };\n"
                              "void call(void (*step)(P *), P *p) { step(p); }\n" +
                              rest + "static void once(P *p) { k<<<1, 32>>>(p); }\n");
    return program.model().sites.repeatsLaunches;
  };
  EXPECT_FALSE(repeats("int main() { Run r; r.step(); once(r.p); any(r.p); k<<<1, 8>>>(r.p); }\n"));
  EXPECT_TRUE(repeats("int main() { Run r; any(r.p); while (r.p) k<<<1, 32>>>(r.p); }\n"));
  EXPECT_TRUE(repeats("int main() { Run r; any(r.p); for (int i = 0; i < 9; ++i) r.step(); }\n"));
  EXPECT_TRUE(repeats("int main() { Run r; for (int i : {1, 2}) any(r.p + i); r.step(); }\n"));
  EXPECT_TRUE(repeats("void again(P *p) { once(p); if (p) again(p); }\n"
                      "int main() { Run r; any(r.p); again(r.p); }\n"));
  EXPECT_TRUE(repeats("int main() { Run r; any(r.p); call(once, r.p); }\n"));
  EXPECT_TRUE(repeats("int main() { Run r; any(r.p); auto f = [&] { r.step(); }; f(); }\n"));
  EXPECT_TRUE(repeats("int main() { Run r; any(r.p); }\n")); // who calls once() is not seen
}

TEST(ProgramModel, ArgumentsAndFilesTellTheSizeOfARun) {
  const auto readsInput = [](const std::string &head, const std::string &parameters,
                             const std::string &size) {
    const ProgramText program(head +
                              "struct P { float x, y; };\n"
                              "__global__ void k(P *p) { p[threadIdx.x].x += 1; }\n"
                              "int main(" +
                              parameters + ") { int n = 4; " + size +
                              " P *p; cudaMalloc(&p, n * sizeof(P)); k<<<1, n>>>(p); }\n");
    return program.model().sites.readsInput;
  };
  EXPECT_FALSE(readsInput("", "int argc, char **argv", ""));
  EXPECT_TRUE(readsInput("", "int argc, char **argv", "n = argc;"));
  EXPECT_TRUE(readsInput("#include <cstdio>\n", "", "scanf(\"%d\", &n);"));
  EXPECT_FALSE(readsInput("#include <cstdio>\n", "", "fprintf(fopen(\"a\", \"w\"), \"%d\", n);"));
  EXPECT_TRUE(readsInput("#include <cstdio>\n", "", "fscanf(fopen(\"a\", \"r\"), \"%d\", &n);"));
  EXPECT_TRUE(readsInput("#include <fstream>\n", "", "std::ifstream(\"a\") >> n;"));
  EXPECT_FALSE(readsInput("#include <fstream>\n", "", "std::ofstream(\"a\") << n;"));
}

TEST(ProgramModel, InputDoesNotTellSizesThatTheTextTells) {
  const auto readsInput = [](const std::string &sizes) {
    return ProgramText("#include <cstdio>\n#define SIDE 32\nconst int rows = 3 * SIDE;\n"
                       "struct P { float x, y; };\n"
                       "__global__ void k(P *p) { p[threadIdx.x].x += 1; }\n"
                       "int main() { int read; scanf(\"%d\", &read); P *p; " +
                       sizes + " k<<<1, 4>>>(p); }\n")
        .model()
        .sites.readsInput;
  };
  EXPECT_FALSE(readsInput("cudaMalloc(&p, SIDE * SIDE * sizeof(P));"));
  EXPECT_FALSE(readsInput("unsigned n, bytes; n = rows + 2; bytes = n * sizeof(P);"
                          "cudaMalloc((void **)&p, bytes);"));
  EXPECT_TRUE(readsInput("cudaMalloc(&p, read * sizeof(P));"));
  EXPECT_TRUE(readsInput("int n = rows; n = read; cudaMalloc(&p, n * sizeof(P));"));
  EXPECT_TRUE(readsInput("int n = rows; n += read; cudaMalloc(&p, n * sizeof(P));"));
  EXPECT_TRUE(readsInput("int n = rows; scanf(\"%d\", &n); cudaMalloc(&p, n * sizeof(P));"));
  EXPECT_TRUE(readsInput("P *q; cudaMalloc(&p, SIDE * sizeof(P)); cudaMalloc(&q, read);"));
}

TEST(ProgramModel, TheTableSurvivesItsFileForm) {
  const ProgramText program("struct P { float x; };\n"
                            "__global__ void k(P *p) { for (;;) { p[0].x += 1; } }\n");
  const trace::SiteTable table = program.model().sites;
  const auto again = trace::siteTableFromJson(trace::toJson(table));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(trace::toJson(*again), trace::toJson(table));
  EXPECT_EQ(table.sites[0].id, 2u);
  EXPECT_EQ(table.sourceFile, program.command.file);
}

} // namespace
} // namespace relayout::instrument
