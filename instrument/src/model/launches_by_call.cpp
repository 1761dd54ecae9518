// SPDX-License-Identifier: Apache-2.0
// Reads the kernel and the arguments that cudaLaunchKernel and its like are given.
#include "relayout/instrument/clang/launches_by_call.h"

#include "model/referents.h"

#include <algorithm>
#include <array>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

/// Behind `&`; null for all else.
const clang::Expr *addressed(const clang::Expr &expression) {
  const auto *address = dyn_cast<clang::UnaryOperator>(expression.IgnoreParenCasts());
  return address && address->getOpcode() == clang::UO_AddrOf ? address->getSubExpr() : nullptr;
}

/// What a name stands for, with or without `&` and casts; null: it is none.
const clang::ValueDecl *named(const clang::Expr &expression) {
  const clang::Expr *behind = addressed(expression);
  const auto *name =
      dyn_cast<clang::DeclRefExpr>((behind ? behind : &expression)->IgnoreParenCasts());
  return name ? name->getDecl() : nullptr;
}

/// Where a function has the kernel among its arguments, and what the kernel is given.
struct Launcher {
  llvm::StringRef name;
  unsigned kernel, arguments;
  bool takesAddresses;
};

} // namespace

std::optional<LaunchByCall> launchByCall(const clang::CallExpr &call) {
  constexpr unsigned kKernel = 0, kArguments = 3, kConfigured = 1;
  static constexpr std::array kLaunchers{
      Launcher{"cudaLaunchKernel", kKernel, kArguments, true},
      Launcher{"cudaLaunchCooperativeKernel", kKernel, kArguments, true},
      Launcher{"cudaLaunchKernelExC", kConfigured, kConfigured + 1, true},
      Launcher{"cudaLaunchKernelEx", kConfigured, kConfigured + 1, false}};
  const std::string callee = calleeName(&call);
  const auto *launcher = std::ranges::find(kLaunchers, callee, &Launcher::name);
  if (launcher == kLaunchers.end() || call.getNumArgs() < launcher->arguments + 1)
    return std::nullopt;
  const auto *written = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (written && written->hasExplicitTemplateArgs()) // of the kernel's parameters
    return std::nullopt;
  LaunchByCall launch;
  launch.kernel = dyn_cast_or_null<clang::FunctionDecl>(named(*call.getArg(launcher->kernel)));
  if (!launch.kernel)
    return std::nullopt;
  launch.arguments.resize(launch.kernel->getNumParams());
  if (!launcher->takesAddresses) {
    for (unsigned i = 0; i < launch.arguments.size() && launcher->arguments + i < call.getNumArgs();
         ++i)
      launch.arguments[i] = call.getArg(launcher->arguments + i);
    return launch;
  }
  launch.addresses = dyn_cast_or_null<clang::VarDecl>(named(*call.getArg(launcher->arguments)));
  const auto *list =
      launch.addresses && launch.addresses->getInit()
          ? dyn_cast<clang::InitListExpr>(launch.addresses->getInit()->IgnoreParenImpCasts())
          : nullptr;
  if (!list)
    return std::nullopt;
  for (unsigned i = 0; i < launch.arguments.size() && i < list->getNumInits(); ++i)
    launch.arguments[i] = addressed(*list->getInit(i));
  return launch;
}

} // namespace relayout::instrument
