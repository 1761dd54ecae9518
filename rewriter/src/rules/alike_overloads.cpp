// SPDX-License-Identifier: Apache-2.0
// Compares the parameters of overloads as they will be.
#include "rules/alike_overloads.h"

#include "rules/declaration_checks.h"

#include <clang/AST/Decl.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// A view by value and by reference are alike to calls, and a pointer to a view is another type.
bool isAlike(const Program &program, const clang::ParmVarDecl &a, const clang::ParmVarDecl &b) {
  const auto targetOf = [&](const clang::ParmVarDecl &parameter) {
    return isKeptReference(program, &parameter) ? nullptr : program.targetOf(&parameter);
  };
  if (targetOf(a) != targetOf(b))
    return false;
  if (!targetOf(a))
    return a.getType().getCanonicalType() == b.getType().getCanonicalType();
  const auto isTable = [](const clang::ParmVarDecl &parameter) {
    const clang::QualType type = parameter.getType();
    return type->isPointerType() && type->getPointeeType()->isPointerType();
  };
  const auto isConst = [](const clang::ParmVarDecl &parameter) {
    return pointeeOf(heldPointer(parameter.getType())).isConstQualified();
  };
  return isTable(a) == isTable(b) && isConst(a) == isConst(b);
}

bool haveOneType(const clang::FunctionDecl &a, const clang::FunctionDecl &b) {
  return std::ranges::equal(a.parameters(), b.parameters(),
                            [](const clang::ParmVarDecl *own, const clang::ParmVarDecl *other) {
                              return own->getType().getCanonicalType() ==
                                     other->getType().getCanonicalType();
                            });
}

} // namespace

bool takeTheSame(const Program &program, const clang::FunctionDecl &a,
                 const clang::FunctionDecl &b) {
  return std::ranges::equal(a.parameters(), b.parameters(),
                            [&](const clang::ParmVarDecl *own, const clang::ParmVarDecl *other) {
                              return isAlike(program, *own, *other);
                            });
}

void refuseAlikeOverloads(Program &program) {
  using Name = std::pair<const clang::DeclContext *, clang::DeclarationName>;
  std::map<Name, std::vector<const clang::FunctionDecl *>> functions;
  std::set<const clang::FunctionDecl *> known;
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const auto *parameter = dyn_cast<clang::ParmVarDecl>(declarator);
    const auto *function =
        parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
    if (!function || !program.targetOf(parameter) ||
        !known.insert(function->getCanonicalDecl()).second)
      continue;
    std::vector<const clang::FunctionDecl *> &others =
        functions[{function->getDeclContext()->getRedeclContext()->getPrimaryContext(),
                   function->getDeclName()}];
    const auto alike = std::ranges::find_if(others, [&](const clang::FunctionDecl *other) {
      return takeTheSame(program, *other, *function) && !haveOneType(*other, *function);
    });
    if (alike != others.end())
      program.findings.refuse({Code::DeclarationFixed,
                               fmt::format("'{}' would take the same as another function of its "
                                           "name, as pointers and elements become views",
                                           function->getNameAsString()),
                               parameter->getLocation(), "give one of them another name"});
    others.push_back(function);
  }
}

} // namespace relayout::rewriter
