// SPDX-License-Identifier: Apache-2.0
// Names that the text and the JSON report give to the same things.
#pragma once

#include "relayout/analysis/nakai/nakai.h"

#include <string>
#include <vector>

namespace relayout::analysis {

/// Rows by weight, the heaviest first whatever its sign; then by executions, then as given.
[[nodiscard]] std::vector<std::size_t> heaviestFirst(const std::vector<SiteRow> &rows,
                                                     std::vector<std::size_t> positions);

/// "sph.cu:41:8", the file without its folder; "-" for an unknown place.
[[nodiscard]] std::string shortPlace(const SourcePlace &place);

/// "Particle.x", or "Particle" for a whole-record copy.
[[nodiscard]] std::string subject(const trace::SiteTable &table, const trace::Site &site);

/// Names of the fields, space between.
[[nodiscard]] std::string fieldNames(const std::set<std::uint32_t> &fields,
                                     const std::vector<std::string> &names);

/// "loop sph.cu:41:8", or "outside loops".
[[nodiscard]] std::string loopName(const trace::SiteTable &table, trace::Index loop);

} // namespace relayout::analysis
