// SPDX-License-Identifier: Apache-2.0
// Reads one parsed unit: its device functions, launches and memory operations.
#pragma once

#include "model/body_walker.h"
#include "relayout/instrument/clang/array_flow.h"

#include <clang/AST/ExprCXX.h>

#include <map>
#include <memory>
#include <optional>

namespace relayout::instrument {

struct FoundLaunch {
  const clang::CUDAKernelCallExpr *call = nullptr;
  const clang::FunctionDecl *kernel = nullptr; ///< pattern; null when called through a pointer
  std::string function;                        ///< where it stands
};

struct FoundMemoryCall {
  const clang::CallExpr *call = nullptr;
  MemoryCall kind = MemoryCall::Other;
  std::string callee;
  const clang::FunctionDecl *around = nullptr; ///< null at file scope
  const clang::CXXRecordDecl *record = nullptr;
  std::string recordKey = {}; ///< into Facts::records
  trace::Index group = trace::kNone;
};

/// What only the AST of one pass can say; the plain part is in Facts.
struct UnitFacts {
  std::map<const clang::FunctionDecl *, std::size_t> instanceOf; ///< by definition
  std::deque<FunctionInstance> instances;
  std::vector<std::size_t> kernels; ///< instances of kernels
  std::vector<FoundLaunch> launches;
  std::vector<FoundMemoryCall> memory;
  ArrayFlow flow; ///< linked with that of the program's other units
  std::map<trace::Index, std::string> groupRecord; ///< record key of a group of records
};

/// One parse of a unit, the index of its tokens, and what was found in it.
struct ReadUnit {
  std::shared_ptr<ParsedUnit> unit; ///< perhaps of other stages, too
  std::unique_ptr<TokenEdits> edits;
  UnitFacts found;
};

[[nodiscard]] ReadUnit readUnit(std::shared_ptr<ParsedUnit> unit, ArrayFlow flow, Pass pass,
                                Facts &facts);

} // namespace relayout::instrument
