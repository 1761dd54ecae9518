// SPDX-License-Identifier: Apache-2.0
// Puts a type before braces among the settings of a launch: see the header.
#include "parse/braced_settings.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>
#include <utility>

namespace relayout::instrument {
namespace {

/// The parser is given `dim3` next where a brace follows in the text.
void putTypeBeforeBrace(const clang::Token &token, clang::CompilerInstance &compiler) {
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  if (token.getLocation().isMacroID())
    return;
  const auto next = clang::Lexer::findNextToken(token.getLocation(), compiler.getSourceManager(),
                                                compiler.getLangOpts());
  if (!next || next->isNot(clang::tok::l_brace))
    return;
  auto type = std::make_unique<clang::Token[]>(1);
  type[0].startToken();
  type[0].setKind(clang::tok::identifier);
  type[0].setIdentifierInfo(&preprocessor.getIdentifierTable().get("dim3"));
  type[0].setLocation(next->getLocation());
  type[0].setLength(1);
  preprocessor.EnterTokenStream(std::move(type), 1, /*DisableMacroExpansion=*/true,
                                /*IsReinject=*/true);
}

} // namespace

void BracedSettings::onToken(const clang::Token &token, clang::CompilerInstance &compiler) {
  if (token.isAnnotation())
    return;
  if (token.is(clang::tok::lesslessless)) {
    isOpen_ = true;
    depth_ = 0;
    return putTypeBeforeBrace(token, compiler);
  }
  if (!isOpen_)
    return;
  if (token.isOneOf(clang::tok::l_paren, clang::tok::l_square, clang::tok::l_brace))
    ++depth_;
  else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_square, clang::tok::r_brace))
    --depth_;
  else if (token.isOneOf(clang::tok::greatergreatergreater, clang::tok::semi))
    isOpen_ = false;
  else if (token.is(clang::tok::comma) && depth_ == 0)
    putTypeBeforeBrace(token, compiler);
}

} // namespace relayout::instrument
