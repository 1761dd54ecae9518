// SPDX-License-Identifier: Apache-2.0
// Calls of Thrust's and CUB's algorithms and iterator makers: what they do with the elements that a
// pointer or an iterator leads to, and where their results point.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <string>
#include <vector>

namespace relayout::instrument {

/// What the program calls, if that is a function of Thrust's that no class has, or one of those by
/// which CUB's `DeviceReduce`, `DeviceScan` and the like work on whole arrays.
struct AlgorithmCall {
  std::string name; ///< `sort`, `DeviceReduce::Reduce`; empty: it is none
  bool isOfCub = false;
  bool isKnown = false;         ///< elements are read as values, and changed by assignments alone
  bool isIteratorMaker = false; ///< `make_transform_iterator`: works on nothing yet
  bool givesReferences = false; ///< its function is given the element, to change it
  const clang::Expr *policy = nullptr;        ///< null: it is called without one
  std::vector<const clang::Expr *> arguments; ///< without the policy
};

/// As messages name it, `thrust::sort`.
[[nodiscard]] std::string nameOf(const AlgorithmCall &call);

[[nodiscard]] AlgorithmCall algorithmCallOf(const clang::CallExpr &call);

/// The policy is known to run on the device: `thrust::device`, `thrust::cuda::par.on(stream)`, and
/// in device code `thrust::seq`.
[[nodiscard]] bool runsOnDevice(const clang::Expr &policy, bool isInDeviceCode);

/// The argument into whose range the pointer or iterator points that a known algorithm returns, or
/// that is the member of such a result, as `end.second`; null for all other expressions.
[[nodiscard]] const clang::Expr *pointedInto(const clang::Expr &result);

/// What an argument of an algorithm calls: each `operator()` of its class.
struct FunctionObject {
  std::vector<const clang::CXXMethodDecl *> calls;
  bool isUnclear = false; ///< one of them is a template, or it is a pointer to a function
};
[[nodiscard]] FunctionObject functionObject(const clang::Expr &argument);

/// The parameter is the record, or one of its bases, or a reference to one.
[[nodiscard]] bool takesElement(const clang::ParmVarDecl &parameter,
                                const clang::CXXRecordDecl &record);

/// The parameters through which a call's function changes elements in their place: `R &` of what
/// `for_each` calls.
[[nodiscard]] std::vector<const clang::ParmVarDecl *>
changedThrough(const AlgorithmCall &call, const clang::CXXRecordDecl &record);

/// A namespace of Thrust's or CUB's: what these give to functions of the program's is known where
/// the program calls them, so that their own text need not be read.
[[nodiscard]] bool holdsAlgorithms(const clang::NamespaceDecl &space);

/// The function or class is one of Thrust's.
[[nodiscard]] bool isOfThrust(const clang::Decl &declaration);

} // namespace relayout::instrument
