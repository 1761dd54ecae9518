// SPDX-License-Identifier: Apache-2.0
// Policy replay: what converting between layouts at copies of the host costs.
#pragma once

#include "relayout/analysis/replay/search/candidate.h"
#include "relayout/analysis/replay/stream/sample.h"

namespace relayout::analysis {

/// Copies that a changed layout of the group converts. One that is repeated in the traced run is
/// taken to be made with every launch of the predicted one.
[[nodiscard]] HostCopies hostCopies(const trace::Trace &trace, const ReplaySample &sample,
                                    trace::Index group);

/// Each byte is read and written; each repeated copy launches a kernel more, which small ones wait
/// for. Copies before and after all work are as few in any run, however short the traced one is.
[[nodiscard]] double conversionNs(const HostCopies &copies, const Machine &machine);

} // namespace relayout::analysis
