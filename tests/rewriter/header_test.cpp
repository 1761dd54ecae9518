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
  const Result<std::string> header = generateHeader(shapeNamed("R"), layout);
  ASSERT_TRUE(header);
  EXPECT_THAT(*header, HasSubstr("  float *plane0_;"));
  EXPECT_THAT(*header, HasSubstr("struct RCluster1 {\n  char tag[5];\n};"));
}

TEST(GeneratedHeader, AlignsOnlyWhereAsked) {
  const analysis::Layout plain{.clusters = {{{0, 1}, 0}}};
  const analysis::Layout aligned{.clusters = {{{0, 1}, 16}}};
  EXPECT_THAT(*generateHeader(shapeNamed("R"), plain), Not(HasSubstr("alignas")));
  EXPECT_THAT(*generateHeader(shapeNamed("R"), aligned), HasSubstr("struct alignas(16) RCluster0"));
}

TEST(GeneratedHeader, RefusesTilesAndPadding) {
  analysis::Layout layout{.clusters = {{{0, 1}, 0}}};
  layout.tile = 32;
  EXPECT_EQ(generateHeader(shapeNamed("R"), layout).error().code, "RL-R11");
  layout.tile = 0;
  layout.padBytes = 128;
  EXPECT_EQ(generateHeader(shapeNamed("R"), layout).error().code, "RL-R11");
}

TEST(GeneratedHeader, RefusesAFieldThatIsNamedLikeAnOperationOfTheView) {
  RecordShape shape = shapeNamed("R");
  shape.fields[0].name = "load";
  const analysis::Layout layout{.clusters = {{{0, 1}, 0}}};
  EXPECT_EQ(generateHeader(shape, layout).error().code, "RL-R15");
}

} // namespace
} // namespace relayout::rewriter
