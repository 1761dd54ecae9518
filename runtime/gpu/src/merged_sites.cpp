// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the site tables of a program's translation units as one.
#include "relayout/gpu/merged_sites.h"

#include <algorithm>
#include <iterator>

namespace relayout::gpu {
namespace {

template <class Row> trace::Index sizeOf(const std::vector<Row> &rows) {
  return static_cast<trace::Index>(rows.size());
}

template <class Row> void append(std::vector<Row> &to, std::vector<Row> &from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void shift(trace::Index &index, trace::Index by) {
  if (index != trace::kNone)
    index += by;
}

} // namespace

Result<MergedSites::Place> MergedSites::add(std::string_view siteTableJson) {
  Result<trace::SiteTable> unit = trace::siteTableFromJson(siteTableJson);
  if (!unit)
    return tl::unexpected(unit.error());
  // Units that were read as one program have one table.
  const auto [known, isNew] =
      places_.try_emplace(std::string(siteTableJson), Place{kernels(), sites_ - 1});
  const Place place = known->second;
  if (!isNew)
    return place;
  std::uint32_t highest = 0;
  for (trace::Loop &loop : unit->loops) {
    highest = std::max(highest, loop.id);
    loop.id += place.firstSite;
    shift(loop.parent, sizeOf(table_.loops));
  }
  for (trace::Group &group : unit->groups)
    shift(group.record, sizeOf(table_.records));
  for (trace::Site &site : unit->sites) {
    highest = std::max(highest, site.id);
    site.id += place.firstSite;
    shift(site.record, sizeOf(table_.records));
    shift(site.group, sizeOf(table_.groups));
    shift(site.loop, sizeOf(table_.loops));
  }
  for (trace::Reach &reach : unit->reaches) {
    shift(reach.kernel, place.firstKernel);
    shift(reach.site, sizeOf(table_.sites));
    shift(reach.loop, sizeOf(table_.loops));
  }
  for (trace::CodeOutline &outline : unit->outlines)
    for (trace::code::Step &step : outline.steps) {
      if (auto *access = std::get_if<trace::code::Access>(&step))
        shift(access->site, sizeOf(table_.sites));
      else if (auto *loop = std::get_if<trace::code::Loop>(&step))
        shift(loop->loop, sizeOf(table_.loops));
      else if (auto *single = std::get_if<trace::code::SingleTrip>(&step))
        shift(single->loop, sizeOf(table_.loops));
      else if (auto *call = std::get_if<trace::code::Call>(&step))
        shift(call->outline, sizeOf(table_.outlines));
    }
  sites_ += highest;
  const bool isFirst = table_.sourceFile.empty();
  table_.sourceFile += (isFirst ? "" : " ") + unit->sourceFile;
  table_.sourceDigest += (isFirst ? "" : " ") + unit->sourceDigest;
  append(table_.records, unit->records);
  append(table_.groups, unit->groups);
  append(table_.loops, unit->loops);
  append(table_.sites, unit->sites);
  append(table_.kernels, unit->kernels);
  append(table_.reaches, unit->reaches);
  append(table_.outlines, unit->outlines);
  return place;
}

} // namespace relayout::gpu
