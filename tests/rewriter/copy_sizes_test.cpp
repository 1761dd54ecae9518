// SPDX-License-Identifier: Apache-2.0
// Copies whose number of bytes plainly counts whole records need less of the generated header.
#include "support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// The header for a program that copies `bytes` bytes, after `before`.
std::string headerOfCopy(const std::string &before, const std::string &bytes) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "input.cu", fmt::format(R"(struct Point {{ float x, y; }};
__global__ void move(Point *points) {{ points[threadIdx.x].x += 1; }}
int main(int argc, char **) {{
  const int n = 64;
  Point host[n] = {{}}, *points;
  {}
  cudaMalloc(&points, sizeof(host));
  cudaMemcpy(points, host, {}, cudaMemcpyHostToDevice);
  move<<<1, n>>>(points);
}})",
                                              before, bytes));
  const instrument::ParsedProgram program = commandFor(scratch / "input.cu");
  const Result<Rewrite> result = rewrite(program, planFor(program, "Point soa"));
  fs::remove_all(scratch);
  if (!result || result->refused()) {
    ADD_FAILURE() << "not rewritten: " << bytes;
    return {};
  }
  return result->sources.files.back().text;
}

class WholeRecords : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(WholeRecords, AreSeenInTheSource) {
  const std::string header = headerOfCopy(GetParam().first, GetParam().second);
  EXPECT_THAT(header, HasSubstr("bytes % sizeof(Point) != 0)\n    return"));
  EXPECT_THAT(header, Not(HasSubstr("ends inside an element")));
}

INSTANTIATE_TEST_SUITE_P(
    Copies, WholeRecords,
    testing::Values(std::pair("", "n * sizeof(Point)"), std::pair("", "sizeof(host)"),
                    std::pair("", "sizeof(Point) * 2 * n - sizeof(*points) * n"),
                    std::pair("size_t bytes = (n / 2) * sizeof(host[0]);", "bytes"),
                    std::pair("const auto bytes = int(sizeof(Point)) * n;", "bytes")));

class AnyNumber : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(AnyNumber, MayEndInsideAnElement) {
  EXPECT_THAT(headerOfCopy(GetParam().first, GetParam().second),
              HasSubstr("ends inside an element"));
}

INSTANTIATE_TEST_SUITE_P(
    Copies, AnyNumber,
    testing::Values(std::pair("", "500"), std::pair("", "argc * sizeof(float)"),
                    std::pair("", "size_t(1.5 * sizeof(Point))"),
                    std::pair("", "n * sizeof(Point) - sizeof(float)"),
                    std::pair("", "n * sizeof(void *)"),
                    std::pair("size_t bytes = n * sizeof(Point); bytes -= argc;", "bytes"),
                    std::pair("size_t bytes = n * sizeof(Point); size_t &b = bytes; b -= argc;",
                              "bytes")));

} // namespace
} // namespace relayout::rewriter::test
