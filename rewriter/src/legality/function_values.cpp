// SPDX-License-Identifier: Apache-2.0
// Follows the name of a function to the pointer that it is put into, and looks for what else may be
// behind such pointers.
#include "legality/function_values.h"

#include "relayout/instrument/clang/function_pointers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <map>
#include <string>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;
using clang::isa_and_nonnull;
using Parameters = llvm::ArrayRef<clang::ParmVarDecl *>;

/// Of the variable that a list of functions starts, an array of pointers.
Parameters ofListed(const Program &program, const clang::InitListExpr &list) {
  const Parent around = program.index.parentOf(&list);
  const auto *variable = dyn_cast_or_null<clang::ValueDecl>(around.decl);
  return variable && list.getType()->isArrayType() ? instrument::writtenParameters(*variable)
                                                   : Parameters();
}

/// Of what the function's name, or the choice that it is part of, flows into.
Parameters ofTaker(const Program &program, const clang::Expr &value, const Parent &around) {
  if (const auto *declared = dyn_cast_or_null<clang::ValueDecl>(around.decl))
    return instrument::writtenParameters(*declared);
  if (around.initialiser && around.initialiser->isMemberInitializer())
    return instrument::writtenParameters(*around.initialiser->getMember());
  if (const auto *binary = dyn_cast_or_null<clang::BinaryOperator>(around.stmt))
    if (binary->getOpcode() == clang::BO_Assign || binary->isEqualityOp())
      return instrument::writtenParameters(
          *(binary->getLHS() == &value ? binary->getRHS() : binary->getLHS()));
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt))
    if (const clang::ParmVarDecl *parameter = parameterFor(*call, value))
      return instrument::writtenParameters(*parameter);
  if (const auto *made = dyn_cast_or_null<clang::CXXConstructExpr>(around.stmt))
    for (unsigned i = 0; i < made->getNumArgs(); ++i)
      if (made->getArg(i) == &value && i < made->getConstructor()->getNumParams())
        return instrument::writtenParameters(*made->getConstructor()->getParamDecl(i));
  if (const auto *list = dyn_cast_or_null<clang::InitListExpr>(around.stmt)) {
    if (const auto *record = list->getType()->getAsRecordDecl())
      for (const clang::FieldDecl *field : record->fields())
        if (field->getFieldIndex() < list->getNumInits() &&
            list->getInit(field->getFieldIndex()) == &value)
          return instrument::writtenParameters(*field);
    return ofListed(program, *list);
  }
  return {};
}

/// What the pointer is written with that the name of a function flows into.
Parameters takenAs(const Program &program, const clang::DeclRefExpr &name) {
  const clang::Expr *value = &name;
  Parent around = program.index.parentOf(value);
  while (const auto *outside = dyn_cast_or_null<clang::Expr>(around.stmt)) {
    const auto *unary = dyn_cast<clang::UnaryOperator>(outside);
    const auto *choice = dyn_cast<clang::ConditionalOperator>(outside);
    if (!isa<clang::ParenExpr, clang::ImplicitCastExpr>(outside) &&
        !(unary && unary->getOpcode() == clang::UO_AddrOf) &&
        !(choice && choice->getCond() != value))
      break;
    value = outside;
    around = program.index.parentOf(value);
  }
  return ofTaker(program, *value, around);
}

const Target *targetIn(const Program &program, Parameters parameters) {
  for (const clang::ParmVarDecl *parameter : parameters)
    if (const Target *target = parameter ? program.targetOf(parameter) : nullptr)
      return target;
  return nullptr;
}

/// The type of functions that a pointer leads to; null for all other types.
const clang::Type *functionBehind(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isPointerType())
    type = type->getPointeeType();
  return type->isFunctionProtoType() ? type.getCanonicalType().getTypePtr() : nullptr;
}

/// Conversions between types of functions of which one changes.
class Conversions : public clang::DynamicRecursiveASTVisitor {
public:
  Conversions(Program &program, const std::map<const clang::Type *, const Target *> &changed)
      : program_(program), changed_(changed) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    const clang::Type *to = functionBehind(conversion->getType());
    const clang::Type *from = functionBehind(conversion->getSubExpr()->getType());
    const bool isNull = conversion->getSubExpr()->isNullPointerConstant(
        program_.unit.ast(), clang::Expr::NPC_ValueDependentIsNotNull);
    if (to && to != from && !isNull) {
      refuse(to, "a pointer of another type is cast to one to functions", *conversion);
      refuse(from, "a pointer to functions is cast to one of another type", *conversion);
    }
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *call) override {
    if (isa_and_nonnull<clang::CXXConversionDecl>(call->getMethodDecl()))
      refuse(functionBehind(call->getType()), "an object becomes a pointer to functions", *call);
    return true;
  }

private:
  void refuse(const clang::Type *type, const char *what, const clang::Expr &expression) {
    if (const auto known = type ? changed_.find(type) : changed_.end(); known != changed_.end())
      program_.findings.refuse(
          Code::PointerEscapes,
          fmt::format("arrays of '{}' are not rewritten: {}, which take such arrays",
                      known->second->shape.name, what),
          expression.getExprLoc(), "use functions of the pointer's own type");
  }

  Program &program_;
  const std::map<const clang::Type *, const Target *> &changed_;
};

/// Why other functions than the program's may be behind what is declared, or it may be called by
/// other code; empty where neither is so.
std::string obstacleTo(const Program &program, const clang::NamedDecl &declared) {
  if (const auto *member = dyn_cast<clang::FieldDecl>(&declared))
    return member->getParent()->isUnion() ? "is a member of a union" : "";
  const auto *variable = dyn_cast<clang::VarDecl>(&declared);
  const auto *owner =
      variable ? dyn_cast<clang::FunctionDecl>(variable->getDeclContext()) : nullptr;
  if (variable && isa<clang::ParmVarDecl>(variable)) {
    if (!owner)
      return "";
    return owner->isExternC() ? "is a parameter of a function with C linkage"
           : !owner->isDefined() && !owner->getTemplateInstantiationPattern() &&
                   !program.isDefined(*owner)
               ? "is a parameter of a function that no unit of the program defines"
               : "";
  }
  if (!variable || !variable->hasGlobalStorage())
    return "";
  return variable->isExternC() ? "has C linkage"
         : variable->hasExternalStorage() && !program.isDefined(*variable) &&
                 !variable->getDefinition()
             ? "is defined by no unit of the program"
             : "";
}

} // namespace

const Target *takenBy(const Program &program, const clang::DeclRefExpr &name) {
  return targetIn(program, takenAs(program, name));
}

void refuseOtherFunctions(Program &program) {
  std::map<const clang::Type *, const Target *> changed;
  for (const ParentIndex::PointerToFunctions &pointer : program.index.pointersToFunctions()) {
    const Target *target = targetIn(program, pointer.function.getParams());
    if (!target)
      continue;
    changed.emplace(pointer.function.getType().getCanonicalType().getTypePtr(), target);
    if (const std::string why = obstacleTo(program, *pointer.declared); !why.empty())
      program.findings.refuse(
          Code::PointerEscapes,
          fmt::format("arrays of '{}' are not rewritten: '{}', a pointer to functions that take "
                      "such arrays, {}",
                      target->shape.name, pointer.declared->getNameAsString(), why),
          pointer.declared->getLocation(), "call these functions by their names");
  }
  if (!changed.empty())
    Conversions(program, changed).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

bool isPutIntoPointer(const Program &program, const clang::DeclRefExpr &name,
                      const clang::FunctionDecl &function) {
  const Parameters taken = takenAs(program, name);
  if (taken.size() != function.getNumParams() || program.targetOf(&function))
    return false;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const clang::ParmVarDecl *own = function.getParamDecl(i);
    if (program.targetOf(own) != program.targetOf(taken[i]) ||
        (program.targetOf(own) && isKeptReference(program, own)))
      return false;
  }
  return true;
}

} // namespace relayout::rewriter
