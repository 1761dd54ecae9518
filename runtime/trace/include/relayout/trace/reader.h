// SPDX-License-Identifier: Apache-2.0
// Reads a trace back; what it returns has been held against its checksums and its own totals.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <functional>
#include <string>

namespace relayout::trace {

/// Reads everything but the warp accesses, which are checked and counted only.
/// A file that ends early is no error here: what it holds comes back with `complete` false and,
/// as totals are written last, without counts and kernel names. requireComplete() makes it one.
/// \error RL-T01 not a trace; RL-T02 of another version; RL-T03 damaged; RL-T05 its site table is
///        not one; RL-T06 its totals contradict each other; RL-T07 the file cannot be read
[[nodiscard]] Result<Trace> readTrace(const std::string &path);

/// \error RL-T04 the traced program did not end in order
[[nodiscard]] Result<void> requireComplete(const Trace &trace, const std::string &path);

/// Calls back for every warp access, in file order, holding one chunk in memory at a time.
/// Return false from the callback to stop; totals are then not checked.
/// \error as readTrace, and RL-T04 when the file ends early, after all that is there was delivered;
///        RL-T06 when a site's number of records differs from what its count row says
[[nodiscard]] Result<void> forEachAccess(const std::string &path,
                                         const std::function<bool(const WarpAccess &)> &callback);

} // namespace relayout::trace
