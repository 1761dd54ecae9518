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

/// Copies go in tiles where lanes would not stand side by side else.
TEST(GeneratedHeader, HasTilesOfCopiesWhereTheFastestIndexIsAnother) {
  analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  RecordShape shape = shapeNamed("R");
  for (const bool isAnother : {false, true}) {
    layout.order.extents = {4, 8};
    if (isAnother)
      layout.order.digits = {1, 0, 2};
    else
      layout.order.digits = {0, 2, 1};
    const Result<std::string> header =
        generateHeader(shape, layout, namesFor(shape), {.operations = {ViewOperation::CopyIn}});
    ASSERT_TRUE(header);
    EXPECT_EQ(header->find("tileStride() const { return 4; }") != std::string::npos, isAnother);
    EXPECT_EQ(header->find("::Tiles<4, 256>") != std::string::npos, isAnother);
    EXPECT_THAT(*header, Not(HasSubstr("return ;")));
  }
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
  const std::string still = *generateHeader(
      shape, layout, namesFor(shape), {.namesConst = true, .operations = {ViewOperation::CopyIn}});
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

TEST(GeneratedHeader, HasAViewOfConstRecordsWhereTheProgramNamesIt) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const RecordShape shape = shapeNamed("R");
  HeaderParts parts{.operations = {ViewOperation::CopyOut}};
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape), parts), Not(HasSubstr("ConstRView")));
  parts.namesConst = true;
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape), parts),
              HasSubstr("class RView : public ConstRView"));
}

TEST(SharedHeader, HasWhatIsCalled) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const RecordShape shape = shapeNamed("R");
  const auto shared = [&](const HeaderParts &parts) {
    return generateSharedHeader({*generateHeader(shape, layout, namesFor(shape), parts)}, parts);
  };
  EXPECT_THAT(shared({}), Not(HasSubstr("staging memory")));
  EXPECT_THAT(shared({}), Not(HasSubstr("__global__")));
  const std::string in = shared({.operations = {ViewOperation::CopyIn, ViewOperation::Free}});
  EXPECT_THAT(in, HasSubstr("inline cudaError_t release(void *array)"));
  EXPECT_THAT(in, HasSubstr("  to.store(i, *from);"));
  EXPECT_THAT(in, Not(HasSubstr("from.load(i)")));
  EXPECT_THAT(in, Not(HasSubstr("stageAsync")));
  EXPECT_THAT(shared({.onStreams = true, .operations = {ViewOperation::CopyIn}}),
              HasSubstr("inline void *stageAsync("));
}

TEST(SharedHeader, GivesNamesThatTheProgramDoesNotHave) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const RecordShape shape = shapeNamed("R");
  const HeaderParts parts{.sharedHeader = "relayout_memory2.h",
                          .sharedSpace = "relayout_memory2",
                          .operations = {ViewOperation::CopyIn}};
  const std::string header = *generateHeader(shape, layout, namesFor(shape), parts);
  EXPECT_THAT(header, HasSubstr("#include \"relayout_memory2.h\""));
  EXPECT_THAT(header, HasSubstr("relayout_memory2::stage("));
  EXPECT_THAT(header, Not(HasSubstr("relayout_memory::")));
  EXPECT_THAT(generateSharedHeader({header}, parts), HasSubstr("namespace relayout_memory2 {"));
  EXPECT_THAT(generateSharedHeader({header}, parts), HasSubstr("inline void *stage("));
}

TEST(GeneratedHeader, IsConstexprWhereTheProgramIs) {
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const analysis::Layout tiles{.clusters = layout.clusters, .tile = 8};
  const RecordShape shape = shapeNamed("R");
  const HeaderParts parts{
      .isConstexpr = true, .namesConst = true, .operations = {ViewOperation::Equality}};
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape), parts),
              HasSubstr("__host__ __device__ constexpr float x(std::ptrdiff_t i = 0) const"));
  EXPECT_THAT(*generateHeader(shape, layout, namesFor(shape), {.namesConst = true}),
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

TEST(GeneratedHeader, HasOtherNamesForMembersThanItsFieldsHave) {
  RecordShape shape = shapeNamed("R");
  shape.fields[0].name = "load";
  shape.fields[1].name = "loadElement";
  const analysis::Layout layout{.clusters = {{{0}, 0}, {{1}, 0}}};
  const std::string header = *headerOf(shape, layout);
  EXPECT_THAT(header, HasSubstr("float &load(std::ptrdiff_t i = 0) const"));
  EXPECT_THAT(header, HasSubstr("R loadElement2(std::ptrdiff_t i = 0) const"));
  EXPECT_THAT(header, HasSubstr("to[i] = from.loadElement2(i);"));
  EXPECT_THAT(header, HasSubstr("&store(std::ptrdiff_t i, const R &value) const"));
  EXPECT_THAT(header, Not(HasSubstr("\x01")));
}

TEST(GeneratedHeader, RefusesAFieldThatIsNamedLikeItsRecord) {
  RecordShape shape = shapeNamed("R");
  shape.fields[0].name = "R";
  const analysis::Layout layout{.clusters = {{{0, 1}, 0}}};
  EXPECT_EQ(headerOf(shape, layout).error().code, Code::NameTaken);
}

} // namespace
} // namespace relayout::rewriter
