// SPDX-License-Identifier: Apache-2.0
// The plan as JSON. Fields are named, not numbered, so that a person can edit the file.
#include "relayout/analysis/plan/plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "relayout-plan";
constexpr int kVersion = 1;

/// Thrown inside this file only, caught at its door.
struct Malformed {
  Code code;
  std::string what;
};

std::uint64_t number(const Json &json, const char *key, std::uint64_t limit) {
  const Json &value = json.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > limit)
    throw Malformed{Code::InvalidPlan, fmt::format("'{}' is no count up to {}", key, limit)};
  return value.get<std::uint64_t>();
}

std::uint32_t alignmentFrom(const Json &json, const char *key) {
  const auto alignment = static_cast<std::uint32_t>(number(json, key, 1u << 20));
  if (alignment != 0 && !std::has_single_bit(alignment))
    throw Malformed{Code::InvalidPlan,
                    fmt::format("'{}' of {} bytes is no power of two", key, alignment)};
  return alignment;
}

const Json &array(const Json &json, const char *key) {
  const Json &value = json.at(key);
  if (!value.is_array())
    throw Malformed{Code::NotAPlan, fmt::format("'{}' is no array", key)};
  return value;
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

Layout layoutFrom(const Json &json, const Decision &decision) {
  Layout layout;
  layout.tile = number(json, "tile", 1ull << 48);
  layout.padBytes = number(json, "padBytes", 1ull << 48);
  layout.startAlignment = alignmentFrom(json, "startAlignment");
  std::vector<bool> seen(decision.fields.size(), false);
  for (const Json &row : array(json, "clusters")) {
    Cluster cluster;
    cluster.alignment = alignmentFrom(row, "alignment");
    cluster.exploded = row.value("exploded", false);
    for (const Json &name : array(row, "fields")) {
      const auto found = std::ranges::find(decision.fields, name.get<std::string>());
      if (found == decision.fields.end())
        throw Malformed{Code::InvalidPlan, fmt::format("'{}' has no field '{}'", decision.record,
                                                       name.get<std::string>())};
      const auto index = static_cast<std::uint32_t>(found - decision.fields.begin());
      if (seen[index])
        throw Malformed{
            Code::InvalidPlan,
            fmt::format("field '{}' of '{}' stands in the layout twice", *found, decision.record)};
      seen[index] = true;
      cluster.fields.push_back(index);
    }
    if (cluster.fields.empty())
      throw Malformed{Code::InvalidPlan,
                      fmt::format("a cluster of '{}' has no fields", decision.record)};
    layout.clusters.push_back(std::move(cluster));
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i] && !decision.keep)
      throw Malformed{Code::InvalidPlan, fmt::format("the layout of '{}' lacks field '{}'",
                                                     decision.record, decision.fields[i])};
  return layout;
}

Decision decisionFrom(const Json &json) {
  Decision decision;
  decision.record = json.at("record").get<std::string>();
  decision.arrays = array(json, "arrays").get<std::vector<std::string>>();
  decision.fields = array(json, "fields").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < decision.fields.size(); ++i)
    if (std::find(decision.fields.begin(), decision.fields.begin() + static_cast<long>(i),
                  decision.fields[i]) != decision.fields.begin() + static_cast<long>(i))
      throw Malformed{Code::InvalidPlan, fmt::format("field '{}' of '{}' is listed twice",
                                                     decision.fields[i], decision.record)};
  decision.keep = json.at("keep").get<bool>();
  decision.layout = layoutFrom(json.at("layout"), decision);
  decision.reason = json.at("reason").get<std::string>();
  decision.doubt = json.value("doubt", "");
  return decision;
}

/// The JSON library's words without its "[json.exception.parse_error.101] ".
std::string_view withoutNumber(std::string_view what) {
  const std::size_t end = what.find("] ");
  return end == std::string_view::npos ? what : what.substr(end + 2);
}

Plan planFrom(const Json &json) {
  if (json.at("format").get<std::string>() != kFormat)
    throw Malformed{Code::NotAPlan, "its 'format' is another"};
  if (json.at("version") != kVersion)
    throw Malformed{Code::NotAPlan,
                    fmt::format("it is of version {}; this program reads version {}",
                                json.at("version").dump(), kVersion)};
  Plan plan;
  plan.sourceFile = json.at("sourceFile").get<std::string>();
  plan.sourceDigest = json.at("sourceDigest").get<std::string>();
  plan.policy = json.at("policy").get<std::string>();
  for (const Json &row : array(json, "decisions"))
    plan.decisions.push_back(decisionFrom(row));
  return plan;
}

} // namespace

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
                         {"doubt", decision.doubt}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Plan> planFromJson(std::string_view json) {
  try {
    return planFrom(Json::parse(json));
  } catch (const Malformed &malformed) {
    const char *opening = malformed.code == Code::NotAPlan
                              ? "this is no plan: "
                              : "the plan has a layout that cannot be: ";
    return fail(malformed.code, opening + malformed.what);
  } catch (const nlohmann::json::exception &exception) {
    return fail(Code::NotAPlan,
                fmt::format("this is no plan: {}", withoutNumber(exception.what())));
  }
}

} // namespace relayout::analysis
