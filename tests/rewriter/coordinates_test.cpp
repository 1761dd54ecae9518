// SPDX-License-Identifier: Apache-2.0
// Which subscripts become coordinates: those of which each is proved to be inside its extent. The
// expectation stands beside each access.
#include "support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace relayout::rewriter::test {
namespace {

/// Kernels of (u, nx, ny, nz), all launched with an array of nx * ny * nz elements.
std::string program(const std::string &kernels, const std::string &launches) {
  return "#include <cstdlib>\n#include <cstdio>\n" + kernels +
         "int main(int argc, char **argv) {\n"
         "  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);\n"
         "  double *u;\n"
         "  cudaMalloc(&u, nx * ny * nz * sizeof(double));\n" +
         launches + "  cudaFree(u);\n}\n";
}

std::string rewritten(const std::string &text, const std::string &texts = "nz,ny",
                      const std::string &array = "main::u") {
  const std::filesystem::path folder = scratchFolder();
  writeText(folder / "program.cu", text);
  const instrument::CompileCommand command = commandFor(folder / "program.cu");
  const Result<Rewrite> result = rewrite(
      command,
      planFor(command, fmt::format("double:{} aligned 0 order 6,5 1,0,2 texts {}", array, texts)));
  std::filesystem::remove_all(folder);
  if (!result || result->refused() || result->sources.files.empty()) {
    ADD_FAILURE() << (result ? render(result->findings.front()) : result.error().text);
    return {};
  }
  return result->sources.files.front().text;
}

/// Of each line that ends in `// becomes CODE` or `// stays`.
void expectAsMarked(const std::string &text) {
  std::istringstream lines(text);
  int marked = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.find("// ");
    if (comment == std::string::npos)
      continue;
    ++marked;
    const std::string code = line.substr(0, comment), expected = line.substr(comment + 3);
    if (expected == "stays") {
      EXPECT_THAT(code, testing::Not(testing::HasSubstr(".at("))) << line;
    } else {
      ASSERT_TRUE(expected.starts_with("becomes ")) << line;
      EXPECT_THAT(code, testing::HasSubstr(expected.substr(8)));
    }
  }
  EXPECT_GT(marked, 0) << text;
}

/// Each body is a kernel's.
void expectBodies(const std::vector<std::string> &bodies) {
  std::string kernels =
      "#define IDX(a, b, c) (((a) * ny + (b)) * nz + (c))\n"
      "__device__ inline int indexOf(int i, int j, int k, int ny, int nz) {\n"
      "  return (i * ny + j) * nz + k;\n}\n"
      "__device__ inline bool inside(int k, int nz) { return k >= 0 && k < nz; }\n"
      "__device__ void change(int &number) { ++number; }\n";
  std::string launches;
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    kernels += fmt::format("__global__ void k{}(double *u, int nx, int ny, int nz) {{\n"
                           "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n{}}}\n",
                           n, bodies[n]);
    launches += fmt::format("  k{}<<<1, 1>>>(u, nx, ny, nz);\n", n);
  }
  expectAsMarked(rewritten(program(kernels, launches)));
}

TEST(Coordinates, GuardsProveRanges) {
  expectBodies({
      R"(  for (int z = 0; z < nz; ++z)
    if (x < nx && y < ny)
      u[(x * ny + y) * nz + z] = 0; // becomes u.at(x, y, z) = 0
)",
      R"(  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  for (int z = 1; z < nz - 1; ++z) {
    u[indexOf(x, y, z, ny, nz)] += // becomes u.at(x, y, z) +=
        u[indexOf(x - 1, y, z, ny, nz)] + // becomes u.at(x - 1, y, z) +
        u[indexOf(x, y + 1, z, ny, nz)] + // becomes u.at(x, y + 1, z) +
        u[IDX(x, y - 1, z)] + // becomes u.at(x, y - 1, z) +
        u[IDX(x, y, z + 1)]; // becomes u.at(x, y, z + 1);
    u[indexOf(x, y, z + 2, ny, nz)] = 0; // stays
    u[indexOf(x, y - 2, z, ny, nz)] = 0; // stays
  }
)",
      R"(  if (!(y < ny))
    return;
  for (int z = nz - 2; z >= 0; --z) {
    const int i = (x * ny + y) * nz + z;
    u[i] = // becomes u.at(x, y, z) =
        u[i + 1]; // becomes u.at(x, y, z + 1);
    u[i - 1] = 0; // stays
    u[i + nz] = 0; // stays
  }
)",
      R"(  const bool isInner = y > 0 && y + 1 < ny;
  int z;
  if (isInner)
    for (z = 0; z < nz; z += 2) {
      const int i = IDX(x, y, z);
      u[i - nz] = 0; // becomes u.at(x, y - 1, z)
      u[i + nz] = 0; // becomes u.at(x, y + 1, z)
    }
)",
      R"(  for (int z = 0; z < ny * nz; z++) {
    if (!inside(z, nz) || y >= ny)
      continue;
    u[size_t(x) * ny * nz + (size_t)y * nz + z] = 0; // becomes u.at(x, y, z)
  }
)",
      R"(  const int z = threadIdx.z;
  if ((unsigned)y < (unsigned)ny)
    u[z < nz ? IDX(x, y, z) : 0] = z < nz && // stays
        u[IDX(x, y, z)] > 0; // becomes u.at(x, y, z) > 0
)",
      R"(  const int z = x % nz;
  x = 0;
  u[IDX(x, y % ny, z)] = 0; // stays
)",
      R"(  const int all = blockIdx.x * blockDim.x + threadIdx.x;
  const int z = all % nz, row = all / nz;
  u[IDX(row / ny, row % ny, z)] = 0; // becomes u.at(row / ny, row % ny, z)
)",
      R"(  const int r = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // becomes u.at(x, y, r % nz)
)",
      R"(  const int r = 4 * (blockIdx.x * 64 + threadIdx.x) + 3;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // becomes u.at(x, y, r % nz)
)",
      R"(  const int r = threadIdx.x * 1664525u + 12345;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // becomes u.at(x, y, r % nz)
)",
      R"(  const int r = blockIdx.x + 1;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // becomes u.at(x, y, r % nz)
)",
      R"(  for (unsigned z = 0; z < nz; ++z)
    if (y == 0)
      u[size_t(nz) * y + z] = 0; // becomes u.at(0, y, z)
)",
      R"(  for (int z = 0; z < nz; ++z)
    if (y < ny)
      u[(x * ny + ny - 1 - y) * nz + nz - 1 - z] = 0; // becomes u.at(x, ny - y - 1, nz - z - 1)
)",
  });
}

// A name is that of the innermost variable around the access, whatever other loops call theirs.
TEST(Coordinates, SeveralLoopsNameTheirVariablesAlike) {
  expectBodies({
      R"(  if (y >= ny)
    return;
  const int row = (x * ny + y) * nz;
  for (int z = 1; z < nz; ++z)
    u[row + z] += // becomes u.at(x, y, z) +=
        u[row + z - 1]; // becomes u.at(x, y, z - 1);
  for (int z = nz - 2; z >= 0; --z)
    u[row + z] -= // becomes u.at(x, y, z) -=
        u[row + z + 1]; // becomes u.at(x, y, z + 1);
)",
      R"(  if (y >= ny)
    return;
  const int row = (x * ny + y) * nz;
  for (int z = 1; z < nz; ++z) {
    const int zz = z;
    { const int z = 7; if (z > x) return; }
    u[row + zz - 1] = 0; // becomes u.at(x, y, z - 1) = 0
    {
      const int z = 5;
      u[row + zz - 1 + 0 * z] = 0; // stays
    }
  }
)",
      // The loop's z would be another one at the access.
      R"(  if (y >= ny)
    return;
  const int row = (x * ny + y) * nz;
  for (int z = 1; z < nz; ++z) {
    const int i = row + z - 1;
    { const int z = 5; u[i + 0 * z] = 0; } // stays
  }
)",
  });
}

TEST(Coordinates, WithoutProofTheSubscriptStays) {
  expectBodies({
      // Off by one, on both sides.
      R"(  for (int z = 0; z <= nz; ++z)
    if (y < ny)
      u[IDX(x, y, z)] = 0; // stays
)",
      R"(  for (int z = -1; z < nz; ++z)
    if (y < ny)
      u[IDX(x, y, z)] = 0; // stays
)",
      R"(  if (y > ny)
    return;
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      // Another variable, another extent, another branch.
      R"(  const int other = threadIdx.y;
  if (other >= ny)
    return;
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  if (y < nz)
    for (int z = 0; z < ny; ++z)
      u[IDX(x, y, z)] = 0; // stays
)",
      R"(  if (y < ny || x < nx)
    for (int z = 0; z < nz; ++z)
      u[IDX(x, y, z)] = 0; // stays
)",
      R"(  for (int z = 0; z < nz; ++z)
    if (y < ny)
      u[0] = 1;
    else
      u[IDX(x, y, z)] = 0; // stays
)",
      R"(  if (y >= ny)
    printf("outside");
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  for (int z = 0; z < nz; ++z) {
    u[IDX(x, y, z)] = 0; // stays
    if (y >= ny)
      return;
  }
)",
      // A value that changes between guard and access.
      R"(  if (y >= ny)
    return;
  ++y;
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  if (y >= ny)
    return;
  change(y);
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  int *alias = &y;
  if (y >= ny)
    return;
  *alias += 1;
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  int &alias = y;
  if (y >= ny)
    return;
  alias += 1;
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  auto next = [&] { ++y; };
  if (y >= ny)
    return;
  next();
  for (int z = 0; z < nz; ++z)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  if (y < ny)
    for (int z = 0; z < nz; ++z) {
      z += 1;
      u[IDX(x, y, z)] = 0; // stays
    }
)",
      R"(  int z = 0;
  for (z = 0; z < nz; ++z)
    ;
  if (y < ny)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  int z = 0;
  if (y < ny)
    while (z < nz)
      u[IDX(x, y, z++)] = 0; // stays
)",
      R"(  if (y < ny)
    for (int z = 0; z < nz; ++z) {
      const int i = IDX(x, y, z);
      u[i - 1] = 0; // stays
    }
)",
      R"(  volatile int z = threadIdx.z;
  if (y < ny && z < nz)
    u[IDX(x, y, z)] = 0; // stays
)",
      R"(  nz += 1;
  if (y < ny)
    for (int z = 0; z < nz; ++z)
      u[IDX(x, y, z)] = 0; // stays
)",
      // Ways around the guard.
      R"(  if (x == 7)
    goto access;
  if (y >= ny)
    return;
access:
  u[IDX(x, y, 0)] = 0; // stays
)",
      R"(  switch (x) {
  case 0:
    if (y >= ny)
      return;
  case 1:
    u[IDX(x, y, 0)] = 0; // stays
  }
)",
      R"(  switch (x) {
  case 0:
    if (y < ny) {
  default:
      u[IDX(x, y, 0)] = 0; // stays
    }
  }
)",
      // Arithmetic that wraps, values that are cut off.
      R"(  const int r = (blockIdx.x * blockDim.x + threadIdx.x) * 1664525u + 1013904223u;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // stays
)",
      R"(  const int r = blockIdx.x * blockDim.x + threadIdx.x + 1000000000u;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // stays
)",
      R"(  const int r = threadIdx.x * 40000u * threadIdx.x;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // stays
)",
      R"(  const int r = blockIdx.x * 100000u + threadIdx.x;
  if (y < ny)
    u[IDX(x, y, r % nz)] = 0; // stays
)",
      R"(  const unsigned row = threadIdx.y;
  if (row - 1u < ny)
    for (int z = 0; z < nz; ++z)
      u[size_t(row - 2u) * nz + z] = 0; // stays
)",
      R"(  const unsigned column = threadIdx.x, row = threadIdx.y;
  if (row < ny)
    u[(column * ny + row) * nz] = 0; // stays
)",
      R"(  const short row = y;
  if (y < ny)
    for (int z = 0; z < nz; ++z)
      u[IDX(x, row, z)] = 0; // stays
)",
      R"(  for (unsigned char z = 0; z < nz; ++z)
    if (y < ny)
      u[IDX(x, y, char(z))] = 0; // stays
)",
      R"(  for (unsigned z = nz - 1; z >= 0; --z)
    if (y < ny)
      u[IDX(x, y, int(z))] = 0; // stays
)",
      // The extents change places.
      R"(  for (int z = 0; z < nz; ++z)
    if (y < ny)
      u[(x * nz + z) * ny + y] = 0; // stays
)",
  });
}

/// One kernel with a guarded access, called `k`.
const char *const kGuarded = R"(__global__ void k(double *u, int ny, int nz) {
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 0; z < nz; ++z)
    if (y < ny)
      u[(x * ny + y) * nz + z] = 0; // MARK
}
)";

std::string marked(std::string text, const std::string &expectation) {
  return text.replace(text.find("MARK"), 4, expectation);
}

TEST(Coordinates, ExtentsAreThoseOfTheAllocation) {
  const std::string becomes = marked(kGuarded, "becomes u.at(x, y, z) = 0");
  const std::string stays = marked(kGuarded, "stays");
  expectAsMarked(rewritten(program(becomes, "  k<<<1, 1>>>(u, ny, nz);\n")));
  // At every launch, in their order, without changes on the way.
  expectAsMarked(rewritten(program(stays, "  k<<<1, 1>>>(u, nz, ny);\n")));
  expectAsMarked(rewritten(program(stays, "  k<<<1, 1>>>(u, ny, nz - 1);\n")));
  expectAsMarked(rewritten(program(stays, "  k<<<1, 1>>>(u, ny, nx);\n")));
  expectAsMarked(
      rewritten(program(stays, "  k<<<1, 1>>>(u, ny, nz);\n  k<<<1, 1>>>(u, ny, nx);\n")));
  expectAsMarked(rewritten(program(stays, "  k<<<1, 1>>>(u, ny, char(nz));\n")));
}

TEST(Coordinates, ExtentsAreFollowedThroughFunctions) {
  const std::string run = "void run(double *u, int m, int n) {\n  k<<<1, 1>>>(u, m, n);\n}\n";
  const std::string becomes = marked(kGuarded, "becomes u.at(x, y, z) = 0") + run;
  const std::string stays = marked(kGuarded, "stays") + run;
  expectAsMarked(rewritten(program(becomes, "  run(u, ny, nz);\n")));
  expectAsMarked(rewritten(program(stays, "  run(u, ny, nz);\n  run(u, nz, ny);\n")));
  expectAsMarked(rewritten(program(stays, "  int n = nz;\n  n += 1;\n  run(u, ny, n);\n")));
  expectAsMarked(rewritten(program(stays, "  int n = nz, *pointer = &n;\n  *pointer = 1;\n"
                                          "  run(u, ny, n);\n")));
}

TEST(Coordinates, InstancesOfTemplatesNameThemInTextOfTheirOwn) {
  const std::string text =
      rewritten(program("template <class T> __global__ void k(T *u, int ny, int nz) {\n"
                        "  const int x = blockIdx.x, y = threadIdx.x;\n"
                        "  if (y < ny)\n"
                        "    for (int z = 0; z < nz; ++z) {\n"
                        "      const int place = (x * ny + y) * nz + z;\n"
                        "      u[place] = 0;\n    }\n}\n",
                        "  k<<<1, 1>>>(u, ny, nz);\n"));
  EXPECT_THAT(text, testing::HasSubstr("u.at(x, y, z) = 0;"));
  EXPECT_THAT(text, testing::HasSubstr("u[place] = 0;")); // the template itself
}

/// The extent `n` is a variable of the host that changes, or has several lives.
std::string withExtent(const std::string &kernel, const std::string &main) {
  return "#include <cstdlib>\n" + kernel + main;
}

TEST(Coordinates, ExtentsDoNotChangeBetweenAllocationAndLaunch) {
  const auto main = [](const std::string &first, const std::string &second) {
    return "int main(int argc, char **argv) {\n  const int ny = 5;\n  int nz = 4;\n"
           "  if (argc > 1)\n    nz = std::atoi(argv[1]);\n  double *u;\n" +
           first + "  cudaMalloc(&u, 3 * ny * nz * sizeof(double));\n" + second +
           "  k<<<1, 1>>>(u, ny, nz);\n  cudaFree(u);\n}\n";
  };
  const std::string becomes = marked(kGuarded, "becomes u.at(x, y, z) = 0");
  const std::string stays = marked(kGuarded, "stays");
  expectAsMarked(rewritten(withExtent(becomes, main("", "")), "nz,-"));
  expectAsMarked(rewritten(withExtent(becomes, main("  ++nz;\n", "")), "nz,-"));
  expectAsMarked(rewritten(withExtent(stays, main("", "  ++nz;\n")), "nz,-"));
  expectAsMarked(rewritten(
      withExtent(stays, main("", "  auto grow = [&] { nz *= 2; };\n  grow();\n")), "nz,-"));
  expectAsMarked(rewritten(withExtent(stays, main("  int *n = &nz;\n", "  *n = 7;\n")), "nz,-"));
}

TEST(Coordinates, ArraysDoNotOutliveExtents) {
  const std::string becomes = marked(kGuarded, "becomes u.at(x, y, z) = 0");
  const std::string stays = marked(kGuarded, "stays");
  const auto step = [](const std::string &declared, const std::string &inside) {
    return declared + "void step(int nz) {\n  const int ny = 5;\n" + inside +
           "  cudaMalloc(&u, 3 * ny * nz * sizeof(double));\n  k<<<1, 1>>>(u, ny, nz);\n}\n";
  };
  const std::string main = "int main(int argc, char **argv) {\n  step(argc);\n  step(2);\n}\n";
  expectAsMarked(rewritten(becomes + step("", "  double *u;\n") + main, "nz,-", "step::u"));
  // Kept from one call to the next, whose extent is another.
  expectAsMarked(rewritten(stays + step("double *u;\n", "") + main, "nz,-", "u"));
  expectAsMarked(rewritten(stays + step("", "  static double *u;\n") + main, "nz,-", "step::u"));
}

/// A program whose kernel is `k` of kGuarded, both ways.
void expectCoordinates(bool areProved, const std::string &rest, const std::string &texts,
                       const std::string &array) {
  const std::string kernel = marked(kGuarded, areProved ? "becomes u.at(x, y, z) = 0" : "stays");
  SCOPED_TRACE(rest);
  expectAsMarked(rewritten("#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
                           "#include <memory>\n#include <vector>\n" +
                               kernel + rest,
                           texts, array));
}

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
}

} // namespace
} // namespace relayout::rewriter::test
