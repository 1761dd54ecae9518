// SPDX-License-Identifier: Apache-2.0
// Which versions of a function there are: one for each combination of memory that calls give it.
#pragma once

#include "structs/given_memory.h"

#include <functional>

namespace relayout::instrument {

/// The version that a call means where its caller is the version with these parameters.
[[nodiscard]] OtherParameters versionMeantBy(const NamedCall &call, const OtherParameters &callers,
                                             const SharedFunctions &functions);

/// \returns  its name's suffix; empty: the function itself
[[nodiscard]] const std::string &suffixMeantBy(const NamedCall &call,
                                               const OtherParameters &callers,
                                               const SharedFunctions &functions);

/// The suffix at a call where it stands in the text: in the function itself, or in none of these.
[[nodiscard]] const std::string &suffixAt(const NamedCall &call, const SharedFunctions &functions);

/// Finds the versions that calls mean, and names them.
/// \param isKnownName  whether the program has the name
void decideVersions(SharedFunctions &functions, const NamedCalls &calls,
                    const std::function<bool(const std::string &)> &isKnownName);

} // namespace relayout::instrument
