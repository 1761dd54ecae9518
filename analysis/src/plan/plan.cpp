// SPDX-License-Identifier: Apache-2.0
// The plan as JSON. Fields are named, not numbered, so that a person can edit the file.
#include "relayout/analysis/plan/plan.h"

#include "layout/layout_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "relayout-plan";
constexpr std::uint64_t kVersion = 1;

void requireAllFields(const Decision &decision) {
  std::vector<bool> isThere(decision.fields.size(), false);
  for (const Cluster &cluster : decision.layout.clusters)
    for (const std::uint32_t field : cluster.fields)
      isThere[field] = true;
  for (std::size_t i = 0; i < isThere.size(); ++i)
    if (!isThere[i])
      failLayout(
          fmt::format("the layout of '{}' lacks field '{}'", decision.record, decision.fields[i]));
}

Decision decisionFrom(const JsonValue &json) {
  Decision decision;
  decision.record = json.at("record").text();
  decision.arrays = json.at("arrays").texts();
  decision.fields = json.at("fields").texts();
  for (auto field = decision.fields.begin(); field != decision.fields.end(); ++field)
    if (std::find(decision.fields.begin(), field, *field) != field)
      failLayout(fmt::format("field '{}' of '{}' is listed twice", *field, decision.record));
  decision.keep = json.at("keep").flag();
  decision.layout = layoutFrom(json.at("layout"), decision.record, decision.fields);
  if (!decision.keep)
    requireAllFields(decision);
  decision.reason = json.at("reason").text();
  if (const auto lowConfidence = json.find("lowConfidence"))
    decision.lowConfidence = lowConfidenceFrom(*lowConfidence);
  return decision;
}

Plan planFrom(const JsonValue &json) {
  if (json.at("format").text() != kFormat)
    json.fail(fmt::format("has another 'format' than '{}'", kFormat));
  if (const std::uint64_t version = json.at("version").count(1000); version != kVersion)
    json.fail(fmt::format("is of version {}; this program reads version {}", version, kVersion));
  Plan plan;
  plan.sourceFile = json.at("sourceFile").text();
  plan.sourceDigest = json.at("sourceDigest").text();
  plan.policy = json.at("policy").text();
  for (const JsonValue &row : json.at("decisions").list())
    plan.decisions.push_back(decisionFrom(row));
  if (const auto kernels = json.find("launchBounds"))
    plan.boundedKernels = kernels->texts();
  return plan;
}

constexpr std::array<std::string_view, 6> kReasons = {"unsampled-accesses", "few-warps",
                                                      "unknown-warps",      "estimated-registers",
                                                      "estimated-loop",     "unknown-rows"};

} // namespace

const char *lowConfidenceName(LowConfidenceReason reason) {
  return kReasons[static_cast<std::size_t>(reason)].data();
}

nlohmann::ordered_json toJson(const std::vector<LowConfidence> &reasons) {
  Json json = Json::array();
  for (const LowConfidence &one : reasons)
    json.push_back(
        {{"reason", lowConfidenceName(one.reason)}, {"kernel", one.kernel}, {"value", one.value}});
  return json;
}

std::vector<LowConfidence> lowConfidenceFrom(const JsonValue &json) {
  std::vector<LowConfidence> reasons;
  for (const JsonValue &row : json.list()) {
    const JsonValue reason = row.at("reason");
    const auto found = std::ranges::find(kReasons, std::string_view(reason.text()));
    if (found == kReasons.end())
      reason.fail("is not a reason of low confidence");
    reasons.push_back({static_cast<LowConfidenceReason>(found - kReasons.begin()),
                       row.at("kernel").text(), row.at("value").nonNegativeNumber()});
  }
  return reasons;
}

std::vector<std::optional<Layout>> layoutsByGroup(const Plan &plan, const trace::SiteTable &sites) {
  std::vector<std::optional<Layout>> layouts(sites.groups.size());
  for (std::size_t g = 0; g < layouts.size(); ++g) {
    const trace::Group &group = sites.groups[g];
    const auto decision = std::ranges::find_if(plan.decisions, [&](const Decision &candidate) {
      return candidate.record == sites.records[group.record].name &&
             candidate.arrays == group.arrays;
    });
    if (decision != plan.decisions.end() && !decision->keep)
      layouts[g] = decision->layout;
  }
  return layouts;
}

std::string toJson(const Plan &plan) {
  Json json{{"format", kFormat},
            {"version", kVersion},
            {"sourceFile", plan.sourceFile},
            {"sourceDigest", plan.sourceDigest},
            {"policy", plan.policy}};
  Json &decisions = json["decisions"] = Json::array();
  for (const Decision &decision : plan.decisions)
    decisions.push_back({{"record", decision.record},
                         {"arrays", decision.arrays},
                         {"fields", decision.fields},
                         {"keep", decision.keep},
                         {"layout", toJson(decision.layout, decision.fields)},
                         {"reason", decision.reason},
                         {"lowConfidence", toJson(decision.lowConfidence)}});
  if (!plan.boundedKernels.empty())
    json["launchBounds"] = plan.boundedKernels;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Plan> planFromJson(std::string_view json) {
  Result<Plan> plan = readJson(json, Code::NotAPlan, planFrom);
  if (!plan)
    plan.error().text =
        (plan.error().code == Code::NotAPlan ? "not a plan: " : "invalid layout: ") +
        plan.error().text;
  return plan;
}

} // namespace relayout::analysis
