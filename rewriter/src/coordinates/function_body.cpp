// SPDX-License-Identifier: Apache-2.0
// The statements of one function, and which of its variables keep their values where.
#include "coordinates/function_body.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

enum class Reference { Read, Change, Other };

/// What is done with a variable where it is named; `Other` is all that may have its address.
Reference referenceAt(const clang::DeclRefExpr &name, const ParentIndex &index) {
  const clang::Stmt *current = &name;
  const clang::Stmt *parent = index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr>(parent)) {
    current = parent;
    parent = index.parentOf(current).stmt;
  }
  if (const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(parent))
    return conversion->getCastKind() == clang::CK_LValueToRValue ? Reference::Read
                                                                 : Reference::Other;
  if (const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(parent))
    return unary->isIncrementDecrementOp() ? Reference::Change : Reference::Other;
  const auto *assignment = dyn_cast_or_null<clang::BinaryOperator>(parent);
  return assignment && assignment->isAssignmentOp() && assignment->getLHS() == current
             ? Reference::Change
             : Reference::Other;
}

/// The variable that an expression names, behind parentheses and conversions.
const clang::VarDecl *variableOf(const clang::Expr *expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

/// What a step of a loop adds to its variable; 0: another form.
std::int64_t stepOf(const clang::Expr &step, const clang::VarDecl &variable,
                    const clang::ASTContext &ast) {
  constexpr std::int64_t kLargest = 1 << 20;
  const clang::Expr *bare = step.IgnoreParenImpCasts();
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(bare))
    return !unary->isIncrementDecrementOp() || variableOf(unary->getSubExpr()) != &variable ? 0
           : unary->isIncrementOp()                                                         ? 1
                                                                                            : -1;
  const auto *change = dyn_cast<clang::CompoundAssignOperator>(bare);
  if (!change || variableOf(change->getLHS()) != &variable ||
      (change->getOpcode() != clang::BO_AddAssign && change->getOpcode() != clang::BO_SubAssign) ||
      !change->getComputationResultType()->isSignedIntegerType() || // which does not wrap
      change->getRHS()->isValueDependent())
    return 0;
  const auto value = change->getRHS()->getIntegerConstantExpr(ast);
  if (!value || value->getSignificantBits() > 32 || std::abs(value->getExtValue()) > kLargest)
    return 0;
  return change->getOpcode() == clang::BO_AddAssign ? value->getExtValue() : -value->getExtValue();
}

} // namespace

FunctionBody::FunctionBody(const ParentIndex &index, const clang::FunctionDecl &function)
    : index_(index), function_(function) {
  if (function.hasBody())
    add(*function.getBody());
}

void FunctionBody::add(const clang::Stmt &statement) {
  hasLabels_ |= isa<clang::LabelStmt, clang::IndirectGotoStmt>(statement);
  if (const auto *declarations = dyn_cast<clang::DeclStmt>(&statement))
    for (const clang::Decl *declaration : declarations->decls())
      addDeclared(*declaration, statement);
  if (const auto *handler = dyn_cast<clang::CXXCatchStmt>(&statement);
      handler && handler->getExceptionDecl())
    addDeclared(*handler->getExceptionDecl(), statement);
  if (const auto *loop = dyn_cast<clang::CXXForRangeStmt>(&statement))
    declarations_[loop->getLoopVariable()] = &statement;
  for (const clang::Stmt *child : statement.children())
    if (child) {
      parents_[child] = &statement;
      add(*child);
    }
}

void FunctionBody::addDeclared(const clang::Decl &declaration, const clang::Stmt &statement) {
  if (const auto *variable = dyn_cast<clang::VarDecl>(&declaration))
    declarations_[variable] = &statement;
  else if (const auto *named = dyn_cast<clang::NamedDecl>(&declaration))
    otherNames_.insert(named->getNameAsString());
  if (const auto *bindings = dyn_cast<clang::DecompositionDecl>(&declaration))
    for (const clang::BindingDecl *binding : bindings->bindings())
      otherNames_.insert(binding->getNameAsString());
  if (const auto *numbers = dyn_cast<clang::EnumDecl>(&declaration))
    for (const clang::EnumConstantDecl *number : numbers->enumerators())
      otherNames_.insert(number->getNameAsString());
}

const clang::Stmt *FunctionBody::parentOf(const clang::Stmt *statement) const {
  const auto entry = parents_.find(statement);
  return entry == parents_.end() ? nullptr : entry->second;
}

bool FunctionBody::isInside(const clang::Stmt *inner, const clang::Stmt *outer) const {
  while (inner && inner != outer)
    inner = parentOf(inner);
  return inner != nullptr;
}

const clang::Stmt *FunctionBody::declarationOf(const clang::VarDecl &variable) const {
  const auto entry = declarations_.find(&variable);
  return entry == declarations_.end() ? nullptr : entry->second;
}

std::vector<const clang::VarDecl *> FunctionBody::variablesNamed(llvm::StringRef name) const {
  std::vector<const clang::VarDecl *> found;
  const auto look = [&](const clang::VarDecl *variable) {
    if (variable->getDeclName().isIdentifier() && variable->getName() == name)
      found.push_back(variable);
  };
  std::ranges::for_each(function_.parameters(), look);
  for (const auto &[variable, statement] : declarations_)
    look(variable);
  return found;
}

const clang::VarDecl *FunctionBody::onlyVariableNamed(llvm::StringRef name) const {
  const std::vector<const clang::VarDecl *> named = variablesNamed(name);
  return named.size() == 1 ? named.front() : nullptr;
}

bool FunctionBody::means(const clang::VarDecl &variable, const clang::Stmt &at) const {
  if (!variable.getDeclName().isIdentifier() || otherNames_.contains(variable.getNameAsString()))
    return false;
  const bool isOwn = variable.getDeclContext() == &function_;
  const clang::Stmt *scope = isOwn ? scopeOf(variable) : function_.getBody();
  if (!scope || !isInside(&at, scope))
    return false;
  // Of two in scope the inner one is meant; two of one scope, a parameter and the body's, are left
  // alone.
  return std::ranges::none_of(variablesNamed(variable.getName()), [&](const clang::VarDecl *other) {
    const clang::Stmt *own = scopeOf(*other);
    return other != &variable && (!own || isInside(&at, own)) &&
           (!isOwn || !own || own == scope || !isInside(scope, own));
  });
}

bool FunctionBody::isNeverChanged(const clang::VarDecl &variable) const {
  const clang::QualType type = variable.getType();
  if (type.isVolatileQualified() || type->isReferenceType() || variable.isStaticLocal())
    return false;
  if (!variable.hasLocalStorage())
    return false;
  if (!isa<clang::ParmVarDecl>(variable) && !variable.hasInit())
    return false;
  return type.isConstQualified() ||
         std::ranges::all_of(index_.referencesTo(&variable), [&](const clang::DeclRefExpr *name) {
           return referenceAt(*name, index_) == Reference::Read;
         });
}

bool FunctionBody::isOnlyRead(const clang::ParmVarDecl &record) const {
  const auto isRead = [this](const clang::DeclRefExpr *name) {
    const clang::Stmt *current = name;
    for (const clang::Stmt *parent = index_.parentOf(current).stmt; parent;
         current = parent, parent = index_.parentOf(current).stmt) {
      if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(parent);
          conversion && conversion->getCastKind() == clang::CK_LValueToRValue)
        return true;
      if (const auto *copy = dyn_cast<clang::CXXConstructExpr>(parent))
        return copy->getConstructor()->isCopyConstructor() && copy->getConstructor()->isTrivial();
      const auto *member = dyn_cast<clang::MemberExpr>(parent);
      const auto *method =
          member ? dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()) : nullptr;
      if (method)
        return method->isConst();
      const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(parent);
      if (!member && !isa<clang::ParenExpr>(parent) &&
          !(conversion && conversion->getCastKind() == clang::CK_NoOp))
        return false;
    }
    return false;
  };
  return !record.getType()->isReferenceType() && !record.getType()->isPointerType() &&
         !record.getType().isVolatileQualified() &&
         std::ranges::all_of(index_.referencesTo(&record), isRead);
}

bool FunctionBody::isSettled(const clang::VarDecl &variable, const clang::Stmt &from) const {
  if (isNeverChanged(variable))
    return true;
  const clang::Stmt *scope = scopeOf(variable);
  const auto *compound = dyn_cast_or_null<clang::CompoundStmt>(scope);
  if (!compound || hasLabels_ || !variable.hasLocalStorage() ||
      variable.getType().isVolatileQualified() || variable.getType()->isReferenceType())
    return false;
  const auto isUnder = [&](const clang::Stmt *inner) {
    return [this, inner](const clang::Stmt *child) { return isInside(inner, child); };
  };
  const auto start = std::find_if(compound->body_begin(), compound->body_end(), isUnder(&from));
  return start != compound->body_end() &&
         std::ranges::all_of(index_.referencesTo(&variable), [&](const clang::DeclRefExpr *name) {
           const Reference reference = referenceAt(*name, index_);
           return reference == Reference::Read ||
                  (reference == Reference::Change && index_.functionAround(name) == &function_ &&
                   std::find_if(compound->body_begin(), start, isUnder(name)) != start);
         });
}

const clang::Stmt *FunctionBody::scopeOf(const clang::VarDecl &variable) const {
  if (isa<clang::ParmVarDecl>(variable))
    return variable.getDeclContext() == &function_ ? function_.getBody() : nullptr;
  const clang::Stmt *declaration = declarationOf(variable);
  return declaration ? parentOf(declaration) : nullptr;
}

bool FunctionBody::keepsValue(const clang::VarDecl &variable, const clang::Stmt &before,
                              const clang::Stmt &access) const {
  if (isNeverChanged(variable))
    return true;
  const clang::ForStmt *loop = loopCounting(variable, access);
  return loop && (isInside(&before, loop->getBody()) ||
                  (loop->getCond() && isInside(&before, loop->getCond())));
}

bool FunctionBody::isCounted(const clang::VarDecl &variable, const clang::ForStmt &loop) const {
  const auto counting = countingOf(loop, function_.getASTContext());
  if (!counting || counting->variable != &variable)
    return false;
  return std::ranges::all_of(index_.referencesTo(&variable), [&](const clang::DeclRefExpr *name) {
    const Reference reference = referenceAt(*name, index_);
    if (reference != Reference::Change)
      return reference == Reference::Read;
    // A lambda that changes it might be called in the loop.
    return index_.functionAround(name) == &function_ &&
           (!isInside(name, &loop) || isInside(name, loop.getInc()) ||
            isInside(name, loop.getInit()));
  });
}

const clang::ForStmt *FunctionBody::loopCounting(const clang::VarDecl &variable,
                                                 const clang::Stmt &access) const {
  if (!variable.hasLocalStorage() || variable.getType().isVolatileQualified() ||
      variable.getType()->isReferenceType())
    return nullptr;
  const clang::Stmt *inner = &access;
  for (const clang::Stmt *outer = parentOf(inner); outer; inner = outer, outer = parentOf(outer))
    if (const auto *loop = dyn_cast<clang::ForStmt>(outer);
        loop && loop->getBody() == inner && isCounted(variable, *loop))
      return loop;
  return nullptr;
}

std::optional<Counting> countingOf(const clang::ForStmt &loop, const clang::ASTContext &ast) {
  if (!loop.getInit() || !loop.getInc() || loop.getConditionVariable())
    return std::nullopt;
  Counting counting;
  if (const auto *declared = dyn_cast<clang::DeclStmt>(loop.getInit())) {
    if (!declared->isSingleDecl())
      return std::nullopt;
    counting.variable = dyn_cast<clang::VarDecl>(declared->getSingleDecl());
    counting.start = counting.variable ? counting.variable->getInit() : nullptr;
  } else if (const auto *set = dyn_cast<clang::BinaryOperator>(loop.getInit());
             set && set->getOpcode() == clang::BO_Assign) {
    counting.variable = variableOf(set->getLHS());
    counting.start = set->getRHS();
  }
  if (!counting.variable || !counting.start)
    return std::nullopt;
  counting.step = stepOf(*loop.getInc(), *counting.variable, ast);
  return counting.step == 0 ? std::nullopt : std::optional(counting);
}

} // namespace relayout::rewriter
