// SPDX-License-Identifier: Apache-2.0
// A plan for a layout asked for by name, without a policy's judgement.
#include "relayout/analysis/fixed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

namespace relayout::analysis {
namespace {

struct NamedLayout {
  std::string_view name;
  Layout (*make)(const std::vector<LayoutField> &);
};

constexpr std::array kLayouts = {
    NamedLayout{"aos", aos},
    NamedLayout{"aligned-aos",
                [](const std::vector<LayoutField> &fields) { return alignedAos(fields, 16); }},
    NamedLayout{"soa", soa}};

} // namespace

std::string fixedLayoutNames() {
  std::vector<std::string_view> names;
  for (const NamedLayout &layout : kLayouts)
    names.push_back(layout.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<Plan> fixedPlan(const trace::SiteTable &sites, std::string_view name) {
  const NamedLayout *chosen = nullptr;
  for (const NamedLayout &layout : kLayouts)
    if (layout.name == name)
      chosen = &layout;
  if (!chosen)
    return fail("RL-P04",
                fmt::format("there is no layout '{}'; there are {}", name, fixedLayoutNames()));
  std::set<trace::Index> accessed;
  for (const trace::Site &site : sites.sites)
    if (site.group != trace::kNone)
      accessed.insert(site.group);
  Plan plan;
  plan.sourceFile = sites.sourceFile;
  plan.sourceDigest = sites.sourceDigest;
  plan.policy = "fixed";
  for (const trace::Index index : accessed) {
    const trace::Group &group = sites.groups[index];
    const trace::Record &record = sites.records[group.record];
    Decision decision;
    decision.record = record.name;
    decision.arrays = group.arrays;
    for (const trace::Field &field : record.fields)
      decision.fields.push_back(field.name);
    decision.layout = chosen->make(layoutFields(record));
    decision.keep = name == "aos";
    decision.reason = fmt::format("'{}' was asked for", name);
    plan.decisions.push_back(std::move(decision));
  }
  return plan;
}

} // namespace relayout::analysis
