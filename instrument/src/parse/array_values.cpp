// SPDX-License-Identifier: Apache-2.0
// Puts a declarator before the start values of an array of variable length: see the header.
#include "parse/array_values.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace relayout::instrument {

void addArray(clang::SourceLocation extent, const clang::SourceManager &sources,
              ArraysWithValues &arrays) {
  arrays.insert(writtenAt(extent, sources));
}

void ArrayValues::beforeExtent(const clang::Token &token) {
  if (token.isOneOf(clang::tok::star, clang::tok::kw_const)) {
    stars_.push_back(token);
  } else if (token.is(clang::tok::identifier)) {
    ofPointers_ = std::move(stars_);
    stars_.clear();
  } else if (token.isNot(clang::tok::l_square)) {
    stars_.clear();
    ofPointers_.clear();
  }
}

void ArrayValues::onToken(const clang::Token &token, clang::CompilerInstance &compiler) {
  if (arrays_.empty() || token.isAnnotation())
    return;
  const clang::SourceManager &sources = compiler.getSourceManager();
  if (!isOpen_) {
    if (!arrays_.contains(writtenAt(token.getLocation(), sources)))
      return beforeExtent(token);
    isOpen_ = isFirst_ = true;
    depth_ = 1;
    extents_.clear();
  }
  if (!isFirst_)
    extents_.push_back(token);
  depth_ += token.is(clang::tok::l_square) ? 1 : token.is(clang::tok::r_square) ? -1 : 0;
  if (depth_ > 0)
    return;
  isFirst_ = false;
  const auto next = clang::Lexer::findNextToken(sources.getSpellingLoc(token.getLocation()),
                                                sources, compiler.getLangOpts());
  if (next && next->is(clang::tok::l_square))
    return;
  isOpen_ = false;
  declareBeside(token, compiler);
}

void ArrayValues::declareBeside(const clang::Token &last, clang::CompilerInstance &compiler) {
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  std::vector<clang::Token> tokens;
  const auto add = [&](clang::tok::TokenKind kind) -> clang::Token & {
    clang::Token &added = tokens.emplace_back();
    added.startToken();
    added.setKind(kind);
    added.setLocation(last.getLocation());
    added.setLength(1);
    return added;
  };
  add(clang::tok::comma);
  tokens.insert(tokens.end(), ofPointers_.begin(), ofPointers_.end());
  add(clang::tok::identifier)
      .setIdentifierInfo(&preprocessor.getIdentifierTable().get(
          (kValuesName + llvm::Twine(last.getLocation().getRawEncoding())).str()));
  add(clang::tok::l_square);
  add(clang::tok::r_square);
  tokens.insert(tokens.end(), extents_.begin(), extents_.end());
  auto stream = std::make_unique<clang::Token[]>(tokens.size());
  std::ranges::copy(tokens, stream.get());
  preprocessor.EnterTokenStream(std::move(stream), tokens.size(), /*DisableMacroExpansion=*/true,
                                /*IsReinject=*/true);
}

} // namespace relayout::instrument
