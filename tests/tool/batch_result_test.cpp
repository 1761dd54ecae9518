// SPDX-License-Identifier: Apache-2.0
// What a batch keeps where a policy doubts its choice.
#include "batch/batch_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {
namespace {

BatchVariant timed(const std::string &name, double figure) {
  BatchVariant variant{.name = name, .state = VariantState::Verified};
  variant.figures = {figure, 1.1 * figure, 0.9 * figure};
  return variant;
}

/// The policy's choice is aligned; the model doubts it, or not.
BatchResult resultWith(const std::string &doubt, double soa) {
  BatchResult result;
  BatchVariant choice{.name = "replay", .doubt = doubt, .sameAs = "aligned"};
  result.variants = {timed("original", 80), timed("aligned", 100), timed("soa", soa), choice};
  result.variants.push_back(timed("by hand", 500));
  result.variants.back().state = VariantState::HandTuned;
  return result;
}

TEST(Kept, TheFastestWhereThePolicyDoubts) {
  EXPECT_EQ(resultWith("few warps", 120).kept("replay")->name, "soa");
}

TEST(Kept, ThePolicysChoiceWhereItDoesNot) {
  EXPECT_EQ(resultWith("", 120).kept("replay")->name, "replay");
}

TEST(Kept, ThePolicysChoiceWhereNothingIsFasterByMoreThanNoise) {
  EXPECT_EQ(resultWith("few warps", 100.5).kept("replay")->name, "replay");
}

TEST(Kept, ThePolicysChoiceWhereNothingWasMeasured) {
  BatchResult result = resultWith("few warps", 120);
  for (BatchVariant &variant : result.variants)
    variant.figures.clear();
  EXPECT_EQ(result.kept("replay")->name, "replay");
  EXPECT_EQ(result.kept("nakai"), nullptr);
}

TEST(Kept, NeverWhatCopiesOtherBytes) {
  BatchResult result = resultWith("few warps", 120);
  result.variants[2].verifiedOnGpu = false;
  result.variants[2].gpuText = "copies back other bytes than the original";
  EXPECT_EQ(result.kept("replay")->name, "replay");
}

TEST(BatchResult, ComesBackFromJson) {
  const BatchResult result = resultWith("few warps", 120);
  const auto back = batchResultFrom(toJson(result).dump(), "result.json");
  ASSERT_TRUE(back.has_value()) << back.error().text;
  EXPECT_EQ(toJson(*back), toJson(result));
  EXPECT_EQ(toJson(result)["kept"]["replay"], "soa");
}

} // namespace
} // namespace relayout::tool
