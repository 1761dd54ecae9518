// SPDX-License-Identifier: Apache-2.0
// A plan for a layout asked for by name, without a policy's judgement.
#include "relayout/analysis/plan/uniform_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>

namespace relayout::analysis {
namespace {

constexpr std::uint32_t kDefaultAlignment = 16;
constexpr std::uint32_t kLargestAlignment = 256; // more than cudaMalloc promises helps no one

/// The number that follows `prefix` and ends the name.
std::optional<std::uint32_t> numberAfter(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  std::uint32_t number = 0;
  const char *end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + prefix.size(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    return std::nullopt;
  return number;
}

} // namespace

std::string fixedLayoutNames() {
  return "aos, aligned-aos, aligned-aos-BYTES, soa, exploded-soa, aosoa-ELEMENTS";
}

Result<Layout> layoutByName(std::string_view name, const std::vector<LayoutField> &fields) {
  std::uint32_t natural = 1;
  for (const LayoutField &field : fields)
    natural = std::max(natural, field.alignment);

  if (name == "aos")
    return aos(fields);
  if (name == "soa")
    return soa(fields);
  if (name == "exploded-soa")
    return explodedSoa(fields);
  if (name == "aligned-aos")
    return alignedAos(fields, std::max(kDefaultAlignment, natural));
  if (const auto alignment = numberAfter(name, "aligned-aos-");
      alignment && std::has_single_bit(*alignment) && *alignment <= kLargestAlignment)
    return alignedAos(fields, std::max(*alignment, natural));
  if (const auto tile = numberAfter(name, "aosoa-"); tile && *tile != 0)
    return aosoa(fields, *tile);
  return fail(Code::UnknownLayout,
              fmt::format("there is no layout '{}'; there are {}", name, fixedLayoutNames()));
}

Result<Plan> fixedPlan(const trace::SiteTable &sites, std::string_view name) {
  // A site whose array is not known may be of any group of its record.
  std::set<trace::Index> groups;
  std::set<trace::Index> records;
  for (const trace::Reach &reach : sites.reaches) {
    const trace::Site &site = sites.sites[reach.site];
    if (site.group != trace::kNone)
      groups.insert(site.group);
    else if (site.record != trace::kNone)
      records.insert(site.record);
  }

  Plan plan{.sourceFile = sites.sourceFile,
            .sourceDigest = sites.sourceDigest,
            .policy = "fixed",
            .decisions = {}};
  for (trace::Index i = 0; i < sites.groups.size(); ++i) {
    const trace::Group &group = sites.groups[i];
    if (!groups.contains(i) && !records.contains(group.record))
      continue;
    const trace::Record &record = sites.records[group.record];
    const std::vector<LayoutField> fields = layoutFields(record);
    Result<Layout> layout = layoutByName(name, fields);
    if (!layout)
      return tl::unexpected(layout.error());
    // Elements of one field alone lie the same way in most layouts, and plain arrays have no other
    // that is asked for by name.
    const bool isPlain = fields.size() == 1 && record.place.file.empty();
    if (isPlain)
      layout = aos(fields);
    const bool isSource = *layout == aos(fields);
    Decision decision{.record = record.name,
                      .arrays = group.arrays,
                      .fields = {},
                      .layout = std::move(*layout),
                      .keep = isSource,
                      .reason = fmt::format("'{}' was asked for", name)};
    for (const LayoutField &field : fields)
      decision.fields.push_back(field.name);
    plan.decisions.push_back(std::move(decision));
  }
  // A wrong name is an error even where there is nothing to apply it to.
  if (Result<Layout> layout = layoutByName(name, {}); !layout)
    return tl::unexpected(layout.error());
  return plan;
}

} // namespace relayout::analysis
