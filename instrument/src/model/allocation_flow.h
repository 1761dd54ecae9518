// SPDX-License-Identifier: Apache-2.0
// Calls that give pointers to records memory, or an address that CUDA knows.
#pragma once

#include "model/flow_graph.h"

#include <map>
#include <string>

namespace relayout::instrument {

/// Functions with a parameter `void **` that some unit defines, by symbol.
using FunctionsThatFillIn = std::map<std::string, const clang::FunctionDecl *>;

/// Adds a unit's.
void addFunctionsThatFillIn(ParsedUnit &unit, FunctionsThatFillIn &definitions);

/// Adds what the pointers of one unit are given to its flow.
class AllocationFlow {
public:
  /// \param definitions  of all units
  AllocationFlow(ParsedUnit &unit, const FunctionsThatFillIn &definitions, FlowGraph &graph)
      : unit_(unit), definitions_(definitions), graph_(graph) {}

  /// \param name  of the function that is called
  /// \returns  false where the call is neither CUDA's nor the system's for memory
  bool note(const std::string &name, const clang::CallExpr &call);

  /// `gpuMalloc((void **)&p, bytes)`, of a function that allocates memory of any type.
  void noteFilledIn(const clang::FunctionDecl &callee,
                    llvm::ArrayRef<const clang::Expr *> arguments, clang::SourceLocation where);

private:
  void noteMapping(const std::string &name, const clang::CallExpr &call);
  [[nodiscard]] const clang::FunctionDecl *definitionOf(const clang::FunctionDecl &callee) const;

  ParsedUnit &unit_;
  const FunctionsThatFillIn &definitions_;
  FlowGraph &graph_;
};

} // namespace relayout::instrument
