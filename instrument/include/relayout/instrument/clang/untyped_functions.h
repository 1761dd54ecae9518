// SPDX-License-Identifier: Apache-2.0
// Functions of the program that allocate, copy, set or free memory through pointers without a type:
// `void gpuMalloc(void **p, size_t bytes)`, `void *toDevice(const void *from, size_t bytes)`. Such
// a function serves arrays of every type; what it does with each pointer is known here, so that a
// call can be treated as one of CUDA's. Used by the flow of arrays and by the rewriter.
#pragma once

#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/array_flow.h"

#include <clang/AST/Expr.h>

#include <optional>
#include <string>
#include <vector>

namespace relayout::instrument {

/// How many stars stand behind `void` or `char`: 1 of `const void *`, 2 of `char **`, 0 of other
/// types. What is `char *` and used otherwise than memory of any type is text.
[[nodiscard]] unsigned untypedLevel(clang::QualType type);

struct UntypedFunction {
  /// A pointer, and the variables that hold it or lead to it.
  struct Pointer {
    std::vector<const clang::VarDecl *> variables;
    Origins allocated; ///< memory that the function makes it point to
    bool isReturned = false;
    bool isCompared = false; ///< with null, by == or !=
  };
  struct Call {
    const clang::CallExpr *call = nullptr;
    const CudaCall *known = nullptr; ///< null: of another function of this kind
  };

  const clang::FunctionDecl *function = nullptr; ///< the definition; null where it is not seen
  std::vector<Pointer> pointers;
  std::vector<Call> calls;
  std::string obstacle; ///< why its pointers are not followed, to stand behind its name; or empty
  clang::SourceLocation where; ///< of the obstacle

  static constexpr std::size_t kNone = ~std::size_t(0);

  /// The pointer that an expression inside is, or has the address of.
  [[nodiscard]] std::size_t pointerOf(const clang::Expr *expression) const;
  [[nodiscard]] std::size_t pointerOf(const clang::VarDecl *variable) const;
  [[nodiscard]] std::size_t returned() const;
  /// The argument for a pointer's parameter; null where it has none.
  [[nodiscard]] const clang::Expr *argumentFor(std::size_t pointer,
                                               const clang::CallExpr &call) const;
};

/// Reads the function that is called, at each call anew.
[[nodiscard]] UntypedFunction readUntyped(const clang::FunctionDecl &callee);

/// What a function of any kind, as a method, a lambda or one of another unit, does through a
/// parameter `void **`: it allocates, and keeps nothing of it.
struct UntypedAllocation {
  unsigned size = 0; ///< the parameter that counts the bytes
  Origins made;
};

/// \param definition  with a body, perhaps of another unit
/// \returns  nothing where it does anything else
[[nodiscard]] std::optional<UntypedAllocation>
allocationThrough(const clang::FunctionDecl &definition, unsigned parameter);

/// True for a function of any kind that does no more with a parameter `void *` than to free it.
[[nodiscard]] bool onlyFrees(const clang::FunctionDecl &definition, unsigned parameter);

/// True where a parameter or the result is a pointer without a type.
[[nodiscard]] bool takesUntyped(const clang::FunctionDecl &callee);

/// What a function of the program stands for where the kinds of calls are all that counts: CUDA's
/// copy that it makes, or its allocation for the first parameter. Null: neither.
[[nodiscard]] const CudaCall *standsFor(const clang::FunctionDecl &callee);

} // namespace relayout::instrument
