// SPDX-License-Identifier: Apache-2.0
// Arrays of CUDA's vector types are arrays of records; vectors anywhere else are values.
#include "program_text.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "read float3 y 4" for every site.
std::vector<std::string> sitesOf(const trace::SiteTable &table) {
  std::vector<std::string> found;
  for (const trace::Site &site : table.sites) {
    const trace::Record &record = table.records.at(site.record);
    found.push_back(std::string(trace::accessKindName(site.kind)) + " " + record.name + " " +
                    (site.field == trace::kNone ? "*" : record.fields.at(site.field).name) + " " +
                    std::to_string(site.bytes));
  }
  return found;
}

TEST(VectorTypes, InDeviceArraysAreRecords) {
  const ProgramText program(
      "struct S { float3 *p; };\n"
      "__device__ double2 table[8];\n"
      "__global__ void k(S s, const float4 *q) {\n"
      "  int i = threadIdx.x; float4 v = q[i]; s.p[i].y = v.x; s.p[i + 1] = make_float3(1, 2, 3);\n"
      "  table[i].x += __ldg(&q[i]).w; }\n"
      "int main() { S s; float4 *q; cudaMalloc(&s.p, 120); cudaMalloc(&q, 160);\n"
      "  k<<<1, 8>>>(s, q); }\n");
  const trace::SiteTable table = program.model().sites;
  EXPECT_THAT(sitesOf(table),
              ElementsAre("read float4 * 16", "write float3 y 4", "write float3 * 12",
                          "read float4 * 16", "read double2 x 8", "write double2 x 8"));
  ASSERT_EQ(table.groups.size(), 3u);
  for (const trace::Site &site : table.sites)
    EXPECT_NE(site.group, trace::kNone) << site.id;
}

TEST(VectorTypes, AsValuesAndMembersAreNoRecords) {
  const ProgramText program(
      "struct P { float3 at; float w; };\n"
      "__device__ void operator+=(float3 &a, const float3 &b) { a.x += b.x; a.y += b.y; }\n"
      "__global__ void k(P *p, float *f, float3 *v) {\n"
      "  __shared__ float4 tile[32]; float3 own = make_float3(0, 0, 0); own += own;\n"
      "  tile[threadIdx.x].x = reinterpret_cast<float4 *>(f)[0].y;\n"
      "  p[0].at.y = own.x; p[1].at += own; v[2] += v[3]; }\n"
      "int main() { P *p; float *f; float3 *v; cudaMalloc(&p, 96); cudaMalloc(&f, 64);\n"
      "  cudaMalloc(&v, 96); k<<<1, 1>>>(p, f, v); }\n");
  EXPECT_THAT(sitesOf(program.model().sites),
              ElementsAre("write P at 4", "read P at 12", "write P at 12", "read float3 * 12",
                          "read float3 * 12", "write float3 * 12"));
}

TEST(VectorTypes, OfOtherArraysAreNotConfused) {
  const ProgramText program("__global__ void k(float *f, float4 *local) {\n"
                            "  float4 *q = (float4 *)f; q[1].x = local[0].x; }\n"
                            "struct R { float x; };\n"
                            "__global__ void m(R *r) { r[0].x = 1; }\n"
                            "int main() { float *f; R *r; cudaMalloc(&f, 64); cudaMalloc(&r, 64);\n"
                            "  k<<<1, 1>>>(f, (float4 *)f); m<<<1, 1>>>(r); }\n");
  const trace::SiteTable table = program.model().sites;
  EXPECT_THAT(sitesOf(table), ElementsAre("write R x 4"));
}

} // namespace
} // namespace relayout::instrument
