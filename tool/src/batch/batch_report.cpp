// SPDX-License-Identifier: Apache-2.0
// Reports of a batch.
#include "batch/batch_report.h"

#include "relayout/analysis/report/replay_plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace relayout::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kBaseline = "soa"; ///< as the 2017 paper plots it

std::string figureText(std::optional<double> figure) {
  return figure ? fmt::format("{:.4g}", *figure) : "–";
}

std::string ratioText(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "–";
}

/// Largest minus smallest, as a share of the median.
double spreadOf(const std::vector<double> &figures, double median) {
  const auto [least, most] = std::ranges::minmax(figures);
  return (most - least) / median;
}

/// The best of the hand-tuned programs.
std::optional<std::string> bestHandTuned(const BatchResult &result) {
  std::optional<std::string> best;
  for (const BatchVariant &variant : result.variants)
    if (variant.state == VariantState::HandTuned && result.medianFigure(variant.name) &&
        (!best || result.medianFigure(variant.name) > result.medianFigure(*best)))
      best = variant.name;
  return best;
}

void setRatio(Json &table, const std::string &program, std::optional<double> ratio) {
  if (ratio)
    table[program] = std::round(*ratio * 1000) / 1000;
}

Json summaryOf(const BatchReport &report) {
  Json choices = Json::object(), overAos = Json::object(), overSoa = Json::object(),
       overTuned = Json::object(), fastest = Json::object(), fastestOver = Json::object(),
       notKept = Json::object();
  bool allVerified = true;
  std::vector<std::string> programs;
  for (const BatchResult &result : report.results) {
    programs.push_back(result.program);
    allVerified = allVerified && result.failure.empty();
    for (const BatchVariant &variant : result.variants)
      allVerified = allVerified && variant.state != VariantState::Failed &&
                    variant.verifiedOnGpu.value_or(true);
    const std::optional<std::string> tuned = bestHandTuned(result);
    const BatchVariant *best = result.fastest();
    if (best)
      fastest[result.program] = best->name;
    for (const std::string &policy : report.settings.policies) {
      const BatchVariant *kept = result.kept(policy);
      if (!kept)
        continue;
      choices[result.program][policy] = kept->layout;
      if (kept->name != policy)
        notKept[result.program][policy] = result.find(policy)->layout;
      setRatio(overAos[policy], result.program, result.ratio(kept->name, "original"));
      setRatio(overSoa[policy], result.program, result.ratio(kept->name, kBaseline));
      if (best)
        setRatio(fastestOver[policy], result.program, result.ratio(best->name, kept->name));
      if (tuned)
        setRatio(overTuned[policy], result.program, result.ratio(kept->name, *tuned));
    }
  }
  return {{"programs", programs},
          {"all_verified", allVerified},
          {"choices", choices},
          {"choices_not_kept", notKept},
          {"speedup_over_aos", overAos},
          {"speedup_over_soa", overSoa},
          {"speedup_over_hand_tuned", overTuned},
          {"fastest", fastest},
          {"fastest_over_choice", fastestOver}};
}

void appendMeasurements(std::string &text, const BatchResult &result,
                        const std::vector<std::string> &policies) {
  text +=
      fmt::format("\n### {}\n\n| variant | {} | spread | over original | over SoA | copies on the "
                  "GPU |\n|---|---|---|---|---|---|\n",
                  result.program, result.unit);
  for (const BatchVariant &variant : result.variants) {
    if (variant.source.empty())
      continue;
    const BatchVariant &measured = *result.measured(&variant);
    const std::optional<double> median = result.medianFigure(variant.name);
    text += fmt::format(
        "| {}{} | {} | {} | {} | {} | {} |\n", variant.name,
        variant.sameAs.empty() ? "" : fmt::format(" (as {})", variant.sameAs), figureText(median),
        median ? fmt::format("{:.1f} %", 100 * spreadOf(measured.figures, *median)) : "–",
        ratioText(result.ratio(variant.name, "original")),
        ratioText(result.ratio(variant.name, kBaseline)),
        !measured.gpuText.empty() ? measured.gpuText
        : measured.verifiedOnGpu  ? (*measured.verifiedOnGpu ? "identical" : "different")
                                  : "–");
  }
  const BatchVariant *best = result.fastest();
  if (!best)
    return;
  text += fmt::format("\nFastest: {} ({})", best->name, best->layout);
  for (const std::string &policy : policies)
    if (const std::optional<double> ratio = result.ratio(best->name, policy))
      text += fmt::format(", {} times {}'s choice", ratioText(ratio), policy);
  text += "\n";
  for (const std::string &policy : policies)
    if (const BatchVariant *kept = result.kept(policy); kept && kept->name != policy)
      text += fmt::format("\nKept for {}: {} ({}), as confidence in its own choice is low: {}\n",
                          policy, kept->name, kept->source,
                          analysis::describe(result.find(policy)->lowConfidence));
}

/// What each policy says of its choices; predicted times are among it.
void appendReasons(std::string &text, const BatchReport &report) {
  text += "\n## Why\n\n";
  for (const BatchResult &result : report.results)
    for (const BatchVariant &variant : result.variants)
      if (!variant.reason.empty())
        text += fmt::format("- {}, {}: {}\n", result.program, variant.name, variant.reason);
  if (report.machine)
    text += "\n## Measured\n";
}

} // namespace

std::string batchJson(const BatchReport &report) {
  Json json{{"format", "relayout-batch"}, {"version", 1}};
  if (report.machine)
    json["machine"] = {{"gpu", report.machine->gpu},
                       {"driver", report.machine->driver},
                       {"nvcc", report.machine->nvcc},
                       {"runs", report.settings.runs}};
  else
    json["notMeasured"] = report.whyNoGpu;
  json["predictedFor"] = report.settings.machine;
  json["summary"] = summaryOf(report);
  Json &programs = json["programs"] = Json::array();
  for (const BatchResult &result : report.results)
    programs.push_back(toJson(result));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string batchMarkdown(const BatchReport &report) {
  std::string text = "# relayout batch\n\n";
  text +=
      report.machine
          ? fmt::format("{}, driver {}, nvcc {}; median of {} runs a variant. Figures of merit: "
                        "larger is better.\n",
                        report.machine->gpu, report.machine->driver, report.machine->nvcc,
                        report.settings.runs)
          : fmt::format("Nothing was timed: {}.\n", report.whyNoGpu);
  text += "\n| program | variant | layout | on the CPU |\n|---|---|---|---|\n";
  for (const BatchResult &result : report.results) {
    if (!result.failure.empty())
      text += fmt::format("| {} | – | – | failed: {} |\n", result.program, result.failure);
    else if (report.machine && result.traced != "on the GPU")
      text += fmt::format("| {} | – | – | traced {} |\n", result.program, result.traced);
    for (const BatchVariant &variant : result.variants)
      if (variant.state != VariantState::Original && variant.state != VariantState::HandTuned)
        text += fmt::format("| {} | {} | {} | {}{} |\n", result.program, variant.name,
                            variant.layout, stateName(variant.state),
                            variant.state == VariantState::Refused ||
                                    variant.state == VariantState::Failed
                                ? ": " + variant.text
                                : "");
  }
  appendReasons(text, report);
  if (report.machine)
    for (const BatchResult &result : report.results)
      appendMeasurements(text, result, report.settings.policies);
  return text;
}

std::optional<std::string> speedupChart(const BatchReport &report) {
  Json values = Json::array();
  std::vector<std::string> order;
  for (const BatchResult &result : report.results)
    for (const BatchVariant &variant : result.variants) {
      const bool isTuned = variant.state == VariantState::HandTuned;
      if (isTuned && bestHandTuned(result) != variant.name)
        continue;
      const std::string name = isTuned ? "hand-tuned" : variant.name;
      const std::optional<double> ratio = result.ratio(variant.name, kBaseline);
      if (!ratio)
        continue;
      if (std::ranges::find(order, name) == order.end())
        order.push_back(name);
      values.push_back({{"program", result.program}, {"variant", name}, {"speedup", *ratio}});
    }
  if (values.empty())
    return std::nullopt;
  const Json chart{
      {"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
      {"title", fmt::format("Speed-up over SoA, {}", report.machine ? report.machine->gpu : "")},
      {"data", {{"values", values}}},
      {"mark", "bar"},
      {"encoding",
       {{"x", {{"field", "program"}, {"type", "nominal"}, {"title", nullptr}, {"sort", nullptr}}},
        {"xOffset", {{"field", "variant"}, {"sort", order}}},
        {"y", {{"field", "speedup"}, {"type", "quantitative"}, {"title", "speed-up over SoA"}}},
        {"color",
         {{"field", "variant"}, {"type", "nominal"}, {"sort", order}, {"title", nullptr}}}}}};
  return chart.dump(1) + "\n";
}

} // namespace relayout::tool
