// SPDX-License-Identifier: Apache-2.0
// Objects have the names of declarations, and those that have none the place of their type.
#include "structs/object_names.h"

#include "model/referents.h"
#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

clang::TypeLoc innermostType(clang::TypeLoc type) {
  while (type) {
    type = type.getUnqualifiedLoc();
    if (const auto pointer = type.getAs<clang::PointerTypeLoc>())
      type = pointer.getPointeeLoc();
    else if (const auto reference = type.getAs<clang::ReferenceTypeLoc>())
      type = reference.getPointeeLoc();
    else if (const auto array = type.getAs<clang::ArrayTypeLoc>())
      type = array.getElementLoc();
    else if (const auto inner = type.getAs<clang::ParenTypeLoc>())
      type = inner.getInnerLoc();
    else
      return compatibility::namedType(type).name;
  }
  return type;
}

std::optional<TypePlace> filePlace(ParsedUnit &unit, clang::SourceLocation location) {
  if (location.isInvalid() || location.isMacroID())
    return std::nullopt;
  const auto [file, offset] = unit.sources().getDecomposedLoc(location);
  if (!unit.isUserFile(file))
    return std::nullopt;
  return TypePlace{unit.pathOf(file), offset};
}

std::optional<TypePlace> writtenPlace(ParsedUnit &unit, clang::SourceLocation location) {
  const clang::SourceManager &sources = unit.sources();
  while (location.isMacroID() && sources.isMacroArgExpansion(location))
    location = sources.getImmediateSpellingLoc(location);
  return filePlace(unit, location);
}

bool isUsers(ParsedUnit &unit, const clang::FunctionDecl &function) {
  const clang::SourceManager &sources = unit.sources();
  const clang::SourceLocation where = function.getLocation();
  return where.isValid() && unit.isUserFile(sources.getFileID(sources.getExpansionLoc(where)));
}

bool ObjectNames::leadsTo(clang::QualType type) const {
  while (!type.isNull()) {
    type = type.getNonReferenceType();
    if (const auto *pointer = type->getAs<clang::PointerType>())
      type = pointer->getPointeeType();
    else if (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
      type = array->getElementType();
    else
      break;
  }
  const clang::CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  return record && record->getCanonicalDecl() == record_;
}

std::string ObjectNames::of(const clang::ValueDecl *declaration) const {
  const auto *function = dyn_cast<clang::FunctionDecl>(declaration);
  if (!leadsTo(function ? function->getReturnType() : declaration->getType()))
    return {};
  declaration = canonical(declaration);
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration))
    if (const auto *owner = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()))
      return fmt::format("{}#{}", symbolOf(unit_, owner), parameter->getFunctionScopeIndex());
  return symbolOf(unit_, declaration);
}

std::string ObjectNames::ofWritten(clang::TypeLoc type) const {
  if (type.isNull() || !leadsTo(type.getType()))
    return {};
  const auto place = writtenPlace(unit_, innermostType(type).getEndLoc());
  return place ? fmt::format("{}@{}", place->path, place->offset) : std::string();
}

void ObjectNames::add(std::string name, std::vector<std::string> &to) const {
  if (!name.empty())
    to.push_back(std::move(name));
}

bool ObjectNames::referOperator(const clang::Expr *expression, std::vector<std::string> &to) const {
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression))
    return refer(subscript->getBase(), to), true;
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression))
    return refer(unary->getSubExpr(), to), true;
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression)) {
    const bool isLeft = binary->getOpcode() != clang::BO_Comma &&
                        (binary->isAssignmentOp() || leadsTo(binary->getLHS()->getType()));
    return refer(isLeft ? binary->getLHS() : binary->getRHS(), to), true;
  }
  const auto *choice = dyn_cast<clang::AbstractConditionalOperator>(expression);
  if (!choice)
    return false;
  refer(choice->getTrueExpr(), to);
  refer(choice->getFalseExpr(), to);
  return true;
}

void ObjectNames::referCall(const clang::CallExpr &call, std::vector<std::string> &to) const {
  if (isOneOf(standardName(&call), {"move", "forward", "addressof", "exchange", "launder"}))
    return refer(call.getArg(0), to);
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const auto *assignment = dyn_cast<clang::CXXOperatorCallExpr>(&call);
  if (assignment && assignment->isAssignmentOp())
    return refer(assignment->getArg(0), to);
  if (callee && isUsers(unit_, *callee))
    return add(of(callee), to);
  if (leadsTo(call.getType()))
    to.emplace_back(kOfLibrary);
}

void ObjectNames::referCast(const clang::ExplicitCastExpr &cast,
                            std::vector<std::string> &to) const {
  add(ofWritten(cast.getTypeInfoAsWritten()->getTypeLoc()), to);
  referSizes(cast.getSubExpr(), to);
  if (const auto *call = dyn_cast<clang::CallExpr>(cast.getSubExpr()->IgnoreParenImpCasts()))
    for (const clang::Expr *argument : call->arguments())
      referSizes(argument, to);
  refer(cast.getSubExpr(), to);
}

void ObjectNames::refer(const clang::Expr *expression, std::vector<std::string> &to) const {
  if (!expression)
    return;
  expression = expression->IgnoreParenImpCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression))
    return add(of(name->getDecl()), to);
  if (isa<clang::CXXThisExpr>(expression))
    return leadsTo(expression->getType()) ? add(this_, to) : void();
  if (const auto *member = dyn_cast<clang::MemberExpr>(expression))
    return add(of(member->getMemberDecl()), to);
  if (referOperator(expression, to))
    return;
  if (const auto *cast = dyn_cast<clang::ExplicitCastExpr>(expression))
    return referCast(*cast, to);
  if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    return referCall(*call, to);
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(expression))
    return refer(wrapper->getSubExpr(), to);
  if (const auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return refer(temporary->getSubExpr(), to);
  if (const auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(expression))
    return refer(bound->getSubExpr(), to);
  if (const auto *literal = dyn_cast<clang::CompoundLiteralExpr>(expression))
    return add(ofWritten(literal->getTypeSourceInfo()->getTypeLoc()), to);
  if (const auto *made = dyn_cast<clang::CXXNewExpr>(expression))
    return add(ofWritten(made->getAllocatedTypeSourceInfo()->getTypeLoc()), to);
  if (const auto *written = dyn_cast<clang::CXXTemporaryObjectExpr>(expression))
    return add(ofWritten(written->getTypeSourceInfo()->getTypeLoc()), to);
  if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(expression)) {
    for (const clang::Expr *argument : construction->arguments())
      if (leadsTo(argument->getType()))
        refer(argument, to);
    return;
  }
  if (const auto *list = dyn_cast<clang::InitListExpr>(expression))
    if (list->getType()->isArrayType() || list->getNumInits() == 1)
      for (const clang::Expr *initial : list->inits())
        if (leadsTo(initial->getType()))
          refer(initial, to);
}

void ObjectNames::referSizes(const clang::Stmt *expression, std::vector<std::string> &to) const {
  if (!expression || isa<clang::CallExpr>(expression))
    return;
  if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(expression);
      size && size->isArgumentType())
    return add(ofWritten(size->getArgumentTypeInfo()->getTypeLoc()), to);
  for (const clang::Stmt *child : expression->children())
    referSizes(child, to);
}

} // namespace relayout::instrument
