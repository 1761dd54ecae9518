// SPDX-License-Identifier: Apache-2.0
// Which records can change their layout, and what the header must know of them.
#pragma once

#include "pass/program.h"
#include "relayout/rewriter/header.h"

#include <clang/AST/DeclCXX.h>

#include <optional>

namespace relayout::rewriter {

/// The record's shape, or nothing after a refusal (RL-R01) for everything that stands against it.
[[nodiscard]] std::optional<RecordShape> shapeOf(const Program &program,
                                                 const clang::CXXRecordDecl &record);

/// The same without a look at the record as a whole, and at how it is copied.
[[nodiscard]] std::optional<RecordShape> shapeOfMembers(const clang::CXXRecordDecl &record,
                                                        Findings &findings);

/// The record's own name: that of the typedef for `typedef struct { … } Name;`.
[[nodiscard]] std::string nameOf(const clang::CXXRecordDecl &record);

} // namespace relayout::rewriter
