// SPDX-License-Identifier: Apache-2.0
// Which accesses are found, as what, and in which order they are numbered.
#include "program_text.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// A kernel over Particles with this body.
std::string kernel(const std::string &body) {
  return "struct Inner { float u, v; };\n"
         "struct Particle { float x; int id; float3 pos; float vel[3]; Inner in; Particle *next; "
         "};\n"
         "__device__ Particle fromDevice[8];\n"
         "__global__ void k(Particle *p, const Particle *c, float *f, int n) {\n"
         "  int i = threadIdx.x;\n" +
         body + "\n}\n";
}

TEST(Sites, KindsOfScalarAccess) {
  const ProgramText program(kernel("float a = /*read*/p[i].x;\n"
                                   "/*write*/p[i].x = a;\n"
                                   "/*compound*/p[i].x += a;\n"
                                   "++/*increment*/p[i].id;\n"
                                   "/*after*/p[i].id--;\n"
                                   "atomicAdd(/*atomic*/&p[i].id, 1);\n"
                                   "atomicAdd(/*element*/&p[i].vel[i], 1.0f);\n"
                                   "atomicAdd(/*sum*/p[i].vel + 1, 1.0f);\n"
                                   "f[0] = __ldg(&/*hinted*/c[i].x);\n"
                                   "/*nothing*/p[i].x;\n"));
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("read"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("write"), ElementsAre("write Particle.x 4"));
  EXPECT_THAT(at("compound"), ElementsAre("read Particle.x 4", "write Particle.x 4"));
  EXPECT_THAT(at("increment"), ElementsAre("read Particle.id 4", "write Particle.id 4"));
  EXPECT_THAT(at("after"), ElementsAre("read Particle.id 4", "write Particle.id 4"));
  EXPECT_THAT(at("atomic"), ElementsAre("atomic Particle.id 4"));
  EXPECT_THAT(at("element"), ElementsAre("atomic Particle.vel 4"));
  EXPECT_THAT(at("sum"), ElementsAre("atomic Particle.vel 4"));
  EXPECT_THAT(at("hinted"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("nothing"), IsEmpty());
  EXPECT_EQ(model.sites.sites.size(), 12u);
}

TEST(Sites, BitFieldsAreAccessedByTheirStorageUnits) {
  const ProgramText program(
      "struct Base { float x; unsigned tag : 8; };\n"
      "struct Cell : Base { unsigned short kind : 3, all : 13; float y; unsigned full : 32;\n"
      "  struct { signed char low : 4; };\n"
      "  __device__ int own() const { return /*own*/kind; } };\n"
      "__global__ void k(Cell *p, Cell *const *q) {\n"
      "  int i = threadIdx.x;\n"
      "  int a = /*read*/p[i].kind + /*arrow*/(p + i)->all + p[i].own();\n"
      "  /*write*/p[i].kind = a;\n"
      "  /*compound*/p[i].all += a;\n"
      "  ++/*increment*/p[i].kind;\n"
      "  /*full*/p[i].full = 1;\n"
      "  /*base*/p[i].tag = /*unnamed*/p[i].low;\n"
      "  Cell local = *p; local.kind = /*pointed*/q[i]->kind; }\n"
      "int main() { Cell *p, **q; cudaMalloc(&p, 64); cudaMalloc(&q, 64); k<<<1, 1>>>(p, q); }\n");
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("read"), ElementsAre("read Cell.kind_all 2"));
  EXPECT_THAT(at("arrow"), ElementsAre("read Cell.kind_all 2"));
  EXPECT_THAT(at("own"), ElementsAre("read Cell.kind_all 2"));
  EXPECT_THAT(at("write"), ElementsAre("read Cell.kind_all 2", "write Cell.kind_all 2"));
  EXPECT_THAT(at("compound"), ElementsAre("read Cell.kind_all 2", "write Cell.kind_all 2"));
  EXPECT_THAT(at("increment"), ElementsAre("read Cell.kind_all 2", "write Cell.kind_all 2"));
  EXPECT_THAT(at("full"), ElementsAre("write Cell.full 4"));
  EXPECT_THAT(at("base"), ElementsAre("read Cell.tag 4", "write Cell.tag 4"));
  EXPECT_THAT(at("unnamed"), ElementsAre("read Cell.low 1"));
  EXPECT_THAT(at("pointed"), ElementsAre("read Cell.kind_all 2"));
  EXPECT_THAT(codesAt(model, program.mark("pointed")), Not(Contains("RL-I02")));
}

TEST(Sites, BitFieldsAtOtherPlacesInOtherInstancesAreNotTraced) {
  const auto findingsOf = [](const std::string &other) {
    const ProgramText program("struct A { float x; unsigned kind : 4; };\n" + other +
                              "template <class T> __global__ void k(T *p) { /*set*/p->kind = 1;\n"
                              "  p[1] = p[0]; }\n"
                              "int main() { A *a; B *b; cudaMalloc(&a, 64); cudaMalloc(&b, 64);\n"
                              "  k<<<1, 1>>>(a); k<<<1, 1>>>(b); }\n");
    return codesAt(program.model(), program.mark("set"));
  };
  EXPECT_THAT(findingsOf("struct B { float y; unsigned kind : 9; };\n"),
              Not(Contains("RL-I07"))); // the same storage unit
  EXPECT_THAT(findingsOf("struct B { unsigned kind : 4; float y; };\n"), Contains("RL-I07"));
  EXPECT_THAT(findingsOf("struct B { float y; unsigned kind; };\n"), Contains("RL-I07"));
}

TEST(Sites, TemplatesMayDecideTheExtentOfAnArray) {
  const ProgramText program(
      "struct Sum { float x; int n; __device__ void keep(const Sum &o) { x = /*read*/o.x; } };\n"
      "template <int N> __global__ void k(Sum *out) {\n"
      "  __shared__ Sum part[N];\n"
      "  part[threadIdx.x].n = 0;\n"
      "  out->keep(part[0]);\n"
      "}\n"
      "int main() { Sum *d; cudaMalloc(&d, 64 * sizeof(Sum)); k<64><<<1, 64>>>(d); }\n");
  EXPECT_THAT(sitesAt(program.model().sites, program.mark("read")), ElementsAre("read Sum.x 4"));
}

TEST(Sites, HelpersThatAreGivenFieldsAccessThem) {
  const ProgramText program(
      "struct Inner { float u, v; };\n"
      "struct Body { Inner a, b; float at[3]; int hits; };\n"
      "__device__ void third(Inner &to) { /*reference*/to.u = 1; }\n"
      "__device__ void second(Inner *to) { /*passed*/to->v = 2; third(*to); }\n"
      "__device__ void first(Inner *to, const Inner *from) { second(to); /*read*/from->u; }\n"
      "__device__ float sum(const float *of) { return /*element*/of[0] + of[1]; }\n"
      "__device__ void count(int *hits) { atomicAdd(/*atomic*/hits, 1); }\n"
      "__device__ void own(float *x) { /*local*/x[0] = 1; }\n"
      "__device__ void plain(float *x) { /*plain*/x[0] = 1; }\n"
      "__global__ void k(Body *p, float *f, int n) {\n"
      "  int i = threadIdx.x; float mine[3];\n"
      "  first(&p[i].b, &p[i].a);\n"
      "  third(/*bound*/p[i].a);\n"
      "  const float *kept = p[i].at;\n"
      "  mine[0] = sum(kept); count(&p[i].hits); own(mine); plain(f); plain(/*both*/p[i].at);\n"
      "}\n"
      "int main() { float *f; Body *p; cudaMalloc(&f, 8); cudaMalloc(&p, 8); k<<<1, 1>>>(p, f, 1); "
      "}");
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("passed"), ElementsAre("write Body.b 4"));
  EXPECT_THAT(at("element"), ElementsAre("read Body.at 4"));
  EXPECT_THAT(at("atomic"), ElementsAre("atomic Body.hits 4"));
  EXPECT_THAT(at("reference"), ElementsAre("write Body.a 4")); // the first call of it in the text
  EXPECT_THAT(at("local"), IsEmpty());
  EXPECT_THAT(at("plain"), IsEmpty()); // given an array of its own as well
  std::vector<std::string> codes;
  for (const Diagnostic &finding : model.findings)
    codes.push_back(codeName(finding.code));
  EXPECT_THAT(codes, ElementsAre("RL-I01", "RL-I01")); // of `kept`, and of what `plain` is given
}

TEST(Sites, CopiesOfRecordsByMemcpy) {
  const ProgramText program(kernel("Particle own;\n"
                                   "memcpy(&/*write*/p[i], &/*read*/c[n], sizeof(Particle));\n"
                                   "memcpy(&own, &/*out*/c[i], sizeof own);\n"
                                   "memcpy(&/*part*/p[i], &own, 4);\n"));
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("write"), ElementsAre("write Particle 48"));
  EXPECT_THAT(at("read"), ElementsAre("read Particle 48"));
  EXPECT_THAT(at("out"), ElementsAre("read Particle 48"));
  EXPECT_THAT(at("part"), IsEmpty());
}

/// Accesses to memory without records, each at its mark.
const char *const kPlain = "__shared__ float tile[64]; float own[4]; float4 *q = (float4 *)f;\n"
                           "tile[i] = /*read*/f[i]; own[i & 3] = tile[i];\n"
                           "/*write*/f[i] = own[0];\n"
                           "/*compound*/f[i] += limit;\n"
                           "atomicAdd(/*atomic*/&f[i], 1.0f);\n"
                           "atomicAdd(/*pointer*/f, 1.0f);\n"
                           "atomicAdd(/*sum*/f + i, 1.0f);\n"
                           "f[1] = __ldg(&/*hinted*/f[i]) + fmaxf(/*star*/*f, 1.0f);\n"
                           "float4 whole = /*vector*/q[i]; f[2] = whole.x + /*part*/q[i].y;\n"
                           "f[3] = /*variable*/onDevice[i] + onHostToo;\n"
                           "volatile float *flag = f; while (/*flag*/*flag > 0) {}\n"
                           "/*record*/p[i].x = 1;\n";

TEST(Sites, MemoryWithoutRecordsOnRequest) {
  ProgramText program("__constant__ float limit; __device__ float onDevice[8];\n"
                      "const int onHostToo = 3;\n" +
                      kernel(kPlain));
  const ProgramModel records = program.model();
  EXPECT_EQ(records.sites.sites.size(), 1u);
  program.command.allAccesses = true;
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("read"), ElementsAre("read - 4"));
  EXPECT_THAT(at("write"), ElementsAre("write - 4"));
  EXPECT_THAT(at("compound"), ElementsAre("read - 4", "write - 4"));
  EXPECT_THAT(at("atomic"), ElementsAre("atomic - 4"));
  EXPECT_THAT(at("pointer"), ElementsAre("atomic - 4"));
  EXPECT_THAT(at("sum"), ElementsAre("atomic - 4"));
  EXPECT_THAT(at("hinted"), ElementsAre("read - 4"));
  EXPECT_THAT(at("star"), ElementsAre("read - 4"));
  EXPECT_THAT(at("vector"), ElementsAre("read - 16"));
  EXPECT_THAT(at("part"), ElementsAre("read - 4"));
  EXPECT_THAT(at("variable"), ElementsAre("read - 4"));
  EXPECT_THAT(at("flag"), IsEmpty()) << "what is volatile may be waited for";
  EXPECT_THAT(at("record"), ElementsAre("write Particle.x 4"));
  EXPECT_EQ(model.sites.sites.size(), 12u + 4u) << "f[1], f[2], f[3], and the record";
  EXPECT_EQ(model.sites.groups.size(), records.sites.groups.size());
}

TEST(Sites, AreTheSameWithoutADescriptionOfTheCode) {
  const ProgramText program(kernel("for (int k = 0; k < n; ++k) p[i].x += c[i].vel[k] * 2;"));
  const ProgramModel described = program.model();
  const auto brief = buildProgramModel(program.program(), CodeDetail::LeftOut);
  ASSERT_TRUE(brief.has_value());
  EXPECT_EQ(brief->sites.sites.size(), described.sites.sites.size());
  EXPECT_EQ(brief->sites.reaches.size(), described.sites.reaches.size());
  EXPECT_EQ(brief->sites.groups.size(), described.sites.groups.size());
  EXPECT_EQ(brief->sites.loops.size(), 1u);
  EXPECT_THAT(brief->sites.outlines, IsEmpty());
  EXPECT_FALSE(described.sites.outlines.empty());
}

TEST(Sites, MemoryWithoutRecordsAloneIsNothingToTrace) {
  ProgramText program("__global__ void k(float *f) { f[threadIdx.x] = 1; }\n");
  program.command.allAccesses = true;
  const auto model = buildProgramModel(program.command);
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, Code::NoRecordArray);
}

TEST(Sites, ChainsEndAtTheRecordThatIsAnArrayElement) {
  const ProgramText program(kernel("float a = /*vector*/p[i].pos.y + /*array*/p[i].vel[2];\n"
                                   "a += /*nested*/p[i].in.v;\n"
                                   "a += /*star*/(*p).x;\n"
                                   "a += /*arrow*/(p + i)->x;\n"
                                   "a += /*link*/p[i].next->x;\n"
                                   "Particle *e = &p[i]; Particle &r = *e;\n"
                                   "a += /*pointer*/e->x + /*reference*/r.x;\n"
                                   "a += /*device*/fromDevice[i].x;\n"
                                   "auto &[x, id, pos, vel, in, next] = p[i];\n"
                                   "f[i] = a + /*binding*/x;\n"));
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("vector"), ElementsAre("read Particle.pos 4"));
  EXPECT_THAT(at("array"), ElementsAre("read Particle.vel 4"));
  EXPECT_THAT(at("nested"), ElementsAre("read Particle.in 4"));
  EXPECT_THAT(at("star"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("arrow"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("link"), ElementsAre("read Particle.next 8", "read Particle.x 4"));
  EXPECT_THAT(at("pointer"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("reference"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("device"), ElementsAre("read Particle.x 4"));
  EXPECT_THAT(at("binding"), ElementsAre("read Particle.x 4"));
}

TEST(Sites, WholeRecordsAreOneAccess) {
  const ProgramText program(
      "struct Particle { float x, y; };\n"
      "struct Pair { Particle a; int n; };\n"
      "__device__ float take(Particle byValue) { return byValue.x; }\n"
      "__device__ Particle give(const Particle *p) { return /*returned*/*p; }\n"
      "__global__ void k(Particle *p, int i) {\n"
      "  Particle q = /*copied*/p[i];\n"
      "  /*stored*/p[0] = q;\n"
      "  /*to*/p[1] = /*from*/p[2];\n"
      "  take(/*passed*/p[3]);\n"
      "  Pair pair = {/*member*/p[4], 1};\n"
      "  /*assigned*/p[5] = give(p);\n"
      "  Particle &r = /*bound*/p[6];\n"
      "  p[7] = i ? /*either*/p[8] : /*or*/p[9];\n"
      "  p[10] = static_cast<Particle &&>(pair.a);\n"
      "}\n");
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  for (const char *mark : {"returned", "copied", "from", "passed", "member", "either", "or"})
    EXPECT_THAT(at(mark), ElementsAre("read Particle 8")) << mark;
  for (const char *mark : {"stored", "to", "assigned"})
    EXPECT_THAT(at(mark), ElementsAre("write Particle 8")) << mark;
  EXPECT_THAT(at("bound"), IsEmpty());
}

TEST(Sites, ElementsThatFunctionsReturnByReference) {
  const ProgramText program(
      "struct Pixel { float r, g; };\n"
      "struct Image {\n"
      "  Pixel *pixels;\n"
      "  __device__ Pixel &at(int i) { return pixels[i]; }\n"
      "};\n"
      "__device__ Pixel &operator*(const Image &image) { return image.pixels[0]; }\n"
      "__global__ void k(Image *image, int i) {\n"
      "  /*stored*/image->at(i) = Pixel{1, 2};\n"
      "  Pixel copy = /*read*/image->at(i + 1);\n"
      "  /*field*/image->at(i).r = copy.g;\n"
      "  Pixel other = /*operator*/*(*image);\n"
      "}\n");
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("stored"), ElementsAre("write Pixel 8"));
  EXPECT_THAT(at("read"), ElementsAre("read Pixel 8"));
  EXPECT_THAT(at("field"), ElementsAre("write Pixel.r 4"));
  EXPECT_THAT(at("operator"), ElementsAre("read Pixel 8"));
}

TEST(Sites, WhatIsNotInGlobalMemoryOrNotEvaluatedIsLeftOut) {
  const ProgramText program(
      kernel("__shared__ Particle s[2][32]; Particle local[4]; Particle one;\n"
             "s[1][i].x = local[i & 3].x + one.x; one.x = 1; (&one)->id = 3;\n"
             "f[0] = sizeof(p[i].x) + sizeof p[i];\n"
             "decltype(p[i].x) y = 2; f[1] = y + noexcept(p[i].x);\n"
             "f[2] = /*only*/p[i].x;\n"));
  const ProgramModel model = program.model();
  EXPECT_EQ(model.sites.sites.size(), 1u);
  EXPECT_THAT(sitesAt(model.sites, program.mark("only")), ElementsAre("read Particle.x 4"));
}

TEST(Sites, IdsFollowTheOrderOfEvaluation) {
  const ProgramText program(kernel("/*5*/p[i].x = /*3*/p[i].vel[/*2*/p[0].id] + /*4*/p[i].in.u;\n"
                                   "/*6*/for (int j = /*7*/p[1].id; j < /*8*/p[2].id;\n"
                                   "          j += /*10*/p[3].id)\n"
                                   "  f[j] = /*9*/p[j].x;\n"
                                   "/*1*/;\n"));
  const trace::SiteTable table = program.model().sites;
  const auto idAt = [&](const char *mark) {
    for (const trace::Site &site : table.sites)
      if (site.place == program.mark(mark))
        return site.id;
    return 0u;
  };
  // 1 and 6 mark no site.
  std::vector<std::uint32_t> ids;
  for (const char *mark : {"2", "3", "4", "5", "7", "8", "9", "10"})
    ids.push_back(idAt(mark));
  ASSERT_EQ(table.loops.size(), 1u);
  EXPECT_EQ(table.loops[0].place, program.mark("6"));
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 4, 6, 7, 8, 9));
  EXPECT_EQ(table.loops[0].id, 5u);
}

TEST(Sites, TemplatesCountOncePerPlaceInTheSource) {
  const ProgramText program(
      "struct Particle { float x; int n; };\n"
      "template <int B> __global__ void k(Particle *p) {\n"
      "  if constexpr (B > 1) { /*b*/p[B].n = 1; }\n"
      "  /*c*/p[B].x = 1;\n"
      "  if constexpr (B < 2) { /*d*/p[B].n = 2; }\n"
      "}\n"
      "template <class T> struct View { T *p; __device__ float at(int i) { return /*m*/p[i].x; } "
      "};\n"
      "__global__ void viewed(View<Particle> v, float *out) { out[0] = v.at(3); }\n"
      "int main() { k<1><<<1, 1>>>(nullptr); k<2><<<1, 1>>>(nullptr); }\n");
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("b"), ElementsAre("write Particle.n 4"));
  EXPECT_THAT(at("c"), ElementsAre("write Particle.x 4"));
  EXPECT_THAT(at("d"), ElementsAre("write Particle.n 4"));
  EXPECT_THAT(at("m"), testing::Contains("read Particle.x 4"));
  std::vector<unsigned> lines;
  for (const trace::Site &site : model.sites.sites)
    if (site.function == "k")
      lines.push_back(site.place.line);
  EXPECT_THAT(lines, ElementsAre(3, 4, 5));
}

// The CUDA C++ Programming Guide's atomicAdd() for double, and its relatives.
TEST(Sites, PointersCastToANumberOfTheSameSizeLeadToTheArray) {
  ProgramText program(
      "struct Cell { double sum; float most; int n; };\n"
      "__device__ double add(double *address, double value) {\n"
      "  unsigned long long *bits = (unsigned long long *)address;\n"
      "  unsigned long long old = /*first*/*bits, assumed;\n"
      "  do {\n"
      "    assumed = old;\n"
      "    old = atomicCAS(/*passed*/bits, assumed,\n"
      "                    __double_as_longlong(value + __longlong_as_double(assumed)));\n"
      "  } while (assumed != old);\n"
      "  return __longlong_as_double(old);\n"
      "}\n"
      "__global__ void k(Cell *cells, float *most, int i) {\n"
      "  add(&cells[i].sum, 1);\n"
      "  int seen = /*whole*/*(int *)&cells[i].most;\n"
      "  atomicMax((int *)/*field*/&cells[i].most, seen);\n"
      "  unsigned *kept = (unsigned *)&cells[i].n;\n"
      "  /*kept*/*kept ^= 3;\n"
      "  atomicMax(/*number*/(int *)&most[i], seen);\n"
      "}\n"
      "int main() {\n  Cell *cells; float *most;\n  cudaMalloc(&cells, 9 * sizeof(Cell));\n"
      "  cudaMalloc(&most, 9 * sizeof(float));\n  k<<<1, 1>>>(cells, most, 3);\n}\n");
  program.command.plainArrays = true;
  const ProgramModel model = program.model();
  const auto onLine = [&](const char *mark) {
    std::vector<std::string> found;
    for (const trace::Site &site : model.sites.sites)
      if (site.place.line == program.mark(mark).line)
        found.push_back(sitesAt(model.sites, site.place).front());
    return found;
  };
  EXPECT_THAT(onLine("first"), ElementsAre("read Cell.sum 8"));
  EXPECT_THAT(onLine("passed"), ElementsAre("atomic Cell.sum 8"));
  EXPECT_THAT(onLine("whole"), ElementsAre("read Cell.most 4"));
  EXPECT_THAT(onLine("field"), ElementsAre("atomic Cell.most 4"));
  EXPECT_THAT(onLine("kept"), testing::Contains("read Cell.n 4"));
  EXPECT_THAT(onLine("number"), ElementsAre("atomic float.value 4"));
  for (const Diagnostic &finding : model.findings)
    EXPECT_NE(finding.code, Code::PointerConverted) << finding.text;
}

TEST(Sites, LocalPointersToFieldsLeadToTheArray) {
  const ProgramText program(kernel("float *x = &p[i].x;\n"
                                   "/*pointee*/*x = 1;\n"
                                   "float *v = p[i].vel;\n"
                                   "/*element*/v[n] += 1;\n"
                                   "const Inner *in = &c[i].in;\n"
                                   "float a = /*member*/in->u;\n"
                                   "float *other = p[i].vel;\n"
                                   "other = f;\n"
                                   "/*changed*/other[1] = a;\n"));
  const ProgramModel model = program.model();
  const auto at = [&](const char *mark) { return sitesAt(model.sites, program.mark(mark)); };
  EXPECT_THAT(at("pointee"), ElementsAre("write Particle.x 4"));
  EXPECT_THAT(at("element"), ElementsAre("read Particle.vel 4", "write Particle.vel 4"));
  EXPECT_THAT(at("member"), ElementsAre("read Particle.in 4"));
  EXPECT_THAT(at("changed"), IsEmpty());
}

TEST(Sites, FieldsOfBasesCountForTheArraysRecord) {
  const ProgramText program("struct Base { double t; };\n"
                            "struct Particle : Base { float x; };\n"
                            "__global__ void k(Particle *p) { /*t*/p[0].t = /*x*/p[1].x; }\n");
  const ProgramModel model = program.model();
  EXPECT_THAT(sitesAt(model.sites, program.mark("t")), ElementsAre("write Particle.t 8"));
  const trace::Record &record = model.sites.records.at(0);
  ASSERT_EQ(record.fields.size(), 2u);
  EXPECT_EQ(record.fields[0].name, "t");
  EXPECT_EQ(record.fields[1].offset, 8u);
}

} // namespace
} // namespace relayout::instrument
