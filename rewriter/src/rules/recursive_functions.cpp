// SPDX-License-Identifier: Apache-2.0
// Follows the calls of device functions, through all units, back to where they began.
#include "rules/recursive_functions.h"

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa_and_nonnull;

/// Of calls that begin in a function, whether one comes back to it.
class Calls {
public:
  explicit Calls(const clang::FunctionDecl &body) : first_(body) {}

  /// \param around  has the body of `function`
  [[nodiscard]] bool comeBack(const Program &around, const clang::FunctionDecl &function) {
    if (!visited_.insert(&function).second)
      return false;
    return std::ranges::any_of(
        around.index.calleesOf(&function), [&](const clang::FunctionDecl *callee) {
          const LinkedFunction next = around.linked.bodyOf(around, *callee);
          return next.body &&
                 (next.body == &first_ || comeBack(*next.programOr(&around), *next.body));
        });
  }

private:
  const clang::FunctionDecl &first_;
  std::set<const clang::FunctionDecl *> visited_ = {};
};

/// A view of it is one pointer.
bool isOnePlane(const analysis::Layout &layout) {
  return layout.clusters.size() == 1 && !layout.clusters.front().exploded && layout.tile == 0 &&
         layout.order == analysis::ElementOrder();
}

bool isOnlyRead(const clang::VarDecl &variable, const ParentIndex &index) {
  return std::ranges::all_of(index.referencesTo(&variable), [&](const clang::DeclRefExpr *name) {
    const clang::Stmt *parent = index.parentOf(name).stmt;
    while (isa_and_nonnull<clang::ParenExpr>(parent))
      parent = index.parentOf(parent).stmt;
    const auto *conversion = clang::dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
    return conversion && conversion->getCastKind() == clang::CK_LValueToRValue;
  });
}

/// Some pointer to the function may say what its parameters are.
bool hasItsAddressTaken(const Program &program, const clang::FunctionDecl &function) {
  return std::ranges::any_of(program.index.namings(), [&](const Naming &naming) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
    const auto *named = name ? dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
    if (!named || named->getCanonicalDecl() != function.getCanonicalDecl())
      return false;
    const clang::Stmt *decay = program.index.parentOf(name).stmt;
    const auto *call =
        decay ? dyn_cast_or_null<clang::CallExpr>(program.index.parentOf(decay).stmt) : nullptr;
    return !call || call->getCallee() != decay;
  });
}

} // namespace

bool isTakenByReference(const Program &program, const clang::DeclaratorDecl &declarator,
                        const Target &target) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator);
  const auto *function =
      parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
  if (!function || !function->hasAttr<clang::CUDADeviceAttr>() ||
      !parameter->getOriginalType()->isPointerType() ||
      parameter->getType()->getPointeeType()->isPointerType() || isOnePlane(target.layout))
    return false;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(function);
  const LinkedFunction linked = program.linked.bodyOf(program, *function);
  if (!linked.body || (method && method->isVirtual()))
    return false;
  const Program &around = *linked.programOr(&program);
  return isOnlyRead(*linked.body->getParamDecl(parameter->getFunctionScopeIndex()), around.index) &&
         Calls(*linked.body).comeBack(around, *linked.body) &&
         !hasItsAddressTaken(around, *linked.body);
}

} // namespace relayout::rewriter
