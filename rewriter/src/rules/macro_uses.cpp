// SPDX-License-Identifier: Apache-2.0
// Goes outwards through the expansions around a token.
#include "rules/macro_uses.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

namespace relayout::rewriter {

std::string nameOfMacro(const Program &program, clang::SourceLocation inside) {
  const clang::SourceManager &sources = program.unit.sources();
  while (sources.isMacroArgExpansion(inside) && sources.getImmediateSpellingLoc(inside).isMacroID())
    inside = sources.getImmediateSpellingLoc(inside);
  return clang::Lexer::getImmediateMacroName(inside, sources, program.unit.ast().getLangOpts())
      .str();
}

std::set<std::string> macrosAround(const Program &program, clang::SourceLocation inside) {
  const clang::SourceManager &sources = program.unit.sources();
  const clang::LangOptions &language = program.unit.ast().getLangOpts();
  std::set<std::string> macros;
  while (inside.isMacroID()) {
    if (sources.isMacroArgExpansion(inside)) {
      inside = sources.getImmediateSpellingLoc(inside);
      continue;
    }
    const clang::CharSourceRange use = sources.getImmediateExpansionRange(inside);
    macros.insert(use.getBegin().isFileID()
                      ? clang::Lexer::getSourceText(use, sources, language).str()
                      : clang::Lexer::getImmediateMacroName(inside, sources, language).str() + '(');
    inside = use.getBegin();
  }
  return macros;
}

} // namespace relayout::rewriter
