// SPDX-License-Identifier: Apache-2.0
// Where extents may be kept, and which pointers have coordinates.
#include "coordinates_support.h"

namespace relayout::rewriter::test {
namespace {

TEST(Coordinates, FunctionsThatAllocateAreGivenExtents) {
  const auto program = [](const std::string &function, const std::string &first,
                          const std::string &second) {
    return function + "int main(int argc, char **argv) {\n  int ny = argc, nz = argc + 1;\n" +
           first + second + "  k<<<1, 1>>>(u, ny, nz);\n}\n";
  };
  const std::string allocate =
      "double *allocate(size_t n) {\n  double *p;\n  cudaMalloc(&p, n * sizeof(double));\n"
      "  return p;\n}\n";
  const std::string buffer = "struct Buffer {\n  double *p;\n  explicit Buffer(int n) {\n"
                             "    cudaMalloc(&p, n * sizeof(double));\n  }\n};\n";
  const std::string one = "  double *u = allocate(3 * ny * nz);\n";
  expectCoordinates(true, program(allocate, one, ""), "nz,ny", "main::u");
  expectCoordinates(true, program(buffer, "  Buffer b(3 * ny * nz);\n", "  double *u = b.p;\n"),
                    "nz,ny", "main::u");
  // Of two arrays one has other extents.
  expectCoordinates(false, program(allocate, one, "  { int nz = 2; u = allocate(3 * ny * nz); }\n"),
                    "nz,ny", "main::u");
}

TEST(Coordinates, MembersThatHaveOneValueAreExtents) {
  const auto program = [](const std::string &members, const std::string &start,
                          const std::string &main) {
    return "struct Solver {\n  double *u;\n  int ny, nz;\n" + members +
           "  void allocate() { cudaMalloc(&u, 3 * ny * nz * sizeof(double)); }\n"
           "  void run() { k<<<1, 1>>>(u, ny, nz); }\n};\n" +
           "int main(int argc, char **argv) {\n  const int ny = argc, nz = argc + 1;\n" + start +
           "  s.allocate();\n" + main + "  s.run();\n}\n";
  };
  const std::string made = "  Solver(int y, int z) : ny(y), nz(z) {}\n",
                    one = "  Solver s(ny, nz);\n";
  const std::string set = "  Solver s;\n  s.ny = ny;\n  s.nz = nz;\n";
  const auto proved = [&](bool areProved, const std::string &text) {
    expectCoordinates(areProved, text, "nz,ny", "Solver::u");
  };
  proved(true, program(made, one, ""));
  proved(true, program("", set, ""));
  proved(true, program("", set, "  std::swap(s, s);\n"));
  proved(false, program(made, one, "  Solver t(nz, ny);\n  t.u = s.u;\n  t.run();\n"));
  proved(false, program(made, one, "  s.nz = 3;\n"));
  proved(false, program(made, one, "  ++s.nz;\n"));
  proved(false, program(made, one, "  int *p = &s.nz;\n  *p = 3;\n"));
  proved(false, program(made, one, "  int &r = s.nz;\n  r = 3;\n"));
  proved(false, program(made, one, "  auto &[p, a, b] = s;\n  b = 3;\n"));
  proved(false, program(made, one, "  auto set = [](auto &t) { t.nz = 3; };\n  set(s);\n"));
  proved(false, program(made, one, "  std::sscanf(argv[0], \"%d\", &s.nz);\n"));
  proved(false, program("", set, "  std::memcpy(&s.nz, argv[0], 4);\n"));
  proved(false, program("", set, "  int Solver::*p = &Solver::nz;\n  s.*p = 4;\n"));
  proved(false, program("", set, "  Solver t = {};\n  t.u = s.u;\n  t.run();\n"));
  proved(false, program("", set, "  Solver t = {s.u, 4, 4};\n  t.run();\n"));
  proved(false, program("", set, "  static Solver t;\n  t.u = s.u;\n  t.run();\n"));
  proved(false, program("", set, "  std::vector<Solver> t(1);\n  t[0].u = s.u;\n  t[0].run();\n"));
  proved(false,
         program("  Solver(int y, int z) : ny(y), nz(z) {}\n", one,
                 "  auto t = std::make_unique<Solver>(nz, ny);\n  t->u = s.u;\n  t->run();\n"));
  proved(false,
         program("  Solver(int y, int z) : ny(y), nz(z) {}\n  Solver() : ny(1) { nz = 2; }\n", one,
                 "  Solver t;\n  t.u = s.u;\n  t.run();\n"));
}

TEST(Coordinates, RecordsThatKernelsGetHoldExtents) {
  const auto program = [](const std::string &use, const std::string &rest) {
    return "struct Grid {\n  double *u;\n  int ny, nz;\n"
           "  __host__ __device__ int place(int x, int y, int z) const { return (x * ny + y) * nz "
           "+ "
           "z; }\n"
           "};\n__global__ void k(Grid g) {\n  const int x = threadIdx.x, y = threadIdx.y;\n"
           "  if (y < g.ny)\n    for (int z = 0; z < g.nz; ++z) {\n      " +
           use +
           "\n    }\n}\nint main(int argc, char **argv) {\n  Grid g;\n  g.ny = argc;\n"
           "  g.nz = argc + 1;\n  cudaMalloc(&g.u, 3 * g.ny * g.nz * sizeof(double));\n" +
           rest + "  k<<<1, 1>>>(g);\n}\n";
  };
  const auto marks = [&](const std::string &use, const std::string &rest) {
    SCOPED_TRACE(use + rest);
    expectAsMarked(rewritten(program(use, rest), "g.nz,g.ny", "Grid::u"));
  };
  marks("g.u[g.place(x, y, z)] = 0; // becomes g.u.at(x, y, z) = 0", "");
  marks("g.u[(x * g.ny + y) * g.nz + z] = 0; // becomes g.u.at(x, y, z) = 0", "");
  marks("g.u[(x * g.nz + y) * g.ny + z] = 0; // stays", "");
  marks("g.u[g.place(x, y, z)] = 0; // stays", "  g.nz = 4;\n");
  marks("g.u[g.place(x, y, z)] = 0; g.u += 2; // stays", "");
  marks("g.nz = 3; g.u[g.place(x, y, z)] = 0; // stays", "");
}

TEST(Coordinates, GlobalVariablesAreExtentsWhereTheyAreSetFirst) {
  const auto program = [](const std::string &globals, const std::string &set,
                          const std::string &behind) {
    return globals + "double *u;\nvoid run() { k<<<1, 1>>>(u, ny, nz); }\n" +
           "int main(int argc, char **argv) {\n" + set +
           "  cudaMalloc(&u, 3 * ny * nz * sizeof(double));\n" + behind + "  run();\n}\n";
  };
  const std::string zero = "int ny, nz;\n", some = "int ny = 5, nz = 6;\n";
  const std::string set = "  ny = atoi(argv[1]);\n  nz = atoi(argv[2]);\n";
  const std::string maybe = "  if (argc > 1)\n    nz = atoi(argv[1]);\n";
  const auto proved = [&](bool areProved, const std::string &text) {
    expectCoordinates(areProved, text, "nz,ny", "u");
  };
  proved(true, program(zero, set, ""));
  proved(true, program(some, maybe, ""));
  proved(true, program(some + "void read(char **argv) {\n  nz = atoi(argv[1]);\n}\n",
                       "  read(argv);\n", ""));
  proved(false, program(some, "", maybe));
  proved(false, program(zero, set, "  nz = 3;\n"));
  proved(false, program(some + "void read(char **argv) {\n  nz = atoi(argv[1]);\n}\n",
                        "  read(argv);\n", "  read(argv);\n"));
  proved(false,
         program(some, "  for (int i = 1; i < 3; ++i) {\n    nz = atoi(argv[i]);\n", "  }\n"));
  proved(false, program(zero, set, "  std::sscanf(argv[3], \"%d\", &nz);\n"));
  proved(false, program(some + "extern double *u;\nvoid run();\n",
                        "  cudaMalloc(&u, 3 * ny * nz * sizeof(double));\n  run();\n" + maybe, ""));
}

TEST(Coordinates, VariablesOfNamespacesAreExtentsByTheirWholeName) {
  expectCoordinates(true,
                    "namespace grid { int ny, nz; }\ndouble *u;\n"
                    "void run() { k<<<1, 1>>>(u, grid::ny, grid::nz); }\n"
                    "int main(int argc, char **argv) {\n"
                    "  grid::ny = atoi(argv[1]);\n  grid::nz = atoi(argv[2]);\n"
                    "  cudaMalloc(&u, 3 * grid::ny * grid::nz * sizeof(double));\n  run();\n}\n",
                    "grid::nz,grid::ny", "u");
}

TEST(Coordinates, PointersThatAreMovedHaveNone) {
  const auto program = [](const std::string &functions, const std::string &launches) {
    return functions +
           "int main(int argc, char **argv) {\n  const int ny = argc, nz = argc + 1;\n"
           "  double *u, *v = nullptr;\n  cudaMalloc(&u, 3 * ny * nz * sizeof(double));\n" +
           launches + "}\n";
  };
  const std::string launch = "  k<<<1, 1>>>(u, ny, nz);\n";
  const auto proved = [&](bool areProved, const std::string &functions,
                          const std::string &launches) {
    expectCoordinates(areProved, program(functions, launches), "nz,ny", "main::u");
  };
  proved(true, "", "  v = u;\n  std::swap(u, v);\n" + launch);
  proved(true, "", "  double *both[2] = {u, v};\n  k<<<1, 1>>>(both[argc - 1], ny, nz);\n");
  proved(true, "__global__ void other(double *u) { u[0] = 1; }\n",
         "  other<<<1, 1>>>(u + 2);\n" + launch);
  proved(true, "double *same(double *p) { return p; }\n", "  k<<<1, 1>>>(same(u), ny, nz);\n");
  proved(false, "", "  k<<<1, 1>>>(u + 2, ny, nz);\n");
  proved(false, "", launch + "  k<<<1, 1>>>(&u[2], ny, nz);\n");
  proved(false, "", "  ++u;\n" + launch);
  proved(false, "", "  v = u + 1;\n  std::swap(u, v);\n" + launch);
  proved(false, "", "  double *both[2] = {u, u + 1};\n  k<<<1, 1>>>(both[argc - 1], ny, nz);\n");
  proved(false, "", "  double *&r = u;\n  r = u + 1;\n" + launch);
  proved(false, "void next(double *&p) { ++p; }\n", "  next(u);\n" + launch);
  proved(false, "void next(double **p) { *p += 1; }\n", "  next(&u);\n" + launch);
  proved(false, "void next(double **p) { p[0] = p[0] + 1; }\n", "  next(&u);\n" + launch);
  proved(false, "double *next(double *p) { return p + 1; }\n", "  k<<<1, 1>>>(next(u), ny, nz);\n");
  proved(
      false, "",
      "  double *both[2] = {u, u + 1};\n  for (double *p : both)\n    k<<<1, 1>>>(p, ny, nz);\n");
  proved(false, "",
         "  double *both[2] = {u, u};\n  for (double *&p : both)\n    ++p;\n"
         "  k<<<1, 1>>>(both[1], ny, nz);\n");
  proved(false, "void swap(double *&a, double *&b) { a = b + 1; }\n", "  swap(u, v);\n" + launch);
  proved(true, "void turn(double *&a, double *&b) { double *c = a; a = b; b = c; }\n",
         "  turn(u, v);\n" + launch);
  proved(false, "", "  auto run = [&](double *p) { k<<<1, 1>>>(p, ny, nz); };\n  run(u + 1);\n");
  proved(false, "struct Pair { double *a, *b; };\n",
         "  Pair pair{u, u + 1};\n  k<<<1, 1>>>(pair.b, ny, nz);\n");
  const auto owner = [](const std::string &value) {
    return "struct Owner {\n  double *p;\n  operator double *() const { return " + value +
           "; }\n};\n";
  };
  const std::string owned = "  Owner owner{u};\n  k<<<1, 1>>>(owner, ny, nz);\n";
  proved(true, owner("p"), owned);
  proved(false, owner("p + 1"), owned);
}

TEST(Coordinates, PointersThatVirtualFunctionsAreGivenMayBeMoved) {
  const auto program = [](const std::string &type, const std::string &base,
                          const std::string &derived, const std::string &launch) {
    return "struct Step {\n  virtual " + type + base + "\n};\nstruct Next : Step {\n  " + type +
           derived +
           "\n};\nint main(int argc, char **argv) {\n  const int ny = argc, nz = argc + 1;\n"
           "  double *u;\n  cudaMalloc(&u, 3 * ny * nz * sizeof(double));\n"
           "  Next next;\n  Step &step = next;\n" +
           launch + "}\n";
  };
  const auto stays = [](const std::string &text) {
    expectCoordinates(false, text, "nz,ny", "main::u");
  };
  stays(program("double *", "of(double *p) { return p; }",
                "of(double *p) override { return p + 1; }",
                "  k<<<1, 1>>>(step.of(u), ny, nz);\n"));
  stays(program("void ", "move(double *&p) = 0;", "move(double *&p) override { ++p; }",
                "  step.move(u);\n  k<<<1, 1>>>(u, ny, nz);\n"));
}

} // namespace
} // namespace relayout::rewriter::test
