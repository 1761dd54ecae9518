// SPDX-License-Identifier: Apache-2.0
// Why arrays keep their layout although another one was asked for by name.
#include "reports/kept_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace relayout::tool {
namespace {

/// Why a decision for records of one field changes nothing.
std::string oneField(const trace::Field &field) {
  if (field.count == 1)
    return "the record has one field";
  return fmt::format("the record has one field, an array; '--layout exploded-soa' stores each of "
                     "its {} elements in a plane of its own",
                     field.count);
}

} // namespace

void printKeptArrays(const trace::SiteTable &sites, const analysis::Plan &plan) {
  for (const trace::Group &group : sites.groups) {
    const trace::Record &record = sites.records[group.record];
    const auto decision =
        std::ranges::find_if(plan.decisions, [&](const analysis::Decision &candidate) {
          return candidate.record == record.name && candidate.arrays == group.arrays;
        });
    const bool isDecided = decision != plan.decisions.end();
    if (record.place.file.empty() || (isDecided && (record.fields.size() > 1 || !decision->keep)))
      continue;
    fmt::print(stderr, "{}:{}:{}: note: the arrays of '{}' around '{}' keep their layout: {}\n",
               group.place.file, group.place.line, group.place.column, record.name,
               group.arrays.front(),
               isDecided ? oneField(record.fields.front())
                         : "no kernel is seen to access a field of their elements");
  }
}

} // namespace relayout::tool
