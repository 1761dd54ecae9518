// SPDX-License-Identifier: Apache-2.0
// The generated header as text: names, refusals. That it compiles is shown by the golden cases.
#include "relayout/rewriter/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
