// SPDX-License-Identifier: Apache-2.0
// Policy replay: what converting between layouts at host copies costs.
#pragma once

#include "relayout/analysis/replay/search/candidate.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <cstdint>

namespace relayout::analysis {

/// Bytes of a group's arrays that a changed layout converts: what the host copies back, and one
/// upload an array.
[[nodiscard]] std::uint64_t convertedBytes(const trace::Trace &trace, const ReplaySample &sample,
                                           trace::Index group);

[[nodiscard]] HostCopies hostCopies(const trace::Trace &trace, const ReplaySample &sample,
                                    trace::Index group);

/// Each byte is read and written.
[[nodiscard]] double conversionNs(std::uint64_t bytes, const Machine &machine);

} // namespace relayout::analysis
