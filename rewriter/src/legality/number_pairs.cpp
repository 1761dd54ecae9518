// SPDX-License-Identifier: Apache-2.0
// Knows std::pair by its name and its arguments.
#include "legality/number_pairs.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

const clang::ClassTemplateSpecializationDecl *pairOf(const clang::FieldDecl &field) {
  const auto *record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      field.getType()->getAsCXXRecordDecl());
  return record && record->isInStdNamespace() && record->getName() == "pair" ? record : nullptr;
}

} // namespace

bool isPairOfNumbers(const clang::FieldDecl &field) {
  const auto *pair = pairOf(field);
  return pair && !field.getType().isConstQualified() &&
         std::ranges::all_of(pair->getTemplateArgs().asArray(),
                             [](const clang::TemplateArgument &argument) {
                               return argument.getKind() == clang::TemplateArgument::Type &&
                                      argument.getAsType()->isArithmeticType() &&
                                      !argument.getAsType().hasQualifiers();
                             });
}

std::string structForPair(const clang::FieldDecl &field) {
  clang::PrintingPolicy policy(field.getASTContext().getLangOpts());
  policy.Bool = true;
  const clang::TemplateArgumentList &types = pairOf(field)->getTemplateArgs();
  return fmt::format("struct {{\n  {} first;\n  {} second;\n}}",
                     types[0].getAsType().getCanonicalType().getAsString(policy),
                     types[1].getAsType().getCanonicalType().getAsString(policy));
}

} // namespace relayout::rewriter
