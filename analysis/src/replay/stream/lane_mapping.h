// SPDX-License-Identifier: Apache-2.0
// Policy replay: from the lanes' addresses to elements and leaves of one array.
#pragma once

#include "replay/stream/open_bundle.h"
#include "replay/stream/site_facts.h"

namespace relayout::analysis {

/// Sets the bundle's pattern and set to what an access touches.
/// \param facts  the site's; they know the array that the first lane's address lies in
/// \returns  false where a lane is outside the array, or not where the field lies
bool mapLanes(const trace::WarpAccess &access, std::uint32_t site, SiteFacts &facts,
              OpenBundle &bundle);

} // namespace relayout::analysis
