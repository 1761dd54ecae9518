// SPDX-License-Identifier: Apache-2.0
// Says of names that they are templates: see the header.
#include "parse/member_templates.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <memory>

namespace relayout::instrument {
namespace {

class QualifiedNames : public clang::DynamicRecursiveASTVisitor {
public:
  QualifiedNames(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
                 WrittenPlaces &places)
      : names_(names), unit_(unit), places_(places) {}

  bool VisitDependentScopeDeclRefExpr(clang::DependentScopeDeclRefExpr *name) override {
    if (!name->hasExplicitTemplateArgs() &&
        std::ranges::find(names_, name->getBeginLoc()) != names_.end())
      places_.insert(writtenAt(name->getQualifierLoc().getEndLoc(), unit_.sources()));
    return true;
  }

private:
  const std::vector<clang::SourceLocation> &names_;
  ParsedUnit &unit_;
  WrittenPlaces &places_;
};

} // namespace

void addMemberTemplates(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
                        WrittenPlaces &places) {
  if (!names.empty())
    QualifiedNames(names, unit, places).TraverseDecl(unit.ast().getTranslationUnitDecl());
}

void MemberTemplates::onToken(const clang::Token &token, clang::CompilerInstance &compiler) const {
  if (places_.empty() || token.isNot(clang::tok::coloncolon) ||
      !places_.contains(writtenAt(token.getLocation(), compiler.getSourceManager())))
    return;
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  auto word = std::make_unique<clang::Token[]>(1);
  word[0].startToken();
  word[0].setKind(clang::tok::kw_template);
  word[0].setIdentifierInfo(&preprocessor.getIdentifierTable().get("template"));
  word[0].setLocation(token.getLocation());
  word[0].setLength(token.getLength());
  preprocessor.EnterTokenStream(std::move(word), 1, /*DisableMacroExpansion=*/true,
                                /*IsReinject=*/true);
}

} // namespace relayout::instrument
