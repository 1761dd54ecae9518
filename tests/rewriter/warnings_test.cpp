// SPDX-License-Identifier: Apache-2.0
// What the rewriter warns of and rewrites nevertheless: text that it did not read, or that changes
// by its edits in another way than the program's meaning.
#include "support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

/// The warnings of a rewrite, one a line: its line, code and text.
std::string warningsOf(const std::string &source, const std::string &plan = "R soa") {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", source);
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const Result<Rewrite> result = rewrite(program, planFor(program, plan));
  fs::remove_all(scratch);
  if (!result)
    return render(toDiagnostic(result.error()));
  std::string warnings;
  for (const Diagnostic &finding : result->findings) {
    EXPECT_EQ(finding.severity, Severity::Warning) << render(finding);
    warnings += std::to_string(finding.where.line) + " " + codeName(finding.code) + " " +
                finding.text + "\n";
  }
  EXPECT_FALSE(result->refused());
  return warnings;
}

constexpr const char *kOrdered = "float:main::u aligned 0 order 8 1,0";

const std::string kProgram = R"(struct R { float x, y; };
__device__ int table;
__global__ void k(R *p) {
  p[0].x = 1;
  TEXT
}
int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
)";

std::string programWith(const std::string &text, const std::string &before = {}) {
  std::string program = kProgram;
  return before + program.replace(program.find("TEXT"), 4, text);
}

TEST(Warnings, NameAnInactiveBranchThatMentionsTheRecord) {
  EXPECT_EQ(warningsOf(programWith("\n#ifdef SLOW\n  R own = p[1];\n#endif\n")),
            "6 RL-I13 a branch that this build leaves out mentions 'R' and is not rewritten\n");
}

TEST(Warnings, NameTheUseOfBytesThatArePadding) {
  const auto program = [](const char *member, const char *use) {
    return "#include <cstdio>\n#include <cstring>\n#include <fstream>\nstruct R { float x; " +
           std::string(member) +
           " y; };\nint sum(const unsigned char *bytes, int n) { return n ? *bytes : 0; }\n"
           "void upload(void *d, const void *h, std::size_t n) { cudaMemcpy(d, h, n, "
           "cudaMemcpyHostToDevice); }\n"
           "__global__ void k(R *p) { p[0].x = 1; }\n"
           "int main() {\n  R *p, a[4] = {}, b[4] = {};\n  cudaMalloc(&p, sizeof(a));\n"
           "  k<<<1, 1>>>(p);\n  " +
           use + "\n}\n";
  };
  const std::string compared = "return std::memcmp(a, &b[0], sizeof(a));";
  EXPECT_EQ(warningsOf(program("char", compared.c_str())),
            "12 RL-R17 'memcmp' compares the padding of 'R', which arrays in device memory do not "
            "keep\n");
  EXPECT_EQ(warningsOf(program("float", compared.c_str())), "");
  for (const auto &[function, use] :
       {std::pair{"fwrite", "std::fwrite(a, sizeof(R), 4, stdout);"},
        {"write", "std::ofstream(\"f\").write(reinterpret_cast<const char *>(a), sizeof a);"},
        {"sum", "return sum((const unsigned char *)b, sizeof b);"}})
    EXPECT_EQ(warningsOf(program("char", use)),
              fmt::format("12 RL-R17 '{}' is given the padding of 'R', which arrays in device "
                          "memory do not keep\n",
                          function));
  EXPECT_EQ(warningsOf(program("char", "std::memcpy(a, b, sizeof a); upload(p, a, sizeof a);")),
            "");
}

TEST(Warnings, NameTheSizeOfAStructThatGrowsWhereItIsUsed) {
  const auto program = [](const char *use) {
    return "#include <cstdio>\nstruct R { float x, y; };\nstruct S { R *p; int n; };\n"
           "template <int N> struct Of { static constexpr int value = N; };  "
           "__global__ void k(R *p) { p[0].x = 1; }\n"
           "int main() {\n  S s;\n  cudaMalloc(&s.p, 8);\n  k<<<1, 1>>>(s.p);\n  " +
           std::string(use) + "\n}\n";
  };
  EXPECT_EQ(warningsOf(program("printf(\"%zu\", 2 * sizeof(S));")),
            "9 RL-R18 'S' holds a pointer that becomes a view, and its size is printed\n");
  EXPECT_EQ(warningsOf(program("for (int i = 0; i < int(128 / sizeof(s)); ++i) putchar('.');")),
            "9 RL-R18 'S' holds a pointer that becomes a view, and its size is divided by\n");
  EXPECT_EQ(warningsOf(program("enum { kEach = 240 / sizeof(S) }; return kEach;")),
            "9 RL-R18 'S' holds a pointer that becomes a view, and its size is divided by\n");
  EXPECT_EQ(warningsOf(program("return int(__builtin_offsetof(S, n));")),
            "9 RL-R18 'S' holds a pointer that becomes a view, and the offset of a member is "
            "used\n");
  for (const char *use :
       {"char raw[sizeof(S)]; return sizeof raw;", "std::size_t n = sizeof s; return n;",
        "struct H { std::size_t size = sizeof(S); } h; return h.size;",
        "return Of<sizeof(S)>::value;"})
    EXPECT_EQ(warningsOf(program(use)), "9 RL-R18 'S' holds a pointer that becomes a view, and its "
                                        "size is used as a number\n");
  for (const char *use :
       {"const std::size_t n = 2 * sizeof(S); S *d; cudaMalloc(&d, n);",
        "S *all = (S *)malloc(sizeof(S)); free(all);", "printf(\"%zu\", sizeof(R) + sizeof s.n);"})
    EXPECT_EQ(warningsOf(program(use)), "");
  EXPECT_EQ(warningsOf(program("S all[3]; return int(sizeof(all) / sizeof(all[0]));")), "");
}

TEST(Warnings, NameALocalInAnInactiveBranchOfItsFunction) {
  EXPECT_EQ(warningsOf(programWith("\n#ifdef SLOW\n  p[1].x = 2;\n#endif\n")),
            "6 RL-I13 a branch that this build leaves out mentions 'p' and is not rewritten\n");
  EXPECT_THAT(warningsOf(programWith({}, "int other(int p) {\n#ifdef SLOW\n  p += 1;\n#endif\n"
                                         "  return p;\n}\n")),
              IsEmpty());
}

TEST(Warnings, NameAnArrayOfNumbersAndNotItsType) {
  const auto program = [](const std::string &text) {
    return "__global__ void k(float *u) {\n  u[0] = 1;\n#ifdef SLOW\n" + text +
           "#endif\n}\nint main() {\n  float *u;\n  cudaMalloc(&u, 64 * sizeof(float));\n"
           "  k<<<1, 1>>>(u);\n}\n";
  };
  EXPECT_THAT(warningsOf(program("  float total = 0;\n"), kOrdered), IsEmpty());
  EXPECT_EQ(warningsOf(program("  float last = u[2];\n"), kOrdered),
            "3 RL-I13 a branch that this build leaves out mentions 'u' and is not rewritten\n");
}

TEST(Warnings, AreNotOfInactiveBranchesThatMentionNothing) {
  EXPECT_THAT(warningsOf(programWith("\n#if 0\n  // R is not meant\n  int i = 3;\n#endif\n")),
              IsEmpty());
}

TEST(Warnings, AreNotOfBranchesThatTheDevicesViewReads) {
  EXPECT_THAT(
      warningsOf(programWith("\n#ifdef __CUDA_ARCH__\n  const R own = p[1];\n  p[2] = own;\n"
                             "#endif\n")),
      IsEmpty());
}

TEST(Warnings, NameAMacroThatMakesAStringOfAnEditedArgument) {
  EXPECT_THAT(warningsOf(programWith("CHECK(p[1].x > 0);",
                                     "#define CHECK(c) (c) ? 0 : printf(\"%s\", #c)\n")),
              HasSubstr("6 RL-R02 'CHECK' makes a string of its argument, and the argument changes "
                        "with 'R'"));
}

TEST(Warnings, AreNotOfMacrosThatOnlyUseTheirArguments) {
  EXPECT_THAT(warningsOf(programWith("KEEP(p[1].x);", "#define KEEP(c) (void)(c)\n")), IsEmpty());
}

} // namespace
} // namespace relayout::rewriter::test
