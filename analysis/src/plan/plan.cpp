// SPDX-License-Identifier: Apache-2.0
// The plan as JSON. Fields are named, not numbered, so that a person can edit the file.
#include "relayout/analysis/plan/plan.h"

#include "relayout/base/json_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "relayout-plan";
constexpr std::uint64_t kVersion = 1;

/// More than any memory has.
constexpr std::uint64_t kMostBytes = 1ull << 48;

std::uint32_t alignmentFrom(const JsonValue &value) {
  const auto alignment = static_cast<std::uint32_t>(value.count(1u << 20, Code::InvalidPlan));
  if (alignment != 0 && !std::has_single_bit(alignment))
    value.fail(fmt::format("of {} bytes is not a power of two", alignment), Code::InvalidPlan);
  return alignment;
}

[[noreturn]] void failLayout(const std::string &what) {
  throw JsonMismatch{what, Code::InvalidPlan};
}

Json toJson(const Layout &layout, const std::vector<std::string> &fields) {
  Json clusters = Json::array();
  for (const Cluster &cluster : layout.clusters) {
    Json names = Json::array();
    for (const std::uint32_t field : cluster.fields)
      names.push_back(fields.at(field));
    Json row{{"fields", std::move(names)}, {"alignment", cluster.alignment}};
    if (cluster.exploded)
      row["exploded"] = true;
    clusters.push_back(std::move(row));
  }
  return {{"clusters", std::move(clusters)},
          {"tile", layout.tile},
          {"padBytes", layout.padBytes},
          {"startAlignment", layout.startAlignment}};
}

/// \param seen  by field; set for those of the cluster
Cluster clusterFrom(const JsonValue &json, const Decision &decision, std::vector<bool> &seen) {
  Cluster cluster;
  cluster.alignment = alignmentFrom(json.at("alignment"));
  const auto exploded = json.find("exploded");
  cluster.exploded = exploded && exploded->flag();
  for (const std::string &name : json.at("fields").texts()) {
    const auto found = std::ranges::find(decision.fields, name);
    if (found == decision.fields.end())
      failLayout(fmt::format("'{}' has no field '{}'", decision.record, name));
    const auto index = static_cast<std::uint32_t>(found - decision.fields.begin());
    if (seen[index])
      failLayout(fmt::format("field '{}' of '{}' is in the layout twice", name, decision.record));
    seen[index] = true;
    cluster.fields.push_back(index);
  }
  if (cluster.fields.empty())
    failLayout(fmt::format("a cluster of '{}' has no fields", decision.record));
  return cluster;
}

Layout layoutFrom(const JsonValue &json, const Decision &decision) {
  Layout layout;
  layout.tile = json.at("tile").count(kMostBytes, Code::InvalidPlan);
  layout.padBytes = json.at("padBytes").count(kMostBytes, Code::InvalidPlan);
  layout.startAlignment = alignmentFrom(json.at("startAlignment"));
  std::vector<bool> seen(decision.fields.size(), false);
  for (const JsonValue &row : json.at("clusters").list())
    layout.clusters.push_back(clusterFrom(row, decision, seen));
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i] && !decision.keep)
      failLayout(
          fmt::format("the layout of '{}' lacks field '{}'", decision.record, decision.fields[i]));
  return layout;
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
  decision.layout = layoutFrom(json.at("layout"), decision);
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
  return plan;
}

constexpr std::array<std::string_view, 3> kReasons = {"unsampled-accesses", "few-warps",
                                                      "unknown-warps"};

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
