// SPDX-License-Identifier: Apache-2.0
// What policy replay decides for whole programs whose best layout is known, and what it says of it.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::test {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

/// A program over records `Rec`, some of which its kernels gather by way of `index`.
std::string program(const std::string &record, const std::string &kernels,
                    const std::string &launches) {
  return "#include <vector>\n" + record + "\n" + kernels + R"(
int main(int argc, char **) { // with arguments: other runs may be larger
  if (argc > 1)
    return 1;
  const int n = 1 << 16;
  std::vector<Rec> records(n);
  std::vector<unsigned> numbers(n);
  std::vector<float> sums(n);
  unsigned state = 1;
  for (unsigned &number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = (state >> 4) % n;
  }
  Rec *r;
  unsigned *index;
  float *out;
  cudaMalloc(&r, n * sizeof(Rec));
  cudaMalloc(&index, n * sizeof(unsigned));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(r, records.data(), n * sizeof(Rec), cudaMemcpyHostToDevice);
  cudaMemcpy(index, numbers.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  for (int k = 0; k < 10; ++k) {
    )" + launches +
         R"(
  }
  cudaMemcpy(sums.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(records.data(), r, n * sizeof(Rec), cudaMemcpyDeviceToHost);
}
)";
}

const std::string kFloats = "struct __align__(16) Rec { float a, b, c, d, e, f, g, h; };";
const std::string kGather = R"(
__global__ void gather(const Rec *r, const unsigned *index, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Rec &q = r[index[i]];
  out[i] = q.a + q.b + q.c + q.d + q.e + q.f + q.g + q.h;
})";
const std::string kLaunchGather = "gather<<<n / 256, 256>>>(r, index, out);";

class Decisions : public testing::Test {
protected:
  /// Optimises the program; its messages are in `said`, the report in `group`.
  void decide(const std::string &text) {
    place.write("main.cu", text);
    said = place.relayout("optimize main.cu -o out -q");
    ASSERT_EQ(said.exitCode, 0) << said.err;
    EXPECT_EQ(said.err, "") << "-q";
    group = json::parse(place.read("out/report.json"))["groups"][0];
  }

  /// Predicted time over the source's, of all that was tried with that name.
  [[nodiscard]] double ratioOf(const std::string &layout) const {
    for (const json &candidate : group["candidates"])
      if (candidate["layout"].is_object() && candidate["layout"]["name"] == layout)
        return candidate["totalNs"].get<double>() / group["source"]["totalNs"].get<double>();
    ADD_FAILURE() << layout << " was not tried";
    return 0;
  }

  Workplace place;
  Outcome said;
  json group;
};

TEST_F(Decisions, AConstantAddedToAllComponentsIsLeftAlone) {
  decide(program("struct Rec { double x, y, z; };", R"(
__global__ void add(Rec *r, double c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i].x += c; r[i].y += c; r[i].z += c;
})",
                 "add<<<n / 256, 256>>>(r, 0.5);"));
  EXPECT_THAT(said.out, HasSubstr("Chosen: original"));
  EXPECT_THAT(said.out, HasSubstr("leave it"));
  EXPECT_GT(group["best"]["kernelNs"].get<double>() / group["source"]["kernelNs"].get<double>(),
            0.97);
}

TEST_F(Decisions, OneFieldOfEightThatIsStreamedIsThreeTimesFasterAlone) {
  decide(program(kFloats, R"(
__global__ void stream(const Rec *r, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = r[i].c;
})",
                 "stream<<<n / 256, 256>>>(r, out);"));
  EXPECT_LT(group["best"]["totalNs"].get<double>() / group["source"]["totalNs"].get<double>(),
            1 / 3.0);
  EXPECT_THAT(said.out, ContainsRegex("SoA +.*  chosen\n"));
  EXPECT_THAT(said.out, HasSubstr("out/rewritten/rec_layout.h"));
  EXPECT_THAT(said.out, Not(HasSubstr("class RecView"))) << "a user's own files are shown";
  EXPECT_THAT(place.read("out/changes.diff"), HasSubstr("class RecView"));
}

TEST_F(Decisions, AGatheredRecordStaysTogetherAndTheReportSaysWhatSoAWouldCost) {
  decide(program(kFloats, kGather, kLaunchGather));
  EXPECT_THAT(said.out, HasSubstr("leave it"));
  EXPECT_GT(ratioOf("SoA"), 3.0);
  EXPECT_THAT(said.out, ContainsRegex("\n +SoA +[0-9. ]+ [3-9]\\.[0-9]+ +"));
  EXPECT_THAT(said.out, ContainsRegex("\n +original +.*  chosen\n"));
}

TEST_F(Decisions, GatheredAndStreamedFieldsGoIntoClusters) {
  decide(program("struct __align__(16) Rec { float a, s, b, c, t, d, u, v; };", R"(
__global__ void gather(const Rec *r, const unsigned *index, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned k = index[i];
  out[i] = r[k].a + r[k].b + r[k].c + r[k].d;
}
__global__ void stream(Rec *r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i].s += 0.5f * r[i].t;
})",
                 kLaunchGather + "\n    stream<<<n / 256, 256>>>(r);"));
  const double chosen =
      group["best"]["totalNs"].get<double>() / group["source"]["totalNs"].get<double>();
  EXPECT_LT(chosen, 0.9 * ratioOf("SoA"));
  EXPECT_LT(chosen, 0.9);
  const json clusters = group["layout"]["clusters"];
  EXPECT_THAT(clusters[0]["fields"], testing::Eq(json({"a", "b", "c", "d"}))) << clusters;
  EXPECT_EQ(clusters[0]["alignment"], 16);
}

TEST_F(Decisions, OfOpposedKernelsTheReportSaysWhatEachGainsAndLoses) {
  decide(program(kFloats, kGather + R"(
__global__ void stream(Rec *r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i].a += 0.5f;
})",
                 kLaunchGather + "\n    for (int m = 0; m < 6; ++m) stream<<<n / 256, 256>>>(r);"));
  EXPECT_LT(group["best"]["totalNs"], group["source"]["totalNs"]);
  EXPECT_THAT(group["reason"].get<std::string>(),
              ContainsRegex("'gather' 0\\.[0-9]+x, 'stream' [2-9]\\.[0-9]+x"));
  const Outcome explained = place.relayout("explain Rec --report out/report.json");
  EXPECT_EQ(explained.exitCode, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("read of h"));
  EXPECT_THAT(explained.out, ContainsRegex("gather: .* ms with the choice "));
  EXPECT_THAT(explained.out, ContainsRegex("\n +choice +[0-9.]+ [MG] "));
}

TEST(LongRuns, ARunThatTakesTooLongIsCutShortAndComparedInPart) {
  const Workplace place;
  place.write("main.cu", R"(#include <cstdio>
struct P { float x, y, z, w; };
__global__ void step(P *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += 0.5f * p[i].y;
}
int main() {
  const int n = 1 << 20;
  P *p, *h = new P[n]();
  for (int i = 0; i < n; ++i) h[i].y = i;
  cudaMalloc(&p, n * sizeof(P));
  cudaMemcpy(p, h, n * sizeof(P), cudaMemcpyHostToDevice);
  for (int i = 0; i < 100000; ++i) step<<<n / 256, 256>>>(p, n);
  cudaMemcpy(h, p, n * sizeof(P), cudaMemcpyDeviceToHost);
  const bool isRight = h[1].x == 50000.0f;
  delete[] h;
  return isRight ? 0 : 1;
})");
  const Outcome cut = place.relayout("optimize main.cu -lnoSuchLibrary -o out --whole-for 1");
  EXPECT_EQ(cut.exitCode, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("takes more than 1 s on the CPU"));
  EXPECT_THAT(cut.err, HasSubstr("[RL-T10]"));
  EXPECT_THAT(cut.out, HasSubstr("out/trace.rlt: 100,000 launches"));
  EXPECT_THAT(cut.out, HasSubstr("traced on sparse cpu"));
  EXPECT_THAT(cut.out, HasSubstr("Chosen: SoA"));
  EXPECT_THAT(cut.out, HasSubstr("verified in part: 1 copy, 16,777,216 bytes, identical"));
  EXPECT_THAT(cut.out, HasSubstr("the same few blocks of each launch ran"));
}

} // namespace
} // namespace relayout::test
