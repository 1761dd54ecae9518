// SPDX-License-Identifier: Apache-2.0
// What the compiler model makes of the facts that are read: which accesses are in one straight-line
// region, and how many registers a kernel takes.
#include "program_text.h"

#include "relayout/analysis/compiler_model/program_code.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char *kLinked = "struct P { float x, y, z; int next; };\n";

using analysis::codeOf;

/// The region of each site, in order, as numbers from 1 in order of appearance; 0 is unchanged.
std::vector<int> regionsOf(const trace::SiteTable &table) {
  std::map<std::uint32_t, int> known{{0, 0}};
  std::vector<int> regions;
  for (const std::uint32_t region : codeOf(table).regions)
    regions.push_back(known.try_emplace(region, static_cast<int>(known.size())).first->second);
  return regions;
}

std::vector<int> regionsOf(const std::string &body) {
  const ProgramText program(kLinked + body);
  return regionsOf(program.model().sites);
}

TEST(StraightLine, BranchesThatReadMemoryEndIt) {
  EXPECT_THAT(regionsOf("__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].x;\n"
                        "  if (p[i].next >= 0)\n"
                        "    s += p[i + 1].x;\n"
                        "  p[i].y = s; }\n"),
              ElementsAre(1, 1, 2, 3));
}

TEST(StraightLine, SmallChoicesDoNotEndIt) {
  EXPECT_THAT(regionsOf("__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].x;\n"
                        "  if (s < 0) s = -s;\n"
                        "  s = s > 1 ? 1 : s;\n"
                        "  p[i].y = s * p[i].z; }\n"),
              ElementsAre(1, 1, 1));
}

TEST(StraightLine, ExactDivisionsAndRootsEndIt) {
  EXPECT_THAT(regionsOf("__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].x / p[i].y;\n"
                        "  float h = p[i].z / 2.0f;\n" // a multiplication
                        "  float t = p[i + 1].x;\n"
                        "  t = sqrtf(t);\n"
                        "  p[i].z = s + h + t; }\n"),
              ElementsAre(1, 1, 2, 2, 3));
}

/// Those of these values that end straight-line code between accesses.
std::vector<std::string> ending(const std::vector<std::string> &flags,
                                const std::vector<std::string> &values) {
  std::string kernels = "struct P { float x, y, z; }; struct D { double x, y, z; };\n";
  for (std::size_t i = 0; i < values.size(); ++i) // a line each
    kernels += "__global__ void k" + std::to_string(i) +
               "(P *p, D *d, int i) { float a = p[i].x, b = p[i].y; double c = d[i].x, e = d[i].y; "
               "double s = " +
               values[i] + "; p[i].z = s; d[i].z = s; }\n";
  ProgramText program(kernels);
  program.command.flags = flags;
  std::map<unsigned, std::set<std::uint32_t>> regions; // by line
  const trace::SiteTable table = program.model().sites;
  const analysis::ProgramCode code = codeOf(table);
  for (std::size_t i = 0; i < table.sites.size(); ++i)
    regions[table.sites[i].place.line].insert(code.regions[i]);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const std::size_t count = regions[static_cast<unsigned>(i) + 2].size(); count != 1)
      found.push_back(values[i] + (count == 2 ? "" : " ?"));
  return found;
}

TEST(StraightLine, ApproximationsDoNotEndIt) {
  const std::vector<std::string> values{"a / b",    "(b /= a)",  "a / 3.0f",     "fdividef(a, b)",
                                        "sqrtf(a)", "sqrt(a)",   "hypotf(a, b)", "sinf(a)",
                                        "cos(a)",   "powf(a, b)"};
  EXPECT_EQ(ending({}, values), values);
  EXPECT_THAT(ending({"-use_fast_math"}, values), IsEmpty());
  EXPECT_THAT(
      ending({"-prec-div=false"}, values),
      ElementsAre("sqrtf(a)", "sqrt(a)", "hypotf(a, b)", "sinf(a)", "cos(a)", "powf(a, b)"));
  EXPECT_THAT(ending({"-prec-sqrt=false"}, values),
              ElementsAre("a / b", "(b /= a)", "a / 3.0f", "fdividef(a, b)", "sinf(a)", "cos(a)",
                          "powf(a, b)"));
}

TEST(StraightLine, WhatStaysExactEndsItWhateverTheFlags) {
  const std::vector<std::string> values{"c / e",  "(b /= c)", "c / a",        "sqrt(c)",
                                        "sin(c)", "exp(c)",   "atan2f(a, b)", "__fdiv_rn(a, b)"};
  EXPECT_EQ(ending({"--use_fast_math"}, values), values);
}

TEST(StraightLine, ArithmeticWithoutBranchesDoesNotEndIt) {
  EXPECT_THAT(ending({}, {"a / 4.0f", "expf(a)", "logf(a)", "rsqrtf(a)", "a * (1.0f / 3.0f)",
                          "a * sinf(0.3f)", "__fdividef(a, b)", "__sinf(a)"}),
              IsEmpty());
}

TEST(StraightLine, FunctionsWithoutBranchesArePartOfTheirCallers) {
  EXPECT_THAT(regionsOf("__device__ float plain(const P *p, int i) { return p[i].x; }\n"
                        "__device__ float tested(const P *p, int i) {\n"
                        "  if (p[i].next < 0) return 0;\n"
                        "  return p[i].y; }\n"
                        "__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].z + plain(p, i);\n"
                        "  s += p[i + 1].z;\n"
                        "  s += tested(p, i);\n"
                        "  p[i].x = s; }\n"),
              ElementsAre(0, 1, 2, 3, 3, 4));
}

TEST(StraightLine, ChoicesMadeByTheCompilerAreNoBranches) {
  EXPECT_THAT(regionsOf("constexpr int kStore = 2;\n"
                        "__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].x;\n"
                        "  if (kStore == 2) s += p[i].y; else s += p[i].z;\n"
                        "  s += kStore == 2 ? p[i + 1].x : p[i + 1].y;\n"
                        "  s += kStore == 2 && p[i + 1].next;\n"
                        "  s += kStore == 1 || p[i + 1].next;\n"
                        "  if (sizeof(P) > 16 && p[i].next) s += p[i].next;\n"
                        "  do { s += p[i].z; } while (0);\n"
                        "  p[i].y = s; }\n"),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(StraightLine, DeadCodeEndsNoRegion) {
  EXPECT_THAT(regionsOf("__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].x;\n"
                        "  if (0) { if (p[i].next) s = 1 / p[i].y; s += p[i].z; }\n"
                        "  s += false ? sqrtf(p[i].y) : p[i].z;\n"
                        "  if (false && p[i].next) s += p[i].y;\n"
                        "  p[i].y = s; }\n"),
              ElementsAre(1, 1, 2, 3, 1, 1, 1, 1, 1));
}

TEST(StraightLine, TemplatesChooseInEachInstantiation) {
  const std::string kernel = "template <bool kNext> __global__ void k(P *p, int i) {\n"
                             "  float s = p[i].x;\n"
                             "  if (kNext) s += p[i].y;\n"
                             "  if (kNext || p[i].next) s += p[i].z;\n"
                             "  p[i].y = s; }\n";
  EXPECT_THAT(regionsOf(kernel + "template __global__ void k<true>(P *, int);\n"),
              ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(regionsOf(kernel + "template __global__ void k<false>(P *, int);\n"),
              ElementsAre(1, 1, 1, 2, 3));
}

TEST(StraightLine, WhatIsJumpedIntoRuns) {
  EXPECT_THAT(regionsOf("__global__ void k(P *p, int i) {\n"
                        "  float s = p[i].x;\n"
                        "  if (p[i].next) goto inside;\n"
                        "  if (0) { inside: s += p[i].y; }\n"
                        "  p[i].z = s; }\n"),
              ElementsAre(1, 1, 2, 3));
}

TEST(StraightLine, LoopsKnowHowManyIterationsAreScheduledTogether) {
  const ProgramText program(std::string(kLinked) +
                            "__global__ void k(P *p, int n) {\n"
                            "  float s = 0;\n"
                            "  for (int i = 0; i < 3; ++i) s += p[i].x;\n"
                            "  for (int i = 0; i < n; ++i) s += p[i].x;\n"
                            "  for (int i = 0; i < n; ++i) if (p[i].next > 0) s += p[i].y;\n"
                            "#pragma unroll 8\n"
                            "  for (int i = 0; i < n; ++i) s += p[i].z;\n"
                            "#pragma unroll\n"
                            "  for (int i = 0; i < n; ++i) s += p[i].z;\n"
                            "  p[0].y = s; }\n");
  const trace::SiteTable table = program.model().sites;
  std::vector<std::pair<unsigned, bool>> loops;
  for (const analysis::LoopCode &loop : codeOf(table).loops)
    loops.emplace_back(loop.unrolled, loop.isUnrolledWhole);
  EXPECT_THAT(loops, ElementsAre(std::pair(3u, true), std::pair(4u, false), std::pair(1u, false),
                                 std::pair(8u, false), std::pair(4u, false)));
  // The first loop is part of what is around it.
  EXPECT_EQ(regionsOf(table), (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(StraightLine, TripCountsFollowFromConstants) {
  const std::vector<std::pair<std::string, unsigned>> loops{
      {"int i = 0; i < 3; ++i", 3},
      {"int i = 1; i <= 3; i++", 3},
      {"int i = -1; i <= 1; ++i", 3},
      {"int i = 5; i >= 0; --i", 6},
      {"int i = 0; i != 6; i += 3", 2},
      {"int i = 0; i < 7; i += 3", 3},
      {"int i = 7; i > 0; i -= 3", 3},
      {"int i = 16; i > 0; i /= 2", 5},
      {"int i = 16; i > 1; i >>= 1", 4},
      {"int i = 1; i < 16; i *= 2", 4},
      {"unsigned i = 1; 4 * 4 > i; i <<= 1", 0},
      {"int i = n; i < 4; ++i", 0},
      {"int i = 0; i < 4; i += n", 0}};
  std::string body;
  for (const auto &[loop, turns] : loops)
    body += "  for (" + loop + ") s += p[i].x;\n";
  const ProgramText program(std::string(kLinked) +
                            "__global__ void k(P *p, int n) {\n  float s = 0;\n" + body +
                            "  p[0].y = s; }\n");
  const trace::SiteTable table = program.model().sites;
  ASSERT_EQ(table.loops.size(), loops.size());
  const analysis::ProgramCode code = codeOf(table);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto &[loop, turns] = loops[i];
    EXPECT_EQ(code.loops[i].isUnrolledWhole, turns != 0) << loop;
    EXPECT_EQ(code.loops[i].unrolled, turns != 0 ? turns : 4) << loop;
  }
}

TEST(StraightLine, RegistersFollowFromWhatIsInScope) {
  const ProgramText program(std::string(kLinked) +
                            "__global__ void few(P *p) { p[0].x = 1; }\n"
                            "__global__ void many(P *p, const double *w) {\n"
                            "  const int kFixed = 3;\n" // no register
                            "  double a = w[0], b = w[1], c = w[2], d = w[3];\n"
                            "  { float gone[64]; gone[0] = 1; }\n" // memory
                            "  { double e = a * b; float f = 2; p[0].x = e + f + kFixed; }\n"
                            "  { float g = c; p[0].y = g + d; } }\n");
  const trace::SiteTable table = program.model().sites;
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_EQ(codeOf(table).kernels[0].registers, 10u + 2);
  EXPECT_EQ(codeOf(table).kernels[1].registers, 10u + 2 * 2 + 4 * 2 + 3);
}

TEST(StraightLine, WhatNeverRunsTakesNoRegistersAndNoInstructions) {
  const auto kernelOf = [](const std::string &body) {
    const ProgramText program(std::string(kLinked) +
                              "__device__ float far(const double *w) {\n"
                              "  double a = w[0], b = w[1], c = w[2], d = w[3];\n"
                              "  return pow(a, b) + pow(c, d); }\n"
                              "__global__ void k(P *p, const double *w) {\n" +
                              body + "}\n");
    return codeOf(program.model().sites).kernels.at(0);
  };
  const analysis::KernelCode plain = kernelOf("p[0].x = p[1].x;");
  const analysis::KernelCode used = kernelOf("p[0].x = p[1].x; p[0].y = far(w);");
  EXPECT_GT(used.registers, plain.registers);
  EXPECT_GT(used.arithmetic.instructions, plain.arithmetic.instructions);
  for (const char *never :
       {"p[0].x = p[1].x; if (0) p[0].y = far(w);", "p[0].x = 0 ? far(w) : p[1].x;",
        "p[0].x = p[1].x; if constexpr (false) { p[0].y = far(w); }",
        "p[0].x = p[1].x; if (false && far(w) > 0) { double d = w[0]; p[0].y = d; }"}) {
    const analysis::KernelCode kernel = kernelOf(never);
    EXPECT_EQ(kernel.registers, plain.registers) << never;
    EXPECT_EQ(kernel.arithmetic.instructions, plain.arithmetic.instructions) << never;
  }
}

} // namespace
} // namespace relayout::instrument
