// SPDX-License-Identifier: Apache-2.0
// Names that the text and the JSON report give to the same things.
#include "report/nakai_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace relayout::analysis {

std::vector<std::size_t> heaviestFirst(const std::vector<SiteRow> &rows,
                                       std::vector<std::size_t> positions) {
  std::ranges::stable_sort(positions, [&rows](std::size_t a, std::size_t b) {
    const double weightA = std::abs(rows[a].weight);
    const double weightB = std::abs(rows[b].weight);
    return weightA != weightB ? weightA > weightB : rows[a].warpAccesses > rows[b].warpAccesses;
  });
  return positions;
}

std::string shortPlace(const SourcePlace &place) {
  if (place.file.empty())
    return "-";
  const std::string name = place.file.substr(place.file.find_last_of('/') + 1);
  return place.line == 0 ? name : fmt::format("{}:{}:{}", name, place.line, place.column);
}

std::string subject(const trace::SiteTable &table, const trace::Site &site) {
  const trace::Record &record = table.records[site.record];
  return site.field == trace::kNone ? record.name
                                    : record.name + "." + record.fields[site.field].name;
}

std::string fieldNames(const std::set<std::uint32_t> &fields,
                       const std::vector<std::string> &names) {
  std::vector<std::string> chosen;
  for (const std::uint32_t field : fields)
    chosen.push_back(names[field]);
  return fmt::format("{}", fmt::join(chosen, " "));
}

std::string loopName(const trace::SiteTable &table, trace::Index loop) {
  return loop == trace::kNone ? "outside loops" : "loop " + shortPlace(table.loops[loop].place);
}

} // namespace relayout::analysis
