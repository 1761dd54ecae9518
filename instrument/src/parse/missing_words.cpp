// SPDX-License-Identifier: Apache-2.0
// Finds the tokens in front of such names, and gives the parser words behind them.
#include "parse/missing_words.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

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

void addPlacesBefore(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
                     WrittenPlaces &places) {
  const clang::SourceManager &sources = unit.sources();
  for (const clang::SourceLocation name : names)
    if (const std::optional<clang::Token> before = clang::Lexer::findPreviousToken(
            sources.getSpellingLoc(name), sources, unit.ast().getLangOpts(),
            /*IncludeComments=*/false))
      places.insert(writtenAt(before->getLocation(), sources));
}

/// Behind the last token that the preprocessor gave.
void enter(const std::vector<std::pair<clang::tok::TokenKind, llvm::StringRef>> &words,
           const clang::Token &behind, clang::Preprocessor &preprocessor) {
  auto tokens = std::make_unique<clang::Token[]>(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    tokens[i].startToken();
    tokens[i].setKind(words[i].first);
    if (!words[i].second.empty())
      tokens[i].setIdentifierInfo(&preprocessor.getIdentifierTable().get(words[i].second));
    tokens[i].setLocation(behind.getLocation());
    tokens[i].setLength(behind.getLength());
  }
  preprocessor.EnterTokenStream(std::move(tokens), static_cast<unsigned>(words.size()),
                                /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
}

} // namespace

void addMemberTemplates(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
                        MissingWords &words) {
  if (!names.empty())
    QualifiedNames(names, unit, words.ofTemplates)
        .TraverseDecl(unit.ast().getTranslationUnitDecl());
}

void addMissingWords(const std::vector<clang::SourceLocation> &templates,
                     const std::vector<clang::SourceLocation> &members, ParsedUnit &unit,
                     MissingWords &words) {
  addPlacesBefore(templates, unit, words.ofTemplates);
  addPlacesBefore(members, unit, words.ofMembers);
}

void addCasts(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
              MissingWords &words) {
  for (const clang::SourceLocation name : names)
    words.ofPointers.insert(writtenAt(name, unit.sources()));
}

std::string WordAdder::onToken(const clang::Token &token, clang::CompilerInstance &compiler) {
  if (words_.areNone() || token.isAnnotation())
    return {};
  if (token.is(clang::tok::semi)) // no `=`: another form of start value
    pointer_.clear();
  if (token.is(clang::tok::equal) && !pointer_.empty()) {
    enter({{clang::tok::l_paren, ""},
           {clang::tok::kw_decltype, "decltype"},
           {clang::tok::l_paren, ""},
           {clang::tok::identifier, pointer_},
           {clang::tok::r_paren, ""},
           {clang::tok::r_paren, ""}},
          token, compiler.getPreprocessor());
    return fmt::format(" (decltype({}))", std::exchange(pointer_, {}));
  }
  const auto place = writtenAt(token.getLocation(), compiler.getSourceManager());
  if (words_.ofPointers.contains(place) && token.is(clang::tok::identifier))
    pointer_ = token.getIdentifierInfo()->getName();
  if (words_.ofTemplates.contains(place)) {
    enter({{clang::tok::kw_template, "template"}}, token, compiler.getPreprocessor());
    return " template ";
  }
  if (!words_.ofMembers.contains(place))
    return {};
  enter({{clang::tok::kw_this, "this"}, {clang::tok::arrow, ""}}, token,
        compiler.getPreprocessor());
  return " this->";
}

} // namespace relayout::instrument
