// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which code of a function runs as a whole, so that one counter can count for it.
#pragma once

#include "gpu/variable_uses.h"
#include "model/body_walker.h"
#include "parse/statement_tokens.h"

#include <functional>
#include <optional>

namespace relayout::instrument {

/// Code that runs as a whole, told by where it begins: a stable place, so that instantiations of a
/// template can be compared.
struct ControlRegion {
  enum class Opens { With, Behind };
  StablePlace place;
  Opens opens = Opens::With;
  bool isInLoop = false;
  /// The outermost loop around it that all lanes which enter it run alike.
  std::optional<TokenRange> uniformLoop;

  auto operator<=>(const ControlRegion &) const = default;
};

struct LoopFound {
  const clang::Stmt *loop;
  bool isUniform; ///< all lanes that enter it make the same number of iterations
  bool hasPragma; ///< or another attribute
  /// Where it is uniform: the outermost such loop around it, or itself.
  std::optional<TokenRange> uniformLoop;
};

/// What is told of the regions of a function.
struct RegionSink {
  std::function<void(const clang::Expr *, const ControlRegion &)> onExpression;
  std::function<void(const LoopFound &)> onLoop;
};

/// Finds the region of every expression of a function.
/// \param uses  of the variables in this function
/// \returns  false when control flows in a way that is not followed: nothing is known then
[[nodiscard]] bool findRegions(const WalkContext &context, const clang::FunctionDecl *function,
                               const VariableUses &uses, const RegionSink &sink);

} // namespace relayout::instrument
