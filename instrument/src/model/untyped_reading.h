// SPDX-License-Identifier: Apache-2.0
// Reads functions on memory without a type, also those of which no copy could be written.
#pragma once

#include "relayout/instrument/clang/untyped_functions.h"

namespace relayout::instrument {

enum class UntypedKind {
  Copied, ///< functions of which a copy could be written
  Any     ///< methods, lambdas, instances of templates, and functions with C linkage, too
};

[[nodiscard]] UntypedFunction readUntyped(const clang::FunctionDecl &callee, UntypedKind kind);

} // namespace relayout::instrument
