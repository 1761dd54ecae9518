// SPDX-License-Identifier: Apache-2.0
// The generated header as text: names, refusals. That it compiles is shown by the golden cases.
#include "relayout/rewriter/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using testing::HasSubstr;
using testing::Not;

RecordShape shapeNamed(const std::string &name) {
  RecordShape shape;
  shape.name = name;
  shape.fields = {{"x", "float", {}, 4, 4, false}, {"tag", "char", {5}, 5, 1, false}};
  shape.bytes = 12;
  return shape;
}

Result<std::string> headerOf(const RecordShape &shape, const analysis::Layout &layout) {
  return generateHeader(shape, layout, namesFor(shape));
}

TEST(GeneratedNames, FollowTheRecordsName) {
  EXPECT_EQ(namesFor(shapeNamed("Particle")).view, "ParticleView");
  EXPECT_EQ(namesFor(shapeNamed("NuclideGridPoint")).file, "nuclide_grid_point_layout.h");
  EXPECT_EQ(namesFor(shapeNamed("NuclideGridPoint")).copy, "nuclideGridPointMemcpy");
  EXPECT_EQ(namesFor(shapeNamed("atom_t")).view, "AtomView");
  EXPECT_EQ(namesFor(shapeNamed("FOUR_VECTOR")).constView, "ConstFourVectorView");
  EXPECT_EQ(namesFor(shapeNamed("MC_Particle")).allocate, "mcParticleMalloc");
  EXPECT_EQ(namesFor(shapeNamed("t")).view, "TView");
}

TEST(GeneratedHeader, KeepsABareFieldAsAPlainPointer) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const Result<std::string> header = headerOf(shapeNamed("R"), layout);
  ASSERT_TRUE(header);
  EXPECT_THAT(*header, HasSubstr("  float *plane0_;"));
  EXPECT_THAT(*header, HasSubstr("struct RCluster1 {\n  char tag[5];\n};"));
}

TEST(GeneratedHeader, AlignsOnlyWhereAsked) {
  const analysis::Layout plain{.clusters = {{{0, 1}, 0}}};
  const analysis::Layout aligned{.clusters = {{{0, 1}, 16}}};
  EXPECT_THAT(*headerOf(shapeNamed("R"), plain), Not(HasSubstr("alignas")));
  EXPECT_THAT(*headerOf(shapeNamed("R"), aligned), HasSubstr("struct alignas(16) RCluster0"));
}

TEST(GeneratedHeader, HasTilesAsConstants) {
  analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  layout.tile = 32;
  const Result<std::string> header = headerOf(shapeNamed("R"), layout);
  ASSERT_TRUE(header);
  EXPECT_THAT(*header, HasSubstr("kTile = 32;\n  static constexpr std::size_t kTileBytes = 288;"));
  EXPECT_THAT(*header, HasSubstr("planeAt<RCluster1>(128, i).tag"));
}

TEST(GeneratedHeader, GivesAnExplodedArrayAPointerAndADistance) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0, true}}};
  const Result<std::string> header = headerOf(shapeNamed("R"), layout);
  ASSERT_TRUE(header);
  EXPECT_THAT(*header, HasSubstr("char &tag(std::ptrdiff_t i, std::ptrdiff_t k) const"));
  EXPECT_THAT(*header, HasSubstr("std::ptrdiff_t plane1Stride_;"));
}

TEST(GeneratedHeader, HasFunctionsOnStreamsOnlyWhereAskedFor) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const RecordShape shape = shapeNamed("R");
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape)), Not(HasSubstr("rMemcpyAsync")));
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape),
                              {.onStreams = true, .operations = allViewOperations()}),
              HasSubstr("rMemcpyAsync"));
}

TEST(GeneratedHeader, NumbersElementsIn32BitsWhereViewsNeverMove) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const RecordShape shape = shapeNamed("R");
  const std::string still =
      *generateHeader(shape, layout, namesFor(shape), {.operations = {ViewOperation::CopyIn}});
  EXPECT_THAT(still, HasSubstr("return plane0_[unsigned(i)]; }"));
  EXPECT_THAT(
      still,
      HasSubstr(
          "const auto &tag(std::ptrdiff_t i = 0) const { return plane1_[i].tag; }")); // slower for
                                                                                      // structs
  EXPECT_THAT(still, HasSubstr("count >> 32 != 0"));
  for (const HeaderParts &moving : {HeaderParts{.operations = {ViewOperation::Subtract}},
                                    HeaderParts{.ofConst = {ViewOperation::Increment}}}) {
    const std::string header = *generateHeader(shape, layout, namesFor(shape), moving);
    EXPECT_THAT(header, HasSubstr("return plane0_[i]; }"));
    EXPECT_THAT(header, Not(HasSubstr("count >> 32")));
  }
}

TEST(GeneratedHeader, HasOperatorsOfTheViewThatTheyAreUsedWith) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const RecordShape shape = shapeNamed("R");
  const std::string header =
      *generateHeader(shape, layout, namesFor(shape), {.ofConst = {ViewOperation::Increment}});
  EXPECT_THAT(header, HasSubstr("ConstRView &operator++()"));
  EXPECT_THAT(header, Not(HasSubstr(" RView &operator")));
}

TEST(GeneratedHeader, OfEightFieldsIsShort) {
  RecordShape shape = shapeNamed("R");
  shape.isAggregate = shape.isAssigned = true;
  shape.fields.clear();
  analysis::Layout layout;
  for (std::uint32_t f = 0; f < 8; ++f) {
    shape.fields.push_back({std::string(1, static_cast<char>('a' + f)), "float", {}, 4, 4, false});
    layout.clusters.push_back({{f}, 0});
  }
  shape.bytes = 32;
  const std::string header = *generateHeader(
      shape, layout, namesFor(shape),
      {.operations = {ViewOperation::CopyIn, ViewOperation::CopyOut, ViewOperation::Free}});
  EXPECT_LE(std::ranges::count(header, '\n'), 180);
}

TEST(GeneratedHeader, IsConstexprWhereTheProgramIs) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const analysis::Layout tiles{.clusters = layout.clusters, .tile = 8};
  const RecordShape shape = shapeNamed("R");
  const HeaderParts parts{.isConstexpr = true, .operations = {ViewOperation::Equality}};
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape), parts),
              HasSubstr("__host__ __device__ constexpr float x(std::ptrdiff_t i = 0) const"));
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape), {}),
              HasSubstr("__host__ __device__ float x(std::ptrdiff_t i = 0) const"));
  EXPECT_THAT(*generateHeader(shape, tiles, namesFor(shape), parts), // an address takes a cast
              HasSubstr("__host__ __device__ float x(std::ptrdiff_t i = 0) const"));
}

TEST(GeneratedHeader, RefusesAlignmentsThatCudaMallocDoesNotPromise) {
  const analysis::Layout layout{.clusters = {{{0, 1}, 512}}};
  EXPECT_EQ(headerOf(shapeNamed("R"), layout).error().code, Code::AlignmentTooLarge);
}

TEST(GeneratedHeader, RefusesToExplodeAScalar) {
  const analysis::Layout layout{.clusters = {{{0}, 0, true}, {{1}, 0}}};
  EXPECT_EQ(headerOf(shapeNamed("R"), layout).error().code, Code::CannotExplode);
}

TEST(GeneratedHeader, RefusesAFieldThatIsNamedLikeAnOperationOfTheView) {
  RecordShape shape = shapeNamed("R");
  shape.fields[0].name = "load";
  const analysis::Layout layout{.clusters = {{{0, 1}, 0}}};
  EXPECT_EQ(headerOf(shape, layout).error().code, Code::NameTaken);
}

} // namespace
} // namespace relayout::rewriter
