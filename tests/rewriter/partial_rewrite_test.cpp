// SPDX-License-Identifier: Apache-2.0
// A plan of several decisions: refused groups are not rewritten, the others are.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Two arrays of Good, of which one goes where it cannot be followed, and one of Bad.
const char *const kProgram = R"(struct Good { float x, y; };
struct Bad { float a; mutable unsigned b; };
__global__ void move(Good *good, Bad *bad) {
  good[threadIdx.x].x = bad[0].a;
}
__global__ void view(Good *seen) { seen[0].y = ((float4 *)seen)[1].x; }
int main() {
  Good *good, *other;
  Bad *bad;
  cudaMalloc(&good, 64 * sizeof(Good));
  cudaMalloc(&other, 64 * sizeof(Good));
  cudaMalloc(&bad, 64 * sizeof(Bad));
  move<<<1, 64>>>(good, bad);
  view<<<1, 64>>>(other);
})";

TEST(PartialRewrite, SkipsRefusedGroups) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", kProgram);
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const analysis::Plan plan = planFor(program, "Good soa\nBad soa");
  ASSERT_EQ(plan.decisions.size(), 3u);
  const Result<Rewrite> whole = rewrite(program, plan);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->refused());

  const Result<Rewrite> result = rewritePartially(program, plan);
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->refused());
  std::vector<std::string> codes;
  for (const Diagnostic &finding : result->findings) {
    EXPECT_EQ(finding.severity, Severity::Warning) << render(finding);
    codes.push_back(codeName(finding.code));
  }
  EXPECT_THAT(codes, testing::UnorderedElementsAre("RL-R01", "RL-R05"));
  const std::string &text = result->sources.files.front().text;
  EXPECT_THAT(text, HasSubstr("void move(GoodView good, Bad *bad)"));
  EXPECT_THAT(text, HasSubstr("void view(Good *seen)"));
  EXPECT_THAT(text, HasSubstr("goodMalloc(&good, "));
  EXPECT_THAT(text, HasSubstr("cudaMalloc(&other, "));
  fs::remove_all(scratch);
}

TEST(PartialRewrite, TellsVariablesOfOneNameApart) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", R"(struct Body { float x, y; };
__global__ void step(Body *bodies) { bodies[threadIdx.x].x += bodies[threadIdx.x].y; }
int main() {
  {
    Body *bodies; // the first
    cudaMalloc(&bodies, 64 * sizeof(Body));
    cudaFree(bodies);
  }
  {
    Body *bodies; // the second
    cudaMalloc(&bodies, 64 * sizeof(Body));
    cudaFree(bodies);
  }
  {
    Body *bodies; // the third
    cudaMalloc(&bodies, 64 * sizeof(Body));
    step<<<1, 64>>>(bodies);
    cudaFree(bodies);
  }
})");
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  analysis::Plan plan = planFor(program, "Body soa");
  ASSERT_EQ(plan.decisions.size(), 3u); // step's comes first
  plan.decisions[0].keep = plan.decisions[1].keep = true;
  const Result<Rewrite> second = rewrite(program, plan);
  ASSERT_TRUE(second) << second.error().text;
  ASSERT_FALSE(second->refused()) << render(second->findings.front());
  EXPECT_THAT(second->sources.files.front().text, HasSubstr("BodyView bodies; // the second"));
  EXPECT_THAT(second->sources.files.front().text, HasSubstr("Body *bodies; // the first"));
  EXPECT_THAT(second->sources.files.front().text, HasSubstr("Body *bodies; // the third"));
  plan.decisions[0].keep = false;
  plan.decisions[2].keep = true;
  const Result<Rewrite> third = rewrite(program, plan);
  ASSERT_TRUE(third) << third.error().text;
  ASSERT_FALSE(third->refused()) << render(third->findings.front());
  EXPECT_THAT(third->sources.files.front().text, HasSubstr("Body *bodies; // the second"));
  EXPECT_THAT(third->sources.files.front().text, HasSubstr("BodyView bodies; // the third"));
  fs::remove_all(scratch);
}

// Each unit has a kernel for itself.
TEST(PartialRewrite, TellsStaticKernelsOfOneNameApart) {
  const fs::path scratch = scratchFolder();
  const auto unit = [](const std::string &function) {
    return R"(struct Body { float x, y; };
static __global__ void step(Body *bodies) { bodies[threadIdx.x].x += bodies[threadIdx.x].y; }
static void run() {
  Body *bodies;
  cudaMalloc(&bodies, 64 * sizeof(Body));
  step<<<1, 64>>>(bodies);
  cudaFree(bodies);
}
)" + function +
           " { run(); }\n";
  };
  writeText(scratch / "a.cu", unit("void other(); int main()"));
  writeText(scratch / "b.cu", unit("void other()"));
  const instrument::ParsedProgram program = programOf({scratch / "a.cu", scratch / "b.cu"});
  for (const bool isFirst : {true, false}) {
    analysis::Plan plan = planFor(program, "Body soa");
    ASSERT_EQ(plan.decisions.size(), 2u);
    plan.decisions[isFirst ? 1 : 0].keep = true;
    const Result<Rewrite> result = rewrite(program, plan);
    ASSERT_TRUE(result) << result.error().text;
    ASSERT_FALSE(result->refused()) << render(result->findings.front());
    for (const instrument::SourceText &file : result->sources.files)
      if (file.relativePath.ends_with(".cu"))
        EXPECT_THAT(file.text, HasSubstr(file.relativePath == (isFirst ? "a.cu" : "b.cu")
                                             ? "step(BodyView bodies)"
                                             : "step(Body *bodies)"))
            << file.relativePath;
  }
  fs::remove_all(scratch);
}

TEST(PartialRewrite, ChangesOneOfTwoGroupsThatOnlyChangeAlone) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", R"(struct Particle { double x, vx; };
struct Bin { Particle *first[4]; int count; };
__global__ void sort(Particle *particles, Bin *bins) {
  const int own = atomicAdd(&bins[threadIdx.x / 4].count, 1);
  bins[threadIdx.x / 4].first[own] = particles + threadIdx.x;
}
__global__ void move(Bin *bins) {
  Particle *p = bins[threadIdx.x].first[0];
  p->x += p->vx;
}
int main() {
  Particle *particles;
  Bin *bins;
  cudaMalloc(&particles, 64 * sizeof(Particle));
  cudaMalloc(&bins, 16 * sizeof(Bin));
  cudaMemset(bins, 0, 16 * sizeof(Bin));
  sort<<<1, 64>>>(particles, bins);
  move<<<1, 16>>>(bins);
})");
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const analysis::Plan plan = planFor(program, "Particle soa\nBin soa");
  const Result<Rewrite> whole = rewrite(program, plan);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->refused());
  const Result<Rewrite> result = rewritePartially(program, plan);
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->refused()) << render(result->findings.front());
  ASSERT_EQ(result->findings.size(), 1u);
  EXPECT_EQ(codeName(result->findings.front().code), "RL-R10");
  EXPECT_EQ(result->findings.front().severity, Severity::Warning);
  const std::string &text = result->sources.files.front().text;
  EXPECT_THAT(text, HasSubstr("struct Bin { ParticleView first[4]; int count; };"));
  EXPECT_THAT(text, HasSubstr("void move(Bin *bins)"));
  fs::remove_all(scratch);
}

TEST(PartialRewrite, KeepsOneTypeForStructsWhoseArraysKeepTheirLayout) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", R"(struct R { float x, y; };
struct S { float a, b; };
struct Changed { R *records; };
struct Kept { S *records; };
__global__ void k(Changed changed, Kept kept) { changed.records[0].x = kept.records[0].a; }
int main() {
  Changed changed, changedThere;
  Kept kept, keptThere;
  changed.records = new R[64];
  kept.records = new S[64];
  cudaMalloc(&changedThere.records, 64 * sizeof(R));
  cudaMalloc(&keptThere.records, 64 * sizeof(S));
  k<<<1, 1>>>(changedThere, keptThere);
})");
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const Result<Rewrite> result = rewritePartially(program, planFor(program, "R soa"));
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->refused()) << render(result->findings.front());
  const std::string &text = result->sources.files.front().text;
  EXPECT_THAT(text, HasSubstr("ChangedDevice changedThere;"));
  EXPECT_THAT(text, HasSubstr("Kept kept, keptThere;"));
  EXPECT_THAT(text, Not(HasSubstr("KeptDevice")));
  EXPECT_EQ(result->sources.files.front().original, readText(scratch / "input.cu"));
  fs::remove_all(scratch);
}

TEST(PartialRewrite, AnArrayInSharedMemoryStandsInNoOtherArraysWay) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", R"(struct R { float x, y; };
__global__ void k(R *r) {
  __shared__ R held[32];
  r[threadIdx.x].x = (held[threadIdx.x] = r[0]).y;
}
int main() {
  R *r;
  cudaMalloc(&r, 32 * sizeof(R));
  k<<<1, 32>>>(r);
})");
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const analysis::Plan plan = planFor(program, "R soa");
  ASSERT_EQ(plan.decisions.size(), 2u);
  const Result<Rewrite> result = rewrite(program, plan);
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->refused()) << render(result->findings.front());
  ASSERT_FALSE(result->findings.empty());
  EXPECT_EQ(result->findings.front().severity, Severity::Warning);
  const std::string &text = result->sources.files.front().text;
  EXPECT_THAT(text, HasSubstr("__global__ void k(RView r)"));
  EXPECT_THAT(text, HasSubstr("__shared__ R held[32];"));
  for (const analysis::Decision &decision : result->applied.decisions)
    EXPECT_EQ(decision.keep, decision.arrays.front() == "k::held") << decision.arrays.front();
  fs::remove_all(scratch);
}

TEST(PartialRewrite, SaysWhyAThrustVectorStaysWhereAnotherDoesNot) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", R"(#include <thrust/device_vector.h>
#include <thrust/sort.h>
struct R { float x, y; };
struct S { float x, y; };
struct ByX { __host__ __device__ bool operator()(const S &a, const S &b) const { return a.x < b.x; } };
__global__ void k(R *r, S *s) { r[threadIdx.x].x = s[threadIdx.x].y; }
int main() {
  thrust::device_vector<R> r(64);
  thrust::device_vector<S> s(64);
  s.erase(s.begin());
  k<<<1, 64>>>(r.data().get(), s.data().get());
})");
  const fs::path source = scratch / "input.cu";
  if (lacksThrust(source))
    GTEST_SKIP() << "no Thrust here";
  const instrument::ParsedProgram program = commandFor(source);
  const Result<Rewrite> result = rewritePartially(program, planFor(program, "R soa\nS soa"));
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->refused()) << render(result->findings.front());
  const std::string &text = result->sources.files.front().text;
  EXPECT_THAT(text, HasSubstr("RDeviceVector r(64);"));
  EXPECT_THAT(text, HasSubstr("thrust::device_vector<S> s(64);"));
  ASSERT_FALSE(result->findings.empty());
  EXPECT_THAT(result->findings.front().text, HasSubstr("'erase'"));
  EXPECT_EQ(result->findings.front().where.line, 10u);
  fs::remove_all(scratch);
}

/// A function that is given elements and locals by reference, beside an array that is refused.
const char *const kReferences = R"(struct Good { float x; int hits; };
struct Bad { float a; mutable unsigned b; };
namespace tools {
__device__ void hit(Good &good, int *all) {
  good.hits++;
  atomicAdd(all, 1);
}
}
USING
__global__ void move(Good *good, Bad *bad, int *all) {
  Good own = good[0];
  tools::hit(own, all);
  tools::hit(good[threadIdx.x], all);
  good[threadIdx.x].x = bad[0].a + own.hits;
}
int main() {
  Good *good;
  Bad *bad;
  int *all;
  cudaMalloc(&good, 64 * sizeof(Good));
  cudaMalloc(&bad, 64 * sizeof(Bad));
  cudaMalloc(&all, sizeof(int));
  move<<<1, 64>>>(good, bad, all);
})";

Result<Rewrite> rewriteOfReferences(const std::string &usingDeclaration,
                                    const std::string &layouts) {
  const fs::path scratch = scratchFolder();
  std::string program = kReferences;
  program.replace(program.find("USING"), 5, usingDeclaration);
  writeText(scratch / "input.cu", program);
  const instrument::ParsedProgram parsed = commandFor(scratch / "input.cu");
  Result<Rewrite> result = rewritePartially(parsed, planFor(parsed, layouts));
  fs::remove_all(scratch);
  return result;
}

TEST(PartialRewrite, GivesFunctionsOverloadsForReferencesToElements) {
  const Result<Rewrite> result = rewriteOfReferences("", "Good soa\nBad soa");
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->refused());
  const std::string &text = result->sources.files.front().text;
  EXPECT_THAT(text, HasSubstr("void hit(GoodView good, int *all)"));
  EXPECT_THAT(text, HasSubstr("void hit(Good &good, int *all)"));
  EXPECT_THAT(text, HasSubstr("tools::hit(good + threadIdx.x, all)"));
  EXPECT_THAT(text, HasSubstr("Bad *bad"));
}

TEST(PartialRewrite, SaysWhyAFunctionHasNoOverloadForElements) {
  const Result<Rewrite> result = rewriteOfReferences("using tools::hit;", "Good soa");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->refused());
  std::string all;
  for (const Diagnostic &finding : result->findings)
    all += render(finding);
  EXPECT_THAT(all, HasSubstr("'hit' cannot have an overload for elements: a using-declaration "
                             "names it"));
}

TEST(PartialRewrite, RefusesIfNoGroupRemains) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", kProgram);
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const Result<Rewrite> result =
      rewritePartially(program, planFor(program, "Good:main::other soa\nBad soa"));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->refused());
  EXPECT_TRUE(result->sources.files.empty());
  fs::remove_all(scratch);
}

} // namespace
} // namespace relayout::rewriter::test
