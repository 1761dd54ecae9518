// SPDX-License-Identifier: Apache-2.0
// Which subscripts become coordinates: those of which each is proved to be inside its extent. The
// expectation stands beside each access.
#include "coordinates_support.h"

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
TEST(Coordinates, NumbersOfThreadsAreAtLeastWhatIsAdded) {
  expectBodies({
      R"(  const int inner = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (inner >= ny)
    return;
  for (int z = 0; z < nz; ++z) {
    u[(x * ny + inner - 1) * nz + z] = 0; // becomes u.at(x, inner - 1, z) = 0
    u[(x * ny + inner - 2) * nz + z] = 0; // stays
  }
)",
  });
}

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

} // namespace
} // namespace relayout::rewriter::test
