// SPDX-License-Identifier: Apache-2.0
// Templates that launch a kernel with whatever they are given:
// `template <class K, class... A> void forAll(K kernel, int n, A... args)`
// `{ kernel<<<n / 256 + 1, 256>>>(n, args...); }`, or `void (*kernel)(int, A...)` for the first.
// Their parameters' types are deduced, so that views get an instance of their own.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// A parameter of such an instance: its type is deduced at each call, nothing else in the template
/// depends on that type, and it is only passed on.
[[nodiscard]] bool isForwarded(const Program &program, const clang::ValueDecl &declaration);

/// What `void (*kernel)(A...)` is given, of a kernel that is only launched: the parameters of each
/// kernel that the template is given are what they are.
[[nodiscard]] bool isOfLaunchedKernel(const Program &program, const clang::ValueDecl &declaration);

/// The launch of a kernel that a parameter names, which has the parameters of each kernel that the
/// template is given.
[[nodiscard]] bool launchesParameter(const Program &program, const clang::CallExpr &call);

/// A kernel's name that is given to such a parameter.
[[nodiscard]] bool isLaunchedByTemplate(const Program &program, const clang::DeclRefExpr &kernel);

} // namespace relayout::rewriter
