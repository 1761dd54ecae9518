// SPDX-License-Identifier: Apache-2.0
// Functions of the program that allocate, copy, set or free memory of any type
// (relayout/instrument/clang/untyped_functions.h): for a rewritten array a copy is written that
// takes and returns views, and calls name it.
#pragma once

#include "edits/token_edits.h"
#include "pass/program.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <variant>

namespace relayout::rewriter {

/// What takes the place of a pointer without a type.
enum class UntypedRole { Kept, View, Records };

/// A function as it is written for one record.
struct UntypedCopy {
  instrument::UntypedFunction function;
  const Target *target = nullptr;
  std::vector<UntypedRole> roles; ///< by pointer
  std::string name;               ///< the function's own where the types tell its copy
  /// Its parameters for extents that are known at run time, in the order of the layout's texts;
  /// where it allocates.
  std::vector<std::string> extents;
  int height = 0;             ///< of the copies that it calls
  clang::SourceLocation call; ///< the first of it that is not in another copy
};

/// Asks for the copy that a call of such a function needs, of which an argument is a view, or whose
/// result becomes one.
[[nodiscard]] std::variant<const UntypedCopy *, Refusal>
untypedCopyFor(Program &program, const clang::CallExpr &call, const Target &target);

/// A copy without a name.
[[nodiscard]] UntypedCopy copyOf(instrument::UntypedFunction function, const Target &target,
                                 std::vector<UntypedRole> roles);

/// Renames the call, drops the casts of its arguments, and passes extents.
[[nodiscard]] std::optional<Refusal> editUntypedCall(Program &program, TokenEdits &edits,
                                                     const clang::CallExpr &call,
                                                     const UntypedCopy &copy);

/// Writes the copies behind their functions, or behind the include of the record's header. Last.
void writeUntypedCopies(Program &program);

} // namespace relayout::rewriter
