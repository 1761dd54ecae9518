// SPDX-License-Identifier: Apache-2.0
// Follows the name of a function to the pointer that it is put into.
#include "legality/function_values.h"

#include "relayout/instrument/clang/function_pointers.h"

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;
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

} // namespace

bool isPutIntoPointer(const Program &program, const clang::DeclRefExpr &name,
                      const clang::FunctionDecl &function) {
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
  const Parameters taken = ofTaker(program, *value, around);
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
