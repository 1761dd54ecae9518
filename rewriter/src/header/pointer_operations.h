// SPDX-License-Identifier: Apache-2.0
// The operations that views share with pointers, as far as a program uses them.
#pragma once

#include "header/view_storage.h"

#include <string>

namespace relayout::rewriter {

/// What the header needs for what the program does: a sum is an advance, a copy loads and stores.
[[nodiscard]] ViewOperations needsOf(const HeaderParts &parts, bool scattersRanges);

/// True where some view may stand at another element than its array's first.
[[nodiscard]] bool mayMove(const ViewOperations &needs);

/// Members and friends of a view class.
[[nodiscard]] std::string pointerOperations(const ViewStorage &storage, const std::string &view,
                                            const ViewOperations &needs);

} // namespace relayout::rewriter
