// SPDX-License-Identifier: Apache-2.0
// Finds the calls of device functions that are given a field by its address or by reference.
#include "model/field_arguments.h"

#include "relayout/instrument/clang/scalar_records.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <set>
#include <utility>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

class CallReader : public clang::DynamicRecursiveASTVisitor {
public:
  explicit CallReader(const WalkContext &context) : context_(context), chains_(context) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    const clang::FunctionDecl *body = callee ? callee->getDefinition() : nullptr;
    if (!body || body->isDependentContext() || !body->hasAttr<clang::CUDADeviceAttr>() ||
        !context_.isUsers(body->getLocation()))
      return true;
    const bool hasObject =
        isa<clang::CXXOperatorCallExpr>(call) && isa<clang::CXXMethodDecl>(callee);
    for (unsigned i = hasObject; i < call->getNumArgs(); ++i)
      if (const unsigned number = i - hasObject; number < body->getNumParams())
        read(*body->getParamDecl(number), *call->getArg(i));
    return true;
  }

  FieldArguments finish() {
    for (bool isDone = false; !isDone;) {
      isDone = true;
      for (const auto &[from, to] : passedOn_) {
        if (isElsewhere(*from))
          isDone &= !elsewhere_.insert(to).second;
        else if (const auto known = found_.find(from); known != found_.end())
          isDone &= !found_.emplace(to, FieldArgument(known->second)).second;
      }
    }
    for (const clang::ParmVarDecl *parameter : elsewhere_)
      found_.erase(parameter);
    return std::move(found_);
  }

private:
  void read(const clang::ParmVarDecl &parameter, const clang::Expr &argument) {
    const bool isReference = parameter.getType()->isReferenceType();
    // What is done to a scalar or a vector by reference is counted at the call.
    if (!(isReference ? context_.userRecord(parameter.getType().getNonReferenceType()) != nullptr
                      : parameter.getType()->isPointerType()))
      return;
    if (const clang::ParmVarDecl *own = passedOn(argument, isReference)) {
      passedOn_.emplace_back(own, &parameter);
      return;
    }
    const clang::Expr *field = isReference ? &argument : fieldBehind(&argument);
    if (!field || !field->isGLValue()) {
      if (!isReference && !argument.isNullPointerConstant(context_.unit.ast(),
                                                          clang::Expr::NPC_ValueDependentIsNotNull))
        elsewhere_.insert(&parameter);
      return;
    }
    const Chain chain = chains_.resolve(field);
    if (chain.root == Root::Local)
      return;
    if (chain.record && chain.field && !isScalarRecord(*chain.record))
      found_.try_emplace(&parameter, FieldArgument{chain.record, chain.field, chain.object});
    else
      elsewhere_.insert(&parameter);
  }

  /// The caller's own parameter, where it is what the argument points or refers to: `v`, or `*v` of
  /// a pointer and `&v` of a reference.
  static const clang::ParmVarDecl *passedOn(const clang::Expr &argument, bool isReference) {
    const clang::Expr *bare = argument.IgnoreParenImpCasts();
    const auto *unary = dyn_cast<clang::UnaryOperator>(bare);
    const bool isTurned =
        unary && unary->getOpcode() == (isReference ? clang::UO_Deref : clang::UO_AddrOf);
    if (isTurned)
      bare = unary->getSubExpr()->IgnoreParenImpCasts();
    const auto *name = dyn_cast<clang::DeclRefExpr>(bare);
    const auto *own = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
    return own && own->getType()->isReferenceType() == (isReference != isTurned) &&
                   (isTurned || own->getType()->isPointerType() != isReference)
               ? own
               : nullptr;
  }

  /// A kernel's pointers are the host's.
  [[nodiscard]] bool isElsewhere(const clang::ParmVarDecl &parameter) const {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
    return !function || function->hasAttr<clang::CUDAGlobalAttr>() ||
           elsewhere_.contains(&parameter);
  }

  const WalkContext &context_;
  ChainResolver chains_;
  FieldArguments found_;
  std::set<const clang::ParmVarDecl *> elsewhere_; ///< given other pointers
  /// Parameters that are arguments themselves.
  std::vector<std::pair<const clang::ParmVarDecl *, const clang::ParmVarDecl *>> passedOn_;
};

} // namespace

FieldArguments readFieldArguments(const WalkContext &context) {
  CallReader reader(context);
  for (clang::Decl *declaration : context.unit.ast().getTranslationUnitDecl()->decls())
    if (context.isUsers(declaration->getLocation()))
      reader.TraverseDecl(declaration);
  return reader.finish();
}

} // namespace relayout::instrument
