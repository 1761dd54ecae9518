// SPDX-License-Identifier: Apache-2.0
// The text of probes around accesses.
#pragma once

#include "model/probe_points.h"
#include "relayout/instrument/clang/token_edits.h"

#include <string>

namespace relayout::instrument {

/// Gives the accessed object to a probe, which yields it.
/// \param probe  the call up to the object, as in `probe::read(1u, `
void insertProbe(TokenEdits &edits, const Point &point, const std::string &probe);

/// Puts a call in front of the accessed object.
void insertCallBefore(TokenEdits &edits, const Point &point, const std::string &call);

} // namespace relayout::instrument
