// SPDX-License-Identifier: Apache-2.0
// Lowering: launches, as calls of the CPU executor.
#pragma once

#include "model/program_reader.h"

#include <clang/AST/PrettyPrinter.h>

#include <optional>
#include <set>
#include <string>

namespace relayout::instrument {

enum class Grid { Plain, Cooperative };

class LaunchLowering {
public:
  LaunchLowering(const ReadProgram &program, UnitReading &unit);

  /// `kernel<<<…>>>(…)`.
  /// \returns  false for a form that is not known
  [[nodiscard]] bool lower(const clang::CUDAKernelCallExpr &launch);

  /// `cudaLaunchKernel(kernel, …)` and the cooperative one.
  /// \returns  false where the call does not name the kernel
  [[nodiscard]] bool lower(const clang::CallExpr &call, Grid grid);

  /// `cudaLaunchKernelEx(&configuration, kernel, …)`, and the one that takes addresses.
  /// \returns  false where the call does not name the kernel
  [[nodiscard]] bool lowerConfigured(const clang::CallExpr &call, const std::string &callee);

  /// What follows a kernel's definition, so that launches through pointers know what they launch.
  /// \returns  empty where its name alone does not say which kernel is meant
  [[nodiscard]] std::string registration(const clang::FunctionDecl *kernel) const;

private:
  /// A kernel that a call has as an argument, and the tokens of its name.
  struct NamedKernel {
    const clang::FunctionDecl *pattern = nullptr; ///< null where the program's text does not say
    bool isPointer = false;
    TokenEdits::Index first = 0, last = 0;
  };
  [[nodiscard]] std::optional<NamedKernel> kernelNamedBy(const clang::Expr &argument) const;
  [[nodiscard]] std::string nameAndThreads(const NamedKernel &kernel, bool needsFibers) const;
  [[nodiscard]] bool addDefaultArguments(const clang::CallExpr &call, TokenEdits::Index close);
  [[nodiscard]] std::string kernelName(const clang::FunctionDecl *pattern,
                                       const std::string &callee) const;
  [[nodiscard]] std::string pointerTo(const clang::FunctionDecl *kernel) const;

  const ReadProgram &program_;
  UnitReading &read_;
  TokenEdits &edits_;
  clang::PrintingPolicy policy_;
  std::set<TokenEdits::Index> replaced_; ///< first tokens: trees may show a node twice
};

} // namespace relayout::instrument
