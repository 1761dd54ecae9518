// SPDX-License-Identifier: Apache-2.0
// What a batch keeps where confidence in a policy's choice is low.
#include "batch/batch_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {
namespace {

const std::vector<analysis::LowConfidence> kFewWarps = {
    {analysis::LowConfidenceReason::FewWarps, "kick", 16}};

BatchVariant timed(const std::string &name, double figure) {
  BatchVariant variant{.name = name, .state = VariantState::Verified};
  variant.figures = {figure, 1.1 * figure, 0.9 * figure};
  return variant;
}

/// The policy's choice is aligned; confidence in it is low, or not.
BatchResult resultWith(const std::vector<analysis::LowConfidence> &lowConfidence, double soa) {
  BatchResult result;
  BatchVariant choice{.name = "replay", .lowConfidence = lowConfidence, .sameAs = "aligned"};
  result.variants = {timed("original", 80), timed("aligned", 100), timed("soa", soa), choice};
  result.variants.push_back(timed("by hand", 500));
  result.variants.back().state = VariantState::HandTuned;
  return result;
}

TEST(Kept, TheFastestWhereConfidenceIsLow) {
  EXPECT_EQ(resultWith(kFewWarps, 120).kept("replay")->name, "soa");
}

TEST(Kept, ThePolicysChoiceWhereItIsNot) {
  EXPECT_EQ(resultWith({}, 120).kept("replay")->name, "replay");
}

TEST(Kept, ThePolicysChoiceWhereNothingIsFasterByMoreThanNoise) {
  EXPECT_EQ(resultWith(kFewWarps, 100.5).kept("replay")->name, "replay");
}

TEST(Kept, ThePolicysChoiceWhereNothingWasMeasured) {
  BatchResult result = resultWith(kFewWarps, 120);
  for (BatchVariant &variant : result.variants)
    variant.figures.clear();
  EXPECT_EQ(result.kept("replay")->name, "replay");
  EXPECT_EQ(result.kept("nakai"), nullptr);
}

TEST(Kept, NeverWhatCopiesOtherBytes) {
  BatchResult result = resultWith(kFewWarps, 120);
  result.variants[2].verifiedOnGpu = false;
  result.variants[2].gpuText = "copies back other bytes than the original";
  EXPECT_EQ(result.kept("replay")->name, "replay");
}

TEST(BatchResult, ComesBackFromJson) {
  const BatchResult result = resultWith(kFewWarps, 120);
  const auto back = batchResultFrom(toJson(result).dump(), "result.json");
  ASSERT_TRUE(back.has_value()) << back.error().text;
  EXPECT_EQ(toJson(*back), toJson(result));
  EXPECT_EQ(toJson(result)["kept"]["replay"], "soa");
}

} // namespace
} // namespace relayout::tool
