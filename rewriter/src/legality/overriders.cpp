// SPDX-License-Identifier: Apache-2.0
// Compares what virtual functions take and return, before and after the rewrite.
#include "legality/overriders.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// What a declaration becomes a view of, or refers to an element of; null where it keeps its type.
const Target *changeOf(const Program &program, const clang::ValueDecl *declaration) {
  return isKeptReference(program, declaration) ? nullptr : program.targetOf(declaration);
}

bool changeAlike(const Program &program, const clang::CXXMethodDecl &one,
                 const clang::CXXMethodDecl &other) {
  return changeOf(program, &one) == changeOf(program, &other) &&
         std::ranges::equal(
             one.parameters(), other.parameters(), {},
             [&](const auto *parameter) { return changeOf(program, parameter); },
             [&](const auto *parameter) { return changeOf(program, parameter); });
}

std::optional<std::string> obstacleBetween(const Program &program,
                                           const clang::CXXMethodDecl &overrider,
                                           const clang::CXXMethodDecl &overridden) {
  const std::string name = overridden.getQualifiedNameAsString();
  if (!isUsers(program, overridden))
    return fmt::format("overrides '{}', which is not the program's", name);
  if (overrider.getReturnType().getCanonicalType() != overridden.getReturnType().getCanonicalType())
    return fmt::format("returns another type than '{}', which it overrides", name);
  if (!changeAlike(program, overrider, overridden))
    return fmt::format("would no longer override '{}', which is given other arrays", name);
  return std::nullopt;
}

} // namespace

std::optional<std::string> obstacleToOverriding(const Program &program,
                                                const clang::CXXMethodDecl &method) {
  for (const clang::CXXMethodDecl *overridden : method.overridden_methods())
    if (std::optional<std::string> obstacle = obstacleBetween(program, method, *overridden))
      return obstacle;
  for (const clang::DeclaratorDecl *declarator : program.index.declarators())
    if (const auto *other = dyn_cast<clang::CXXMethodDecl>(declarator))
      for (const clang::CXXMethodDecl *overridden : other->overridden_methods())
        if (overridden->getCanonicalDecl() == method.getCanonicalDecl() &&
            !changeAlike(program, *other, method))
          return fmt::format("would no longer be overridden by '{}', which is given other arrays",
                             other->getQualifiedNameAsString());
  return std::nullopt;
}

} // namespace relayout::rewriter
