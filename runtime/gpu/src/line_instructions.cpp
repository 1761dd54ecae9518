// SPDX-License-Identifier: Apache-2.0
// Source accesses against machine instructions, by line.
#include "relayout/gpu/line_instructions.h"

#include "relayout/trace/site_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <tuple>

namespace relayout::gpu {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void removeAll(std::string &text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
}

/// A kernel's qualified name: of "void sim::step<float>(Body*)", "sim::step".
std::string plainName(std::string name) {
  removeAll(name, "(anonymous namespace)::");
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0)
      break;
    depth += c == '<' ? 1 : 0;
    if (depth == 0)
      plain += c;
    depth -= c == '>' ? 1 : 0;
  }
  const std::size_t space = plain.find_last_of(' ');
  return space == std::string::npos ? plain : plain.substr(space + 1);
}

/// Whether two spellings name one file: the shorter one is the end of the longer one.
bool isSameFile(const std::string &a, const std::string &b) {
  const fs::path left = fs::path(a).lexically_normal(), right = fs::path(b).lexically_normal();
  auto l = left.end(), r = right.end();
  while (l != left.begin() && r != right.begin())
    if (*--l != *--r)
      return false;
  return true;
}

/// Vector types and records that are not aligned are moved in words.
std::uint64_t mostInstructions(std::uint32_t bytes) { return bytes <= 8 ? 1 : (bytes + 3) / 4; }

struct Executed {
  std::string file;
  std::uint32_t line = 0;
  std::string kind;
  std::uint64_t instructions = 0;
};

struct ExecutedKernel {
  std::vector<Executed> rows;
  bool isWhole = true; ///< all launches were counted
};

/// By the kernel's plain name; nothing where the report has no source lines.
std::optional<std::map<std::string, ExecutedKernel>> executedLines(std::string_view report) {
  const Json json = Json::parse(report, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  const Json &run = json.contains("counters") ? json["counters"] : json;
  if (!run.contains("lines") || !run["lines"].is_array())
    return std::nullopt;
  std::map<std::string, ExecutedKernel> executed;
  bool hasLines = false;
  for (const Json &row : run["lines"]) {
    ExecutedKernel &kernel = executed[plainName(row.value("kernel", ""))];
    kernel.rows.push_back({row.value("file", ""), row.value("line", 0u), row.value("kind", ""),
                           row.value("warp_instructions", std::uint64_t{0})});
    hasLines |= kernel.rows.back().line != 0;
    kernel.isWhole &= row.value("launches", 0u) == row.value("counted_launches", 1u);
  }
  return hasLines ? std::optional(std::move(executed)) : std::nullopt;
}

using LineKey = std::tuple<trace::Index, std::string, std::uint32_t, trace::AccessKind>;

std::map<LineKey, LineInstructions> tracedLines(const trace::Trace &trace) {
  std::map<LineKey, LineInstructions> lines;
  for (const trace::SiteCount &count : trace.counts) {
    const auto index = trace::findSite(trace.sites, count.site);
    if (!index || count.warpAccesses == 0)
      continue;
    const trace::Site &site = trace.sites.sites[*index];
    LineInstructions &line = lines[{count.kernel, site.place.file, site.place.line, site.kind}];
    line.kernel = count.kernel;
    line.file = site.place.file;
    line.line = site.place.line;
    line.kind = site.kind;
    line.accesses += count.warpAccesses;
    line.capacity += count.warpAccesses * mostInstructions(site.bytes);
  }
  return lines;
}

/// \param isOnlyAtomic  no other line of the kernel has atomics
void addInstructions(const std::vector<Executed> &executed, bool isOnlyAtomic,
                     LineInstructions &line) {
  for (const Executed &row : executed)
    if (row.line == line.line && row.kind == trace::accessKindName(line.kind) &&
        isSameFile(row.file, line.file))
      line.instructions += row.instructions;
  // Atomics are inlined from CUDA's header, and its line is all that CUPTI reports of them.
  if (line.kind == trace::AccessKind::Atomic && line.instructions == 0 && isOnlyAtomic)
    for (const Executed &row : executed)
      if (row.kind == trace::accessKindName(line.kind) && !isSameFile(row.file, line.file))
        line.instructions += row.instructions;
}

} // namespace

double LineInstructions::perAccess() const {
  return accesses == 0 ? 0
                       : static_cast<double>(std::min(instructions, capacity)) /
                             static_cast<double>(accesses);
}

std::optional<LineComparison> compareLines(const trace::Trace &trace, std::string_view report) {
  const auto executed = executedLines(report);
  if (!executed)
    return std::nullopt;
  std::map<LineKey, LineInstructions> lines = tracedLines(trace);
  std::map<trace::Index, int> atomicLines; // by kernel
  for (const auto &[key, line] : lines)
    atomicLines[line.kernel] += line.kind == trace::AccessKind::Atomic ? 1 : 0;

  LineComparison comparison;
  for (auto &[key, line] : lines) {
    const std::string &name = trace.kernels[line.kernel];
    const auto found = executed->find(plainName(name));
    if (found == executed->end() || !found->second.isWhole) {
      if (std::ranges::find(comparison.uncountedKernels, name) == comparison.uncountedKernels.end())
        comparison.uncountedKernels.push_back(name);
      continue;
    }
    addInstructions(found->second.rows, atomicLines[line.kernel] == 1, line);
    // No compiler leaves one out: which line it is of is not known.
    if (line.kind != trace::AccessKind::Atomic || line.instructions != 0)
      comparison.rows.push_back(line);
  }
  return comparison;
}

std::optional<double> instructionsOf(const LineComparison &comparison, const trace::Trace &trace,
                                     const trace::SiteCount &count) {
  const auto index = trace::findSite(trace.sites, count.site);
  if (!index)
    return std::nullopt;
  const trace::Site &site = trace.sites.sites[*index];
  for (const LineInstructions &row : comparison.rows)
    if (row.kernel == count.kernel && row.line == site.place.line && row.kind == site.kind &&
        row.file == site.place.file)
      return static_cast<double>(count.warpAccesses) * row.perAccess();
  return std::nullopt;
}

std::optional<std::string> addSiteInstructions(const std::string &report,
                                               const LineComparison &comparison,
                                               const trace::Trace &trace) {
  auto json = nlohmann::ordered_json::parse(report, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  auto rows = nlohmann::ordered_json::array();
  for (const trace::SiteCount &count : trace.counts) {
    const auto instructions = instructionsOf(comparison, trace, count);
    if (!instructions)
      continue;
    const trace::Site &site = trace.sites.sites[*trace::findSite(trace.sites, count.site)];
    rows.push_back({{"site", count.site},
                    {"kernel", trace.kernels[count.kernel]},
                    {"file", site.place.file},
                    {"line", site.place.line},
                    {"kind", trace::accessKindName(site.kind)},
                    {"warp_accesses", count.warpAccesses},
                    {"warp_instructions", *instructions}});
  }
  json["counters"]["site_instructions"] = std::move(rows);
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string describeLines(const LineComparison &comparison, const trace::Trace &trace) {
  if (comparison.rows.empty())
    return {};
  std::string text = "machine instructions an access of the source (CUPTI SASS metrics):\n";
  for (const LineInstructions &row : comparison.rows) {
    std::array<char, 160> numbers{};
    std::snprintf(numbers.data(), numbers.size(), "%14llu accesses %14llu instructions  x %.3f",
                  static_cast<unsigned long long>(row.accesses),
                  static_cast<unsigned long long>(row.instructions), row.perAccess());
    text += "  " + row.file + ":" + std::to_string(row.line) + " " +
            trace::accessKindName(row.kind) + " in " + trace.kernels[row.kernel] + ": " +
            numbers.data() + "\n";
  }
  for (const std::string &kernel : comparison.uncountedKernels)
    text += "  " + kernel + ": not every launch was counted\n";
  return text;
}

} // namespace relayout::gpu
