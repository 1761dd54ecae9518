// SPDX-License-Identifier: Apache-2.0
// Where alignas at a record's declaration does what a layout asks for, and nothing else.
#pragma once

#include "pass/program.h"
#include "relayout/analysis/plan/plan.h"

#include <cstdint>
#include <set>

namespace relayout::rewriter {

/// The alignment of a layout that has the record's bytes at their places, and is aligned further,
/// no more than all memory of the host is; 0 for other layouts.
[[nodiscard]] std::uint32_t alignmentAlone(const analysis::Decision &decision,
                                           const RecordShape &shape);

/// By the place of their definition, the records of a unit whose alignment has to stay: they are
/// parts of others, which would grow, or memory that may stand anywhere is taken for them.
[[nodiscard]] std::set<FilePlace> fixedAlignments(const Program &program);

/// Where the record is defined; nothing where alignas cannot be said there for it alone.
[[nodiscard]] std::optional<FilePlace> alignablePlace(const Program &program,
                                                      const clang::CXXRecordDecl &record,
                                                      const RecordShape &shape);

/// Says it there.
/// \returns false where the declaration's text is not the record's alone
[[nodiscard]] bool alignDeclaration(Program &program, const clang::CXXRecordDecl &record,
                                    std::uint32_t alignment);

} // namespace relayout::rewriter
