// SPDX-License-Identifier: Apache-2.0
// Whether a number of bytes is one of whole records.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// True where the source says so by itself: a product with `sizeof` of the record, or a variable
/// that holds one and does not change.
[[nodiscard]] bool countsWholeRecords(const Program &program, const clang::Expr &bytes,
                                      const clang::CXXRecordDecl &record);

} // namespace relayout::rewriter
