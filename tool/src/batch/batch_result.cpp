// SPDX-License-Identifier: Apache-2.0
// A program's result in a batch, and its JSON.
#include "batch/batch_result.h"

#include "relayout/base/json_reader.h"
#include "stages/median.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace relayout::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 3;

/// Variants nearer to each other than this are alike.
constexpr double kFaster = 1.01;

constexpr std::array<const char *, 6> kStates = {"original", "verified", "unchanged",
                                                 "refused",  "failed",   "hand-tuned"};

VariantState stateFrom(const std::string &name) {
  const auto found = std::ranges::find(kStates, name);
  if (found == kStates.end())
    throw nlohmann::json::other_error::create(0, "unknown state", nullptr);
  return static_cast<VariantState>(found - kStates.begin());
}

tl::unexpected<Error> otherVersion(const std::string &path) {
  return fail(Code::OtherFileVersion,
              fmt::format("'{}' was not written by this version of 'relayout batch'", path));
}

} // namespace

const char *stateName(VariantState state) { return kStates[static_cast<std::size_t>(state)]; }

const BatchVariant *BatchResult::find(const std::string &name) const {
  const auto found = std::ranges::find(variants, name, &BatchVariant::name);
  return found == variants.end() ? nullptr : &*found;
}

const BatchVariant *BatchResult::measured(const BatchVariant *variant) const {
  const BatchVariant *other = variant->sameAs.empty() ? nullptr : find(variant->sameAs);
  return other ? other : variant;
}

std::optional<double> BatchResult::medianFigure(const std::string &variant) const {
  const BatchVariant *found = find(variant);
  if (!found)
    return std::nullopt;
  const std::vector<double> &figures = measured(found)->figures;
  return figures.empty() ? std::nullopt : std::optional(median(figures));
}

const BatchVariant *BatchResult::fastest() const {
  const BatchVariant *best = nullptr;
  for (const BatchVariant &variant : variants) {
    const std::optional<double> median = medianFigure(variant.name);
    if (variant.state != VariantState::HandTuned && measured(&variant)->gpuText.empty() && median &&
        (!best || *median > *medianFigure(best->name)))
      best = &variant;
  }
  return best;
}

const BatchVariant *BatchResult::kept(const std::string &policy) const {
  const BatchVariant *choice = find(policy);
  if (choice == nullptr || choice->lowConfidence.empty())
    return choice;
  const BatchVariant *best = fastest();
  return best != nullptr && ratio(best->name, policy).value_or(0) > kFaster ? best : choice;
}

std::optional<double> BatchResult::ratio(const std::string &a, const std::string &b) const {
  const std::optional<double> first = medianFigure(a), second = medianFigure(b);
  if (!first || !second || *second <= 0)
    return std::nullopt;
  return *first / *second;
}

nlohmann::ordered_json toJson(const BatchResult &result) {
  Json variants = Json::array();
  Json kept = Json::object(); // for readers; follows from the rest
  for (const BatchVariant &variant : result.variants) {
    if (!variant.lowConfidence.empty())
      kept[variant.name] = result.kept(variant.name)->name;
    Json row{{"name", variant.name},
             {"layout", variant.layout},
             {"reason", variant.reason},
             {"lowConfidence", analysis::toJson(variant.lowConfidence)},
             {"state", stateName(variant.state)},
             {"text", variant.text},
             {"source", variant.source},
             {"sameAs", variant.sameAs}};
    if (variant.verifiedOnGpu)
      row["verifiedOnGpu"] = *variant.verifiedOnGpu;
    row["figures"] = variant.figures;
    row["gpuText"] = variant.gpuText;
    variants.push_back(std::move(row));
  }
  return {{"format", "relayout-batch-program"},
          {"version", kVersion},
          {"program", result.program},
          {"unit", result.unit},
          {"preparedFrom", result.preparedFrom},
          {"measuredOn", result.measuredOn},
          {"traced", result.traced},
          {"failure", result.failure},
          {"kept", std::move(kept)},
          {"variants", std::move(variants)}};
}

Result<BatchResult> batchResultFrom(const std::string &text, const std::string &path) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != "relayout-batch-program" || json.at("version") != kVersion)
      throw nlohmann::json::other_error::create(0, "another format", nullptr);
    BatchResult result;
    json.at("program").get_to(result.program);
    json.at("unit").get_to(result.unit);
    json.at("preparedFrom").get_to(result.preparedFrom);
    json.at("measuredOn").get_to(result.measuredOn);
    json.at("traced").get_to(result.traced);
    json.at("failure").get_to(result.failure);
    for (const Json &row : json.at("variants")) {
      BatchVariant variant;
      row.at("name").get_to(variant.name);
      row.at("layout").get_to(variant.layout);
      row.at("reason").get_to(variant.reason);
      variant.lowConfidence =
          analysis::lowConfidenceFrom(JsonValue(row.at("lowConfidence"), "'lowConfidence'"));
      variant.state = stateFrom(row.at("state").get<std::string>());
      row.at("text").get_to(variant.text);
      row.at("source").get_to(variant.source);
      row.at("sameAs").get_to(variant.sameAs);
      if (row.contains("verifiedOnGpu"))
        variant.verifiedOnGpu = row.at("verifiedOnGpu").get<bool>();
      row.at("figures").get_to(variant.figures);
      row.at("gpuText").get_to(variant.gpuText);
      result.variants.push_back(std::move(variant));
    }
    return result;
  } catch (const JsonMismatch &) {
    return otherVersion(path);
  } catch (const nlohmann::json::exception &) {
    return otherVersion(path);
  }
}

} // namespace relayout::tool
