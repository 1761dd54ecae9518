// SPDX-License-Identifier: Apache-2.0
// Follows pointers from where they are moved to all that they flow into, without regard to the
// order of execution. A use that is not known moves.
#include "coordinates/whole_pointers.h"

#include "coordinates/allocations.h"
#include "pass/user_visitor.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/size_factors.h"

#include <clang/AST/ASTContext.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// `T *`, `T **`, references to these, and arrays of them.
bool isPointer(clang::QualType type) {
  return clang::QualType(type.getNonReferenceType()->getBaseElementTypeUnsafe(), 0)
      ->isPointerType();
}

const clang::ValueDecl *canonical(const clang::ValueDecl &declaration) {
  return clang::cast<clang::ValueDecl>(declaration.getCanonicalDecl());
}

bool isOfLambda(const clang::FunctionDecl &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  return method && method->getParent()->isLambda();
}

/// What a name, a member, an element of an array of pointers, or what a pointer to pointers leads
/// to belongs to.
const clang::ValueDecl *declarationOf(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenImpCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    return dyn_cast<clang::VarDecl>(name->getDecl());
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare))
    return dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (const auto *element = dyn_cast<clang::ArraySubscriptExpr>(bare))
    return isPointer(element->getType()) ? declarationOf(*element->getBase()) : nullptr;
  const auto *unary = dyn_cast<clang::UnaryOperator>(bare);
  return unary && unary->getOpcode() == clang::UO_Deref && isPointer(unary->getType())
             ? declarationOf(*unary->getSubExpr())
             : nullptr;
}

} // namespace

/// What no name shows: values of lists, of constructors, and of functions.
class WholePointers::Finder : public UserVisitor {
public:
  Finder(const Program &program, WholePointers &found) : UserVisitor(program), found_(found) {}

  /// Who calls it with what is not followed.
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    const clang::FunctionDecl *outer = around_;
    around_ = lambda->getCallOperator();
    found_.move(*around_);
    for (const clang::ParmVarDecl *parameter : around_->parameters())
      found_.move(*parameter);
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    around_ = outer;
    return goOn;
  }
  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if ((function->isThisDeclarationADefinition() || function->isPureVirtual()) &&
        !function->isDependentContext())
      found_.addParameters(*function);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->hasInit() && !isa<clang::ParmVarDecl>(variable) && isPointer(variable->getType()))
      give(*variable, *variable->getInit());
    return true;
  }
  bool VisitFieldDecl(clang::FieldDecl *field) override {
    if (field->hasInClassInitializer() && field->getInClassInitializer())
      give(*field, *field->getInClassInitializer());
    return true;
  }
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer() && initialiser->isWritten())
        give(*initialiser->getMember(), *initialiser->getInit());
    return true;
  }
  bool TraverseInitListExpr(clang::InitListExpr *list) override {
    giveMembers(*list, [this](const clang::FieldDecl &field, const clang::Expr &value) {
      give(field, value);
    });
    return clang::DynamicRecursiveASTVisitor::TraverseInitListExpr(list);
  }
  bool VisitCXXParenListInitExpr(clang::CXXParenListInitExpr *list) override {
    if (const clang::CXXRecordDecl *record = list->getType()->getAsCXXRecordDecl())
      for (const clang::FieldDecl *field : record->fields())
        found_.move(*field);
    return true;
  }
  /// What its variable is given stands in no text.
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *loop) override {
    const clang::VarDecl *variable = loop->getLoopVariable();
    if (!variable || !isPointer(variable->getType()))
      return true;
    found_.move(*variable);
    const clang::ValueDecl *range =
        loop->getRangeInit() ? declarationOf(*loop->getRangeInit()) : nullptr;
    if (range && variable->getType()->isReferenceType())
      found_.move(*range);
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt *statement) override {
    const clang::Expr *value = statement->getRetValue();
    if (!around_ || !value || !isPointer(around_->getReturnType()))
      return true;
    found_.addGiven(*around_, *value);
    const clang::ValueDecl *returned = declarationOf(*value);
    if (returned && around_->getReturnType()->isReferenceType())
      found_.move(*returned);
    return true;
  }
  bool VisitDecompositionDecl(clang::DecompositionDecl *bindings) override {
    if (const clang::ValueDecl *bound =
            bindings->getInit() ? declarationOf(*bindings->getInit()) : nullptr)
      found_.move(*bound);
    if (const clang::CXXRecordDecl *record =
            bindings->getType().getNonReferenceType()->getAsCXXRecordDecl())
      for (const clang::FieldDecl *field : record->fields())
        found_.move(*field);
    return true;
  }

private:
  void give(const clang::ValueDecl &declaration, const clang::Expr &value) {
    if (!isPointer(declaration.getType()))
      return;
    if (const auto *list = dyn_cast<clang::InitListExpr>(&value)) {
      for (const clang::Expr *each : list->inits())
        give(declaration, *each);
    } else if (declaration.getType()->isReferenceType()) {
      // Both ways: what is bound may be changed through it.
      const clang::ValueDecl *bound = declarationOf(value);
      found_.addGiven(declaration, value);
      if (bound)
        found_.addLink(*bound, declaration);
    } else {
      found_.addGiven(declaration, value);
    }
  }

  WholePointers &found_;
};

WholePointers::WholePointers(const Program &program, const Callers &callers)
    : program_(program), callers_(callers) {
  Finder(program, *this).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
  for (const Naming &naming : program.index.namings()) {
    if (naming.isDependent)
      continue;
    const clang::ValueDecl *declaration = nullptr;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression))
      declaration = name->getDecl();
    else if (const auto *member = dyn_cast<clang::MemberExpr>(naming.expression))
      declaration = member->getMemberDecl();
    if (declaration && isa<clang::VarDecl, clang::FieldDecl>(declaration) &&
        isPointer(declaration->getType()))
      addNaming(*declaration, *naming.expression);
  }
  spread();
}

bool WholePointers::isWhole(const clang::ValueDecl &declaration) const {
  return program_.isAlone && !moved_.contains(canonical(declaration));
}

void WholePointers::move(const clang::ValueDecl &declaration) {
  moved_.insert(canonical(declaration));
}

void WholePointers::addLink(const clang::ValueDecl &to, const clang::ValueDecl &from) {
  flowsTo_[canonical(from)].push_back(canonical(to));
}

void WholePointers::addParameters(const clang::FunctionDecl &function) {
  const std::vector<Callers::Call> *calls = callers_.of(function);
  for (const clang::ParmVarDecl *parameter : function.parameters()) {
    if (!isPointer(parameter->getType()))
      continue;
    if (!calls)
      move(*parameter);
    else
      for (const Callers::Call &call : *calls) {
        const auto arguments = instrument::argumentsOf(*call.expression);
        if (parameter->getFunctionScopeIndex() < arguments.size())
          addGiven(*parameter, *arguments[parameter->getFunctionScopeIndex()]);
        else
          move(*parameter);
      }
  }
}

/// \param value  of the pointer; of a pointer to pointers, what it leads to counts
void WholePointers::addGiven(const clang::ValueDecl &declaration, const clang::Expr &value) {
  const clang::Expr *bare = value.IgnoreParenImpCasts();
  if (bare->isNullPointerConstant(program_.unit.ast(), clang::Expr::NPC_ValueDependentIsNotNull) !=
          clang::Expr::NPCK_NotNull ||
      isa<clang::ImplicitValueInitExpr>(bare))
    return;
  if (const auto *start = dyn_cast<clang::CXXDefaultInitExpr>(bare))
    return addGiven(declaration, *start->getExpr());
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(bare)) {
    addGiven(declaration, *choice->getTrueExpr());
    return addGiven(declaration, *choice->getFalseExpr());
  }
  if (const clang::ValueDecl *from = declarationOf(*bare))
    return addLink(declaration, *from);
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(bare);
      unary && unary->getOpcode() == clang::UO_AddrOf)
    if (const clang::ValueDecl *pointed = declarationOf(*unary->getSubExpr());
        pointed && isPointer(pointed->getType())) { // both ways
      addLink(declaration, *pointed);
      return addLink(*pointed, declaration);
    }
  if (const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(bare)) {
    const auto *call = dyn_cast<clang::CallExpr>(conversion->getSubExpr()->IgnoreParenCasts());
    const auto made = call ? allocatedBy(program_, *call) : std::vector<const clang::Expr *>();
    if (std::ranges::any_of(made, [&](const clang::Expr *pointer) {
          return pointer->IgnoreParenCasts() == bare->IgnoreParenCasts();
        }))
      return;
    return conversion->getType()->isPointerType() &&
                   conversion->getSubExpr()->getType()->isPointerType() && !call
               ? addGiven(declaration, *conversion->getSubExpr())
               : move(declaration);
  }
  const auto *call = dyn_cast<clang::CallExpr>(bare);
  if (call && isExchange(*call))
    return addGiven(declaration, *call->getArg(0));
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const bool isVirtual = method && method->isVirtual(); // another may be called
  if (callee && isUsers(program_, *callee) && callee->hasBody() && !isOfLambda(*callee) &&
      !isVirtual)
    return addLink(declaration, *callee);
  move(declaration);
}

void WholePointers::addNaming(const clang::ValueDecl &declaration, const clang::Expr &name) {
  const clang::Stmt *current = &name;
  for (const clang::Stmt *parent = program_.index.parentOf(current).stmt; parent;
       current = parent, parent = program_.index.parentOf(current).stmt) {
    if (isa<clang::ParenExpr>(parent))
      continue;
    if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(parent)) {
      // Of a pointer to pointers, what it leads to may be written.
      const bool isRead = conversion->getCastKind() == clang::CK_LValueToRValue;
      if (isRead && !conversion->getType()->getPointeeType()->isPointerType())
        return;
      if (isRead || conversion->getCastKind() == clang::CK_ArrayToPointerDecay ||
          conversion->getCastKind() == clang::CK_NoOp)
        continue;
      return move(declaration);
    }
    if (const auto *element = dyn_cast<clang::ArraySubscriptExpr>(parent);
        element && element->getBase() == current)
      continue;
    if (const auto *assignment = dyn_cast<clang::BinaryOperator>(parent);
        assignment && assignment->getOpcode() == clang::BO_Assign) {
      if (assignment->getLHS() == current)
        return addGiven(declaration, *assignment->getRHS());
      return; // into another, which is seen there
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(parent)) {
      if (unary->getOpcode() == clang::UO_Deref)
        continue;
      return unary->getOpcode() == clang::UO_AddrOf ? addAddress(declaration, *unary)
                                                    : move(declaration);
    }
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      if (isExchange(*call))
        return call->getArg(0) == current ? addGiven(declaration, *call->getArg(1)) : void();
      if (callee && callee->isInStdNamespace() && callee->getDeclName().isIdentifier() &&
          callee->getName() == "swap" && call->getNumArgs() == 2) {
        const clang::ValueDecl *other =
            declarationOf(*call->getArg(call->getArg(0) == current ? 1 : 0));
        return other ? addLink(declaration, *other) : move(declaration);
      }
      const CudaCall *known = cudaCallNamed(runtimeName(program_, *call));
      if (known && known->kind == CudaCallKind::Allocation && call->getArg(0) == current)
        return;
      const auto *argument = dyn_cast<clang::Expr>(current);
      const clang::ParmVarDecl *parameter =
          argument && callee && isUsers(program_, *callee) && !isOfLambda(*callee)
              ? parameterFor(*call, *argument)
              : nullptr;
      return parameter && isPointer(parameter->getType()) ? addLink(declaration, *parameter)
                                                          : move(declaration);
    }
    if (isa<clang::DeclStmt, clang::ReturnStmt, clang::InitListExpr>(parent))
      return; // into another, which is seen there
    if (const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(parent);
        conversion && conversion->getType()->isPointerType())
      continue; // `(void **)out`
    return move(declaration);
  }
}

/// `&p` as an argument: of an allocation, or of a function that is seen.
void WholePointers::addAddress(const clang::ValueDecl &declaration,
                               const clang::UnaryOperator &address) {
  const clang::Stmt *current = &address;
  const clang::Stmt *parent = program_.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::CastExpr>(parent)) {
    current = parent;
    parent = program_.index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  if (!call)
    return move(declaration);
  for (const clang::Expr *made : allocatedBy(program_, *call))
    if (const clang::ValueDecl *filled = declarationOf(*made);
        filled && canonical(*filled) == canonical(declaration))
      return;
  const CudaCall *known = cudaCallNamed(runtimeName(program_, *call));
  if (known && known->symbolPosition())
    return; // a variable in device memory gets its value
  const clang::ParmVarDecl *parameter = parameterFor(*call, *clang::cast<clang::Expr>(current));
  if (!parameter || !isPointer(parameter->getType()) || parameter->getType()->isVoidPointerType() ||
      !call->getDirectCallee() || !isUsers(program_, *call->getDirectCallee()))
    return move(declaration);
  addLink(declaration, *parameter);
}

void WholePointers::spread() {
  std::vector<const clang::ValueDecl *> open(moved_.begin(), moved_.end());
  while (!open.empty()) {
    const clang::ValueDecl *from = open.back();
    open.pop_back();
    const auto targets = flowsTo_.find(from);
    if (targets != flowsTo_.end())
      for (const clang::ValueDecl *to : targets->second)
        if (moved_.insert(to).second)
          open.push_back(to);
  }
}

} // namespace relayout::rewriter
