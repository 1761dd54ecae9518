// SPDX-License-Identifier: Apache-2.0
// The operations that views share with pointers, as far as a program uses them.
#pragma once

#include "header/view_storage.h"

#include <cstdint>
#include <string>

namespace relayout::rewriter {

/// What the header needs for what the program does: a sum is an advance, a copy loads and stores.
[[nodiscard]] ViewOperations needsOf(const HeaderParts &parts, bool scattersRanges);

/// With what iterators do besides.
[[nodiscard]] ViewOperations withIteration(ViewOperations needs);

/// True where some view may stand at another element than its array's first.
[[nodiscard]] bool mayMove(const ViewOperations &needs);

/// Arithmetic of a view class.
/// \param advance  statements that move a view by n
[[nodiscard]] std::string pointerOperations(const std::string &view, const std::string &advance,
                                            const ViewOperations &needs);

/// Tests, comparisons and differences of both view classes, as members and friends of the one that
/// both are.
/// \param stepElements  elements from one that a pointer may point to to the next
[[nodiscard]] std::string comparisons(const ViewStorage &storage, const std::string &view,
                                      const ViewOperations &needs, std::uint64_t stepElements);

} // namespace relayout::rewriter
