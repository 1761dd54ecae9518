// SPDX-License-Identifier: Apache-2.0
// What cannot be traced is said, at its place; and which programs are no input at all.
#include "program_text.h"

#include "relayout/instrument/lowering.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string withKernel(const std::string &body) {
  return "struct __attribute__((packed)) Tight { char c; float f; };\n"
         "struct P { float x; int n; unsigned bits : 4; float v[3]; float3 w; };\n"
         "__device__ void use(float *q, float &r, const float &c) { *q = r + c; }\n"
         "__global__ void k(P *p, Tight *t, float *out) {\n" +
         body + "\nout[0] = p[0].x; }\n";
}

TEST(Findings, EveryAccessThatIsNotTracedIsReported) {
  const ProgramText program(withKernel("float *q = &/*address*/p[1].x;\n"
                                       "float *d = /*decay*/p[1].v;\n"
                                       "auto &[x, n, bits, v, w1] = p[1];\n"
                                       "int b = /*bits*/bits;\n"
                                       "float f = /*packed*/t[1].f;\n"
                                       "auto *other = /*cast*/(float4 *)p;\n"
                                       "float3 &w = /*reference*/p[1].w;\n"
                                       "float P::*m = &P::x; out[2] = p[1]/*member*/.*m;\n"
                                       "/*label*/again: if (out[1] < 0) goto again;\n"));
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return codesAt(model, program.mark(mark)); };
  // A finding is at the member's name or the operator, on the mark's line.
  const auto onLine = [&](const char *mark) {
    std::vector<std::string> codes;
    for (const Diagnostic &finding : model.findings)
      if (finding.where.line == program.mark(mark).line)
        codes.push_back(codeName(finding.code));
    return codes;
  };
  EXPECT_THAT(onLine("address"), ElementsAre("RL-I01"));
  EXPECT_THAT(onLine("decay"), ElementsAre("RL-I01"));
  EXPECT_THAT(onLine("bits"), ElementsAre("RL-I02"));
  EXPECT_THAT(onLine("packed"), ElementsAre("RL-I03"));
  EXPECT_THAT(onLine("cast"), ElementsAre("RL-I05"));
  EXPECT_THAT(onLine("reference"), ElementsAre("RL-I04"));
  EXPECT_THAT(at("member"), ElementsAre("RL-I07"));
  EXPECT_THAT(at("label"), ElementsAre("RL-I08"));
}

TEST(Findings, InlineAssemblyIsReported) {
  const ProgramText program(withKernel("/*assembly*/asm(\"membar.gl;\");"));
  EXPECT_THAT(codesAt(program.model(), program.mark("assembly")), ElementsAre("RL-I06"));
}

TEST(Findings, APlaceThatServesTwoRecordsIsReported) {
  const ProgramText program(
      "struct P { float x; };\nstruct Q { float x; };\n"
      "template <class T> __device__ void clear(T *t) { t[0]./*shared*/x = 0; }\n"
      "__global__ void k(P *p, Q *q) { clear(p); clear(q); }\n");
  EXPECT_THAT(codesAt(program.model(), program.mark("shared")), ElementsAre("RL-I09"));
}

TEST(Findings, ReferencesToFieldsCountWhereTheyAreBound) {
  const ProgramText program(withKernel("use(out, /*mutable*/p[1].x,\n /*const*/p[2].x);"));
  const ProgramModel model = program.model();
  EXPECT_THAT(sitesAt(model.sites, program.mark("mutable")),
              ElementsAre("read P.x 4", "write P.x 4"));
  EXPECT_THAT(sitesAt(model.sites, program.mark("const")), ElementsAre("read P.x 4"));
}

TEST(Findings, RecordsPassedToLibraryCodeAreCountedOrNamed) {
  const ProgramText program(
      "#include <algorithm>\n#include <utility>\n"
      "struct P { float x; };\n"
      "__device__ bool operator<(const P &a, const P &b) { return a.x < b.x; }\n"
      "__global__ void k(P *p) {\n"
      "  std::swap(/*left*/p[0],\n /*right*/p[1]);\n"
      "  std::fill(/*array*/p, p + 4, P{1}); }\n");
  const ProgramModel model = program.model();
  for (const char *mark : {"left", "right"})
    EXPECT_THAT(sitesAt(model.sites, program.mark(mark)), ElementsAre("read P 4", "write P 4"));
  EXPECT_THAT(codesAt(model, program.mark("array")), Contains("RL-I14"));
}

TEST(Findings, APureVirtualFunctionIsInNoOtherUnit) {
  const ProgramText program("struct P { float x; };\n"
                            "struct Shape { __device__ virtual float at(int i) const = 0; };\n"
                            "__global__ void k(P *p, Shape *s) { p[0].x = s->/*call*/at(1); }\n");
  EXPECT_THAT(codesAt(program.model(), program.mark("call")), ElementsAre("RL-I14"));
}

TEST(Findings, SidewaysIntoALoopIsApproximate) {
  const ProgramText program(withKernel("switch (p[0].n) { case 0: /*loop*/do { out[1] = p[1].x;\n"
                                       "case 1: out[2] = p[2].x; } while (out[3] > 0); }"));
  const ProgramModel model = program.model();
  EXPECT_THAT(codesAt(model, program.mark("loop")), ElementsAre("RL-I08"));
  EXPECT_THAT(model.sites.loops, IsEmpty());
}

TEST(Findings, TemplatesNobodyInstantiatesAreNamed) {
  const ProgramText program(
      "template <class T> __global__ void /*t*/never(T *p) { p[0].x = 1; }\n" + withKernel(""));
  EXPECT_THAT(codesAt(program.model(), program.mark("t")), ElementsAre("RL-I11"));
}

TEST(Findings, CodeForTheDeviceAloneIsNamed) {
  const ProgramText program(
      "struct P { float x; };\n"
      "__global__ void /*k*/k(P *p) {\n"
      "#ifdef __CUDA_ARCH__\n  p[1].x = 1;\n#else\n  p[2].x = 2;\n#endif\n}\n");
  const ProgramModel model = program.model();
  EXPECT_THAT(codesAt(model, program.mark("k")), ElementsAre("RL-I10"));
  // Both versions are in the model, each once.
  ASSERT_EQ(model.sites.sites.size(), 2u);
  EXPECT_EQ(model.sites.reaches.size(), 2u);
}

/// A function for both sides that calls one for the device alone where `condition` holds.
std::string callingTheDevice(const std::string &condition) {
  return "struct P { float x; };\n"
         "__host__ __device__ float /*f*/f(float a) {\n" +
         condition +
         "  return __fdividef(a, 2.0f);\n#else\n  return a / 2.0f;\n#endif\n}\n"
         "__global__ void k(P *p) { p[1].x = f(p[1].x); }\n"
         "float onHost() { return f(1.0f); }\n";
}

TEST(Findings, CodeForTheDeviceAloneMayCallTheDevice) {
  const ProgramText right(callingTheDevice("#ifdef __CUDA_ARCH__\n"));
  EXPECT_THAT(codesAt(right.model(), right.mark("f")), ElementsAre("RL-I10"));

  const ProgramText wrong(callingTheDevice("#ifndef __CUDA_ARCH__\n"));
  const auto refused = buildProgramModel(wrong.program());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::DoesNotParse);
}

TEST(Findings, SkippedCodeThatMentionsTheRecordIsNamed) {
  const ProgramText program("struct P { float x; };\n#ifdef NOT_DEFINED\n__device__ void f(P *p);\n"
                            "#endif\n#if 0\nint PP;\n#endif\n"
                            "__global__ void k(P *p) { p[1].x = 1; }\n");
  int found = 0;
  for (const Diagnostic &finding : program.model().findings)
    if (finding.code == Code::InactiveCode) {
      ++found;
      EXPECT_EQ(finding.where.line, 2u);
    }
  EXPECT_EQ(found, 1);
}

std::string errorOf(const ProgramText &program) {
  const auto model = buildProgramModel(program.command);
  return model ? "" : codeName(model.error().code);
}

TEST(Refusals, EachKindOfBadInputHasItsCode) {
  ProgramText missing("");
  missing.command.file += ".gone";
  EXPECT_EQ(errorOf(missing), "RL-C01");
  EXPECT_EQ(errorOf(ProgramText("int main( { }\n")), "RL-C02");
  EXPECT_EQ(errorOf(ProgramText("int main() { }\n")), "RL-C03");
  EXPECT_EQ(errorOf(ProgramText("__global__ void k(float *p) { p[0] = 1; }\n")), "RL-C04");
  const ProgramText byAddress("struct P { float x; };\n"
                              "__device__ float *kept;\n"
                              "__global__ void k(P *p) { kept = &p[0]./*address*/x; }\n");
  EXPECT_EQ(errorOf(byAddress), "RL-C04");
  const auto error = lowerForHost(byAddress.command, Probes::Trace).error();
  ASSERT_EQ(error.notes.size(), 3u);
  EXPECT_THAT(error.notes[0].text, testing::StartsWith("'kept' (float): "));
  EXPECT_THAT(error.notes[1].text, testing::StartsWith("'k::p' (P): no kernel accesses"));
  EXPECT_EQ(error.notes[2].where, byAddress.mark("address"));
  EXPECT_THAT(error.notes[2].text, testing::HasSubstr("address of field 'x' is kept"));
  const ProgramText inVariable("struct Arrays { float *numbers; };\n"
                               "__constant__ Arrays arrays;\n"
                               "__global__ void k() { arrays.numbers[threadIdx.x] = 1; }\n");
  const auto ofVariable = lowerForHost(inVariable.command, Probes::Trace);
  ASSERT_FALSE(ofVariable.has_value());
  ASSERT_EQ(ofVariable.error().notes.size(), 1u);
  EXPECT_THAT(ofVariable.error().notes[0].text,
              testing::HasSubstr("'Arrays::numbers' (float): its elements are no records"));
  const auto inConstant =
      lowerForHost(ProgramText("struct P { int x; };\n"
                               "extern __constant__ P table[8];\n"
                               "__constant__ P table[8];\n"
                               "__global__ void k(int *out) { out[0] = table[1].x; }\n")
                       .command,
                   Probes::Trace)
          .error();
  EXPECT_EQ(codeName(inConstant.code), "RL-C04");
  EXPECT_THAT(inConstant.notes, testing::Contains(testing::Field(
                                    &Note::text, testing::HasSubstr("'table' (P): it lies in "
                                                                    "__constant__ memory"))));
  EXPECT_EQ(errorOf(ProgramText("__global__ void k() { cudaNoSuchThing(); }\n")), "RL-C05");
}

TEST(Refusals, TemplatesThatNothingUsesMayHaveFaults) {
  const ProgramText program(
      "template <class T> struct Pair {\n"
      "  T first;\n"
      "  T sum() const { return first + this->second(); }\n"
      "};\n"
      "struct P { float x, y; };\n"
      "__global__ void k(P *p) { Pair<float> pair{1}; p[0].x = pair.first; }\n"
      "int main() { P *p; cudaMalloc(&p, 8); k<<<1, 1>>>(p); }\n");
  EXPECT_EQ(errorOf(program), "");
  EXPECT_FALSE(parseFailure(program.command, UnusedTemplates::MayHaveFaults));
  const auto failure = parseFailure(program.command, UnusedTemplates::AreRight);
  ASSERT_TRUE(failure); // as a rewritten unit is asked to be
  EXPECT_EQ(failure->where.line, 3u);
  const auto lowered = lowerForHost(program.command, Probes::Trace);
  ASSERT_TRUE(lowered);
  EXPECT_THAT(lowered->units.front().flags, testing::Contains("-fdelayed-template-parsing"));
}

// Clang holds two such types to be different wherever each is written.
TEST(Refusals, PointersToRowsOfVariableLengthMayStartWithACast) {
  const std::string rows = "  int (*rows)[n] = (int (*)[n])memory;\n";
  const auto text = [](const std::string &body) {
    return "struct P { float x, y; };\n"
           "__global__ void k(P *p) { p[0].x = 1; }\n"
           "int sum(int n, int m, int *memory) {\n" +
           body +
           "  return rows[1][n - 1];\n}\n"
           "int main() { P *p; cudaMalloc(&p, 8); k<<<1, 1>>>(p); return sum(1, 1, 0); }\n";
  };
  const ProgramText program(text(rows));
  EXPECT_EQ(errorOf(program), "");
  const auto lowered = lowerForHost(program.command, Probes::Trace);
  ASSERT_TRUE(lowered);
  EXPECT_THAT(lowered->sources.files.front().text,
              testing::HasSubstr("int (*rows)[n] = (decltype(rows)) (int (*)[n])memory;"));
  EXPECT_EQ(errorOf(ProgramText(text("  int (*rows)[n] = memory;\n"))), "RL-C02");
}

TEST(Refusals, ArraysOfVectorsAreToldWhatTheyMayHold) {
  const ProgramText program("__global__ void k(float2 *p) { p[0].x = 1; }\n"
                            "struct Buffer { void *bytes; };\n"
                            "int main() {\n  Buffer b;\n  cudaMalloc(&b.bytes, 8);\n"
                            "  k<<<1, 1>>>((float2 *)b.bytes);\n"
                            "  int *others = (int *)b.bytes;\n}\n");
  const auto error = lowerForHost(program.command, Probes::Trace).error();
  EXPECT_EQ(error.code, Code::NoRecordArray);
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_THAT(error.notes[0].text,
              testing::StartsWith("'k::p' (float2): it may hold a cast from 'void *' ("));
  EXPECT_THAT(error.notes[0].text, testing::EndsWith(":6)"));
}

TEST(Refusals, ParseErrorsHaveClangsMessageAndPlace) {
  const ProgramText program("__global__ void k() { int a = /*here*/nothing; }\n");
  const auto model = buildProgramModel(program.command);
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().where, program.mark("here"));
  ASSERT_EQ(model.error().notes.size(), 1u);
  EXPECT_THAT(model.error().notes[0].text, HasSubstr("use of undeclared identifier 'nothing'"));
}

TEST(Lowering, ProbesOfLongFunctionsAreCalls) {
  std::string body;
  for (int i = 0; i < 160; ++i)
    body += "  p->x = 1;\n";
  const auto flagsOf = [](const std::string &text) {
    const ProgramText program(
        "struct P { float x; };\n__global__ void k(P *p) {\n" + text +
        "}\nint main() { P *p; cudaMalloc(&p, sizeof(P)); k<<<1, 1>>>(p); }\n");
    const auto lowered = lowerForHost(program.command, Probes::Trace);
    return lowered ? lowered->units.front().flags : std::vector<std::string>{"not lowered"};
  };
  EXPECT_THAT(flagsOf(body), Contains("-DRELAYOUT_PROBES_APART"));
  EXPECT_THAT(flagsOf("p->x = 1;"),
              Not(AnyOf(Contains("-DRELAYOUT_PROBES_APART"), Contains("not lowered"))));
}

TEST(Refusals, WhatTheExecutorCannotRunIsNamedWithItsPlace) {
  const ProgramText assembly(
      "__global__ void k(float *f) { /*a*/asm(\"wgmma.fence.sync.aligned;\"); }\n");
  const auto lowered = lowerForHost(assembly.command, Probes::None);
  ASSERT_FALSE(lowered.has_value());
  EXPECT_EQ(lowered.error().code, Code::NotOnCpuExecutor);
  EXPECT_EQ(lowered.error().where, assembly.mark("a"));
  EXPECT_THAT(lowered.error().text, HasSubstr("the inline PTX 'wgmma."));

  const ProgramText nested(
      "struct P { float x; };\n"
      "__global__ void inner(P *p) { p->x = 1; }\n"
      "__global__ void outer(P *p) {\n"
      "  cudaStream_t own;\n"
      "  if (cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) != cudaSuccess) return;\n"
      "  /*l*/inner<<<1, 32, 0, own>>>(p);\n"
      "  cudaStreamDestroy(own);\n}\n");
  EXPECT_EQ(nested.model().sites.sites.size(), 1u) << "static commands read it";
  EXPECT_TRUE(lowerForHost(nested.command, Probes::None).has_value());
}

TEST(Refusals, AProgramWithoutRecordsStillLowersUntraced) {
  const ProgramText program("__global__ void k(float *p) { p[0] = 1; }\n"
                            "int main() { k<<<1, 1>>>(nullptr); }\n");
  EXPECT_TRUE(lowerForHost(program.command, Probes::None).has_value());
  const auto traced = lowerForHost(program.command, Probes::Trace);
  ASSERT_FALSE(traced.has_value());
  EXPECT_EQ(traced.error().code, Code::NoRecordArray);
}

} // namespace
} // namespace relayout::instrument
