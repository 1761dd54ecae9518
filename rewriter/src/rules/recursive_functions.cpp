// SPDX-License-Identifier: Apache-2.0
// Follows the calls of device functions back to where they began, and what they are given.
#include "rules/recursive_functions.h"

#include "coordinates/function_body.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

/// Whether calls that begin in a function come back to it.
class Calls {
public:
  Calls(const ParentIndex &index, const clang::FunctionDecl &body) : index_(index), first_(body) {}

  [[nodiscard]] bool comeBack() { return comeBackFrom(first_); }

private:
  bool comeBackFrom(const clang::FunctionDecl &function) {
    if (!visited_.insert(&function).second)
      return false;
    return std::ranges::any_of(index_.calleesOf(&function), [&](const clang::FunctionDecl *callee) {
      const clang::FunctionDecl *body = nullptr;
      return callee->hasBody(body) && (body == &first_ || comeBackFrom(*body));
    });
  }

  const ParentIndex &index_;
  const clang::FunctionDecl &first_;
  std::set<const clang::FunctionDecl *> visited_ = {};
};

/// A view of it is one pointer.
bool isOnePlane(const analysis::Layout &layout) {
  return layout.clusters.size() == 1 && !layout.clusters.front().exploded && layout.tile == 0 &&
         layout.order == analysis::ElementOrder();
}

/// What an argument reads; null for a value that is computed.
const clang::Expr *readIn(const clang::Expr &argument) {
  const clang::Expr *current = &argument;
  while (true) {
    current = current->IgnoreParens();
    const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(current);
    if (!conversion)
      return nullptr;
    current = conversion->getSubExpr();
    if (conversion->getCastKind() == clang::CK_LValueToRValue)
      return current->IgnoreParens();
  }
}

/// Whether a reference to the argument has one value throughout the call: it is a temporary, or
/// names a variable of the caller's that nothing changes.
bool keepsItsValue(const clang::Expr &argument, const FunctionBody &around) {
  const clang::Expr *read = readIn(argument);
  if (!read)
    return true;
  const auto *name = dyn_cast<clang::DeclRefExpr>(read);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && around.isNeverChanged(*variable);
}

/// Whether all that names the function calls it, with arguments that keep their values.
bool isCalledWithKeptValues(const Program &program, const clang::FunctionDecl &function,
                            unsigned argument) {
  return std::ranges::all_of(program.index.namings(), [&](const Naming &naming) {
    const auto *named = dyn_cast_or_null<clang::FunctionDecl>(namedBy(naming));
    if (!named || named->getCanonicalDecl() != function.getCanonicalDecl())
      return true;
    const clang::Stmt *parent = naming.expression;
    while (parent && !clang::isa<clang::CallExpr>(parent))
      parent = program.index.parentOf(parent).stmt;
    const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
    return call && !clang::isa<clang::CXXOperatorCallExpr>(call) &&
           call->getDirectCallee() == named && argument < call->getNumArgs() && naming.function &&
           keepsItsValue(*call->getArg(argument), FunctionBody(program.index, *naming.function));
  });
}

/// Whether this unit alone decides the function's text, in which all declarations spell the
/// parameter as a pointer.
bool isDecidedHere(const Program &program, const clang::FunctionDecl &function, unsigned number) {
  const clang::SourceManager &sources = program.unit.sources();
  return std::ranges::all_of(function.redecls(), [&](const clang::FunctionDecl *declared) {
    const clang::TypeSourceInfo *type = declared->getParamDecl(number)->getTypeSourceInfo();
    return (program.isAlone || sources.isInMainFile(declared->getLocation())) && type &&
           type->getTypeLoc().getUnqualifiedLoc().getAs<clang::PointerTypeLoc>();
  });
}

} // namespace

bool isTakenByReference(const Program &program, const clang::DeclaratorDecl &declarator,
                        const Target &target) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator);
  const auto *function =
      parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
  const clang::FunctionDecl *body = nullptr;
  if (!function || !function->hasAttr<clang::CUDADeviceAttr>() || !function->hasBody(body) ||
      function->isTemplated() || function->isTemplateInstantiation() || isOnePlane(target.layout))
    return false;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(function);
  const unsigned number = parameter->getFunctionScopeIndex();
  return !(method && method->isVirtual()) && isDecidedHere(program, *function, number) &&
         FunctionBody(program.index, *body).isNeverChanged(*body->getParamDecl(number)) &&
         Calls(program.index, *body).comeBack() &&
         isCalledWithKeptValues(program, *function, number);
}

} // namespace relayout::rewriter
