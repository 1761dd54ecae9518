// SPDX-License-Identifier: Apache-2.0
// Accesses, loops, launches and whole kernels inside macros are in the model, and the lowered text.
#include "program_text.h"

#include "relayout/instrument/lowering.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string loweredText(const ProgramText &program) {
  auto lowered = lowerForHost(program.command, Probes::Trace);
  if (!lowered)
    return render(toDiagnostic(lowered.error()));
  const std::string &text = lowered->sources.files.front().text;
  return text.substr(0, text.find("\nnamespace {\nconst ::relayout::probe::Registration"));
}

TEST(Macros, AnArgumentUsedTwiceIsTwoSites) {
  const ProgramText program("#define SQUARE(x) ((x) * (x))\n"
                            "struct P { float a, b; };\n"
                            "__global__ void k(P *p) { p[0].b = /*m*/SQUARE(p[1].a); }\n");
  const ProgramModel model = program.model();
  EXPECT_THAT(sitesAt(model.sites, program.mark("m")), ElementsAre("read P.a 4", "read P.a 4"));
  EXPECT_THAT(loweredText(program), HasSubstr("(((::relayout::probe::read(1u, p[1].a))) * "
                                              "((::relayout::probe::read(2u, p[1].a))))"));
}

/// Read again, the name would be the macro's, with one argument more.
TEST(Macros, OneMayNameTheFunctionThatItIsFor) {
  const ProgramText program("__device__ float check(float value, int line) { return value; }\n"
                            "#define check(value) check(value, 7)\n"
                            "struct P { float a; };\n"
                            "__global__ void k(P *p) { p[0].a = check(p[1].a); }\n");
  EXPECT_THAT(loweredText(program),
              HasSubstr("(check)((::relayout::probe::read(1u, p[1].a)), 7);"));
}

TEST(Macros, FieldLoopAndKernelMayAllComeFromOne) {
  const ProgramText program("#define FIELD(p, i, name) (p)[i].name\n"
                            "#define EACH(i, n) for (int i = 0; i < n; ++i)\n"
                            "#define KERNEL(name, field) __global__ void name(P *p, int n) { "
                            "EACH(i, n) FIELD(p, i, field) "
                            "= 1; }\n"
                            "struct P { float a, b; };\n"
                            "/*ka*/KERNEL(setA, a)\n"
                            "/*kb*/KERNEL(setB, b)\n");
  const ProgramModel model = program.model();
  EXPECT_THAT(sitesAt(model.sites, program.mark("ka")), ElementsAre("write P.a 4"));
  EXPECT_THAT(sitesAt(model.sites, program.mark("kb")), ElementsAre("write P.b 4"));
  ASSERT_EQ(model.sites.kernels.size(), 2u);
  EXPECT_EQ(model.sites.kernels[1].name, "setB");
  EXPECT_EQ(model.sites.loops.size(), 2u);
  EXPECT_THAT(loweredText(program),
              HasSubstr("__global__ void setB(P *p, int n) { for "
                        "(::relayout::probe::LoopScope relayoutLoop3(3u); relayoutLoop3.once();) "
                        "for (int i = 0; (relayoutLoop3.next(), i < n); ++i) "
                        "(::relayout::probe::write(4u, (p)[i].b)) = 1; }"));
}

TEST(Macros, ALaunchInAMacroIsALaunch) {
  const ProgramText program("#define LAUNCH(k, n, ...) k<<<(n + 31) / 32, 32>>>(__VA_ARGS__)\n"
                            "struct P { float a; };\n"
                            "__global__ void k(P *p, int n) { p[threadIdx.x].a = n; }\n"
                            "int main() { P *p = nullptr; /*l*/LAUNCH(k, 100, p, 4); }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.launches.size(), 1u);
  EXPECT_EQ(model.launches[0].kernel, 0u);
  EXPECT_EQ(model.launches[0].function, "main");
  EXPECT_EQ(model.launches[0].place, program.mark("l"));
  EXPECT_THAT(loweredText(program), HasSubstr("::relayout::host::LaunchShape((100 + 31) / 32, 32), "
                                              "::relayout::host::Kernel<&::k>(), p, 4);"));
}

TEST(Macros, ACheckedCallKeepsItsTextForTheMessage) {
  const ProgramText program(
      "#include <cstdio>\n#include <cstdlib>\n"
      "#define CHECK(c) do { if ((c) != cudaSuccess) { std::puts(#c); std::exit(1); } } while (0)\n"
      "struct P { float a; double b; };\n"
      "__global__ void k(P *p) { p[threadIdx.x].a = 1; }\n"
      "int main() { P h[4]; P *d; CHECK(cudaMalloc(&d, 64));\n"
      "  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)); }\n");
  const std::string text = loweredText(program);
  EXPECT_THAT(text, HasSubstr("\"cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)\""));
  EXPECT_THAT(text, HasSubstr(":7\", 16u, {{4u, 4u}}), cudaMemcpy(h, d, sizeof h, "
                              "cudaMemcpyDeviceToHost))"));
  EXPECT_THAT(text, HasSubstr("\"cudaMalloc(&d, 64)\""));
}

} // namespace
} // namespace relayout::instrument
