// SPDX-License-Identifier: Apache-2.0
// Tests of the plan's JSON.
#include "relayout/analysis/plan/plan.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Plan samplePlan() {
  Plan plan;
  plan.sourceFile = "sph.cu";
  plan.sourceDigest = "abcd";
  plan.policy = "nakai";
  Decision moved;
  moved.record = "sim::Particle";
  moved.arrays = {"main::d", "step::p"};
  moved.fields = {"x", "y", "z", "m"};
  moved.layout = {.clusters = {{{0, 1, 2}, 16}, {{3}, 0, true}},
                  .tile = 64,
                  .padBytes = 128,
                  .startAlignment = 32};
  moved.reason = "because";
  plan.decisions.push_back(moved);
  Decision kept = moved;
  kept.record = "Cell";
  kept.keep = true;
  kept.layout = {};
  plan.decisions.push_back(kept);
  return plan;
}

std::string codeAfter(const std::function<void(Json &)> &change) {
  Json json = Json::parse(toJson(samplePlan()));
  change(json);
  const Result<Plan> plan = planFromJson(json.dump());
  return plan ? "" : codeName(plan.error().code);
}

std::string codeAfterLayout(const std::function<void(Json &)> &change) {
  return codeAfter([&](Json &json) { change(json["decisions"][0]["layout"]); });
}

TEST(Plan, ComesBackFromJson) {
  const Plan plan = samplePlan();
  const Result<Plan> read = planFromJson(toJson(plan));
  ASSERT_TRUE(read.has_value()) << read.error().text;
  EXPECT_EQ(toJson(*read), toJson(plan));
  EXPECT_EQ(read->decisions[0].layout, plan.decisions[0].layout);
  EXPECT_EQ(read->decisions[0].arrays, plan.decisions[0].arrays);
  EXPECT_FALSE(read->decisions[0].keep);
  EXPECT_TRUE(read->decisions[1].keep);
}

TEST(Plan, KeepsTheKernelsThatGetLaunchBounds) {
  Plan plan;
  plan.boundedKernels = {"sky::pull", "step"};
  const Result<Plan> back = planFromJson(toJson(plan));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->boundedKernels, plan.boundedKernels);
}

TEST(Plan, IsTheSameTextForTheSamePlan) {
  EXPECT_EQ(toJson(samplePlan()), toJson(samplePlan()));
  EXPECT_EQ(toJson(samplePlan()).back(), '\n');
}

TEST(Plan, NamesTheFieldsOfItsClusters) {
  const Json json = Json::parse(toJson(samplePlan()));
  EXPECT_EQ(json["decisions"][0]["layout"]["clusters"][0]["fields"], Json({"x", "y", "z"}));
}

TEST(Plan, RefusesWhatIsNotOne) {
  for (const char *text :
       {"", "{", "[]", "7", "{}", "{\"format\":\"relayout-sites\",\"version\":1}"}) {
    const Result<Plan> plan = planFromJson(text);
    ASSERT_FALSE(plan.has_value()) << text;
    EXPECT_EQ(plan.error().code, Code::NotAPlan) << text;
  }
  EXPECT_EQ(codeAfter([](Json &) {}), "");
  EXPECT_EQ(codeAfter([](Json &json) { json["version"] = 2; }), "RL-P01");
  EXPECT_EQ(codeAfter([](Json &json) { json["version"] = "1"; }), "RL-P01");
  EXPECT_EQ(codeAfter([](Json &json) { json.erase("decisions"); }), "RL-P01");
  EXPECT_EQ(codeAfter([](Json &json) { json["decisions"][0].erase("keep"); }), "RL-P01");
  EXPECT_EQ(codeAfter([](Json &json) { json["decisions"][0]["keep"] = "no"; }), "RL-P01");
}

TEST(Plan, RefusesLayoutsThatCannotBe) {
  const auto fieldsOf = [](Json &layout, int cluster) -> Json & {
    return layout["clusters"][static_cast<std::size_t>(cluster)]["fields"];
  };
  EXPECT_EQ(codeAfterLayout([&](Json &l) { fieldsOf(l, 0).push_back("m"); }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([&](Json &l) { fieldsOf(l, 0).push_back("w"); }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([&](Json &l) { fieldsOf(l, 0).erase(0); }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([&](Json &l) { fieldsOf(l, 1).clear(); }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([](Json &l) { l["clusters"][0]["alignment"] = 12; }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([](Json &l) { l["clusters"][0]["alignment"] = 1 << 30; }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([](Json &l) { l["tile"] = -1; }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([](Json &l) { l["tile"] = 1.5; }), "RL-P02");
  EXPECT_EQ(codeAfterLayout([](Json &l) { l["startAlignment"] = 3; }), "RL-P02");
  EXPECT_EQ(codeAfter([](Json &j) {
              j["decisions"][0]["fields"] = {"x", "x", "y", "z", "m"};
            }),
            "RL-P02");
}

TEST(Plan, SaysWhichRecordAndField) {
  Json json = Json::parse(toJson(samplePlan()));
  json["decisions"][0]["layout"]["clusters"][0]["fields"][0] = "q";
  const Result<Plan> plan = planFromJson(json.dump());
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().text, HasSubstr("sim::Particle"));
  EXPECT_THAT(plan.error().text, HasSubstr("'q'"));
}

} // namespace
} // namespace relayout::analysis
