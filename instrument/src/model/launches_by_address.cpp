// SPDX-License-Identifier: Apache-2.0
// Reads the kernel and the array of addresses that cudaLaunchKernel and its like are given.
#include "relayout/instrument/clang/launches_by_address.h"

#include "model/referents.h"

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

} // namespace

std::optional<LaunchByAddress> launchByAddress(const clang::CallExpr &call) {
  constexpr unsigned kKernel = 0, kArguments = 3;
  if (!isOneOf(calleeName(&call), {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}) ||
      call.getNumArgs() <= kArguments)
    return std::nullopt;
  LaunchByAddress launch;
  launch.kernel = dyn_cast_or_null<clang::FunctionDecl>(named(*call.getArg(kKernel)));
  launch.addresses = dyn_cast_or_null<clang::VarDecl>(named(*call.getArg(kArguments)));
  const auto *list =
      launch.addresses && launch.addresses->getInit()
          ? dyn_cast<clang::InitListExpr>(launch.addresses->getInit()->IgnoreParenImpCasts())
          : nullptr;
  if (!launch.kernel || !list)
    return std::nullopt;
  launch.arguments.resize(launch.kernel->getNumParams());
  for (unsigned i = 0; i < launch.arguments.size() && i < list->getNumInits(); ++i)
    launch.arguments[i] = addressed(*list->getInit(i));
  return launch;
}

} // namespace relayout::instrument
