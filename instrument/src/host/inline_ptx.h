// SPDX-License-Identifier: Apache-2.0
// Lowering: single PTX instructions in inline assembly, as C++ on the operands.
#pragma once

#include "relayout/instrument/clang/token_edits.h"

#include <clang/AST/Stmt.h>

#include <optional>
#include <string>
#include <vector>

namespace relayout::instrument {

/// C++ statements for the assembly, on operands named relayoutOperand0, 1 … as the text numbers
/// them.
/// \param text   of the assembly: one instruction, perhaps in braces
/// \param names  of the operands, empty where they have none
/// \returns  nothing for an instruction or a form that is not known
[[nodiscard]] std::optional<std::string> statementOfPtx(const std::string &text,
                                                        const std::vector<std::string> &names);

/// Replaces the assembly statement by C++.
/// \returns  false if it is not known, or its text cannot be edited
[[nodiscard]] bool lowerAssembly(const clang::GCCAsmStmt &assembly, TokenEdits &edits);

/// What the statement's text is, for a message: its first instruction.
[[nodiscard]] std::string firstInstruction(const clang::GCCAsmStmt &assembly);

} // namespace relayout::instrument
