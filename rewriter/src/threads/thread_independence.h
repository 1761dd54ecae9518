// SPDX-License-Identifier: Apache-2.0
// Whether it matters which thread of a block does what.
#pragma once

#include "pass/findings.h"

#include <clang/AST/Decl.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// `threadIdx.x` or another number of a thread or block, where a kernel reads it.
struct NumberUse {
  std::string name;             ///< "threadIdx.x"
  clang::SourceLocation member; ///< of the `x`
};

struct KernelThreads {
  std::set<std::string> named;     ///< by it and what it calls
  std::vector<NumberUse> numbers;  ///< in the kernel's own body
  std::optional<Refusal> whyBound; ///< nothing: any thread may do any other's work
};

/// Reads a kernel and the functions that it calls.
[[nodiscard]] KernelThreads threadsOf(instrument::ParsedUnit &unit,
                                      const clang::FunctionDecl &kernel);

} // namespace relayout::rewriter
