// SPDX-License-Identifier: Apache-2.0
// What is known of functions that the program does not define.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <string>

namespace relayout::rewriter {

/// True for a function of CUDA's or the system's headers that only computes a value of values.
[[nodiscard]] bool isMathematical(const clang::FunctionDecl &function);

/// `std::move(a)`, `std::forward<A>(a)`, which are `a`.
[[nodiscard]] bool isForwardCall(const clang::CallExpr &call);

/// Functions of CUDA's headers that read global memory once, past its usual cache.
[[nodiscard]] bool isReadOnlyLoad(const std::string &name);

/// `atomicAdd`, `__nv_atomic_load_n`.
[[nodiscard]] bool isAtomic(const std::string &name);

/// Functions of CUDA's and C's headers that write through an address, and forget it.
[[nodiscard]] bool forgetsAddresses(const std::string &name);

/// What `assert` calls, and `abort`: nothing behind the call is reached.
[[nodiscard]] bool endsProgram(const clang::FunctionDecl &callee);

/// `curand_uniform(&w[i].state)`: functions of cuRAND's device API that change the state behind an
/// address, and forget it. A pointer to numbers is one to a table that they read.
[[nodiscard]] bool changesItsState(const std::string &name, clang::QualType pointer);

/// `list.push_back(p[i])`, `std::pair<R, int>(p[i], 1)`: functions of the standard library's
/// containers, pairs and tuples that keep copies of what they are given by reference, or look up a
/// key: `sums[p[i].kind]`.
[[nodiscard]] bool keepsCopies(const clang::FunctionDecl &callee, clang::QualType given);

/// `v[i]`, `v.size()`, `owner.get()`: methods of the standard library's containers and owners that
/// say where something is, or how much there is, and change nothing.
[[nodiscard]] bool isAccessor(const clang::FunctionDecl &callee);

/// True for values from which no object can be reached: numbers, and structs of them.
[[nodiscard]] bool holdsNoAddress(clang::QualType type);

} // namespace relayout::rewriter
