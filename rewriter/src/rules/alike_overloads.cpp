// SPDX-License-Identifier: Apache-2.0
// Compares the parameters of overloads as they will be.
#include "rules/alike_overloads.h"

#include "legality/overloads.h"
#include "rules/declaration_checks.h"

#include <clang/AST/Decl.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
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

/// `push(Body &, float)` and `push(Body *, int)`: an argument tells an element from a pointer, and
/// does not tell a view from a view, so that `push(bodies[i], 3)` would call the other.
const clang::ParmVarDecl *madeAlike(const Program &program, const clang::FunctionDecl &a,
                                    const clang::FunctionDecl &b) {
  if (a.getMinRequiredArguments() > b.getNumParams() ||
      b.getMinRequiredArguments() > a.getNumParams())
    return nullptr;
  const clang::ParmVarDecl *alike = nullptr;
  for (unsigned i = 0; i < std::min(a.getNumParams(), b.getNumParams()); ++i) {
    const clang::ParmVarDecl *own = a.getParamDecl(i), *other = b.getParamDecl(i);
    const auto becomesView = [&](const clang::ParmVarDecl &parameter) {
      return program.targetOf(&parameter) && !isKeptReference(program, &parameter);
    };
    const auto isPointer = [](const clang::ParmVarDecl &parameter) {
      return parameter.getType().getNonReferenceType()->isPointerType();
    };
    if (becomesView(*own) && becomesView(*other)) {
      if (program.targetOf(own) != program.targetOf(other))
        return nullptr;
      if (isPointer(*own) != isPointer(*other))
        alike = own;
    } else if (becomesView(*own) != becomesView(*other) ||
               areApart(own->getType(), other->getType())) {
      return nullptr;
    }
  }
  return alike;
}

/// In one scope, or in a class and one that it is derived from.
bool areSeenTogether(const clang::FunctionDecl &a, const clang::FunctionDecl &b) {
  const auto *own = dyn_cast<clang::CXXMethodDecl>(&a), *other = dyn_cast<clang::CXXMethodDecl>(&b);
  if (!own != !other)
    return false;
  if (!own)
    return true; // namespaces are open to each other
  const auto scope = [](const clang::CXXMethodDecl &method) {
    return method.getParent()->getCanonicalDecl();
  };
  return scope(*own) == scope(*other) ||
         own->getParent()->isDerivedFrom(other->getParent()->getCanonicalDecl()) ||
         other->getParent()->isDerivedFrom(own->getParent()->getCanonicalDecl());
}

} // namespace

bool takeTheSame(const Program &program, const clang::FunctionDecl &a,
                 const clang::FunctionDecl &b) {
  return std::ranges::equal(a.parameters(), b.parameters(),
                            [&](const clang::ParmVarDecl *own, const clang::ParmVarDecl *other) {
                              return isAlike(program, *own, *other);
                            });
}

/// \param parameter  of `function`, which becomes a view
static std::optional<Refusal> refusalOfPair(const Program &program,
                                            const clang::FunctionDecl &function,
                                            const clang::FunctionDecl &other,
                                            const clang::ParmVarDecl &parameter) {
  constexpr const char *kRemedy = "give one of them another name";
  const auto scopeOf = [](const clang::FunctionDecl &one) {
    return one.getDeclContext()->getRedeclContext()->getPrimaryContext();
  };
  if (scopeOf(function) == scopeOf(other) && takeTheSame(program, other, function) &&
      !haveOneType(other, function))
    return Refusal{Code::DeclarationFixed,
                   fmt::format("'{}' would take the same as another function of its name, as "
                               "pointers and elements become views",
                               function.getNameAsString()),
                   parameter.getLocation(), kRemedy};
  const clang::ParmVarDecl *made =
      areSeenTogether(function, other) ? madeAlike(program, function, other) : nullptr;
  if (!made)
    return std::nullopt;
  return Refusal{Code::DeclarationFixed,
                 fmt::format("'{}' takes an element where another function of its name takes a "
                             "pointer, or a pointer where that takes an element: as both become "
                             "views, other arguments would choose between them",
                             function.getNameAsString()),
                 made->getLocation(), kRemedy};
}

void refuseAlikeOverloads(Program &program) {
  std::map<clang::DeclarationName, std::vector<const clang::FunctionDecl *>> namesakes;
  std::set<const clang::FunctionDecl *> known;
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const auto *parameter = dyn_cast<clang::ParmVarDecl>(declarator);
    const auto *function =
        parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
    if (!function || !program.targetOf(parameter) ||
        !known.insert(function->getCanonicalDecl()).second)
      continue;
    std::vector<const clang::FunctionDecl *> &others = namesakes[function->getDeclName()];
    for (const clang::FunctionDecl *other : others)
      if (std::optional<Refusal> refusal = refusalOfPair(program, *function, *other, *parameter)) {
        program.findings.refuse(*refusal);
        break;
      }
    others.push_back(function);
  }
}

} // namespace relayout::rewriter
