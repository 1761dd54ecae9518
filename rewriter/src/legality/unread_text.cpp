// SPDX-License-Identifier: Apache-2.0
// Inactive branches and stringified arguments.
#include "legality/unread_text.h"

#include "edits/words.h"

#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

std::string withoutComments(const std::string &text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string::npos ? text.size() : end + 2;
    } else {
      code += text[at++];
    }
  }
  return code;
}

/// The first of these words that a text holds.
std::string wordIn(const std::string &text, const std::set<std::string> &words) {
  for (const std::string &word : wordsIn(withoutComments(text)))
    if (words.count(word))
      return word;
  return {};
}

/// What the text calls the rewritten arrays.
struct Names {
  std::set<std::string> everywhere; ///< records; global arrays, members and functions
  /// Locals and parameters, whose names mean something else elsewhere.
  std::vector<std::pair<clang::SourceRange, std::string>> inFunctions;
};

Names namesOfArrays(const Program &program) {
  Names names;
  for (const auto &[group, target] : program.targets) {
    if (!target->shape.isVectorType) // a `float` may be of any array
      names.everywhere.insert(target->shape.name.substr(0, target->shape.name.find('<')));
    for (const clang::ValueDecl *each : program.flow.groups()[group].declarations) {
      if (!each->getDeclName().isIdentifier())
        continue;
      if (!each->getDeclContext()->isFunctionOrMethod())
        names.everywhere.insert(each->getNameAsString());
      else if (const auto *function = clang::dyn_cast<clang::FunctionDecl>(each->getDeclContext()))
        names.inFunctions.emplace_back(function->getSourceRange(), each->getNameAsString());
    }
  }
  return names;
}

/// The names that a branch can mean.
std::set<std::string> namesIn(const Names &names, clang::SourceLocation branch,
                              const clang::SourceManager &sources) {
  std::set<std::string> meant = names.everywhere;
  for (const auto &[function, name] : names.inFunctions)
    if (sources.isBeforeInTranslationUnit(sources.getExpansionLoc(function.getBegin()), branch) &&
        sources.isBeforeInTranslationUnit(branch, sources.getExpansionLoc(function.getEnd())))
      meant.insert(name);
  return meant;
}

bool makesStrings(const clang::MacroInfo &macro) {
  return macro.isFunctionLike() &&
         std::ranges::any_of(macro.tokens(),
                             [](const clang::Token &token) { return token.is(clang::tok::hash); });
}

bool makesStrings(Program &program, const std::string &name) {
  clang::Preprocessor &preprocessor = program.unit.preprocessor();
  for (const clang::MacroDirective *directive =
           preprocessor.getLocalMacroDirectiveHistory(preprocessor.getIdentifierInfo(name));
       directive; directive = directive->getPrevious())
    if (const clang::MacroInfo *macro = directive->getMacroInfo(); macro && makesStrings(*macro))
      return true;
  return false;
}

} // namespace

void warnOfInactiveBranches(Program &program) {
  if (program.unit.preprocessor().isMacroDefined("__CUDA_ARCH__"))
    return; // the host's view saw them
  const Names names = namesOfArrays(program);
  const clang::SourceManager &sources = program.unit.sources();
  std::set<FilePlace> known;
  for (const clang::SourceRange &skipped : program.unit.skippedRanges()) {
    const std::optional<FilePlace> begin = program.reader.place(skipped.getBegin());
    const std::optional<FilePlace> end = program.reader.place(skipped.getEnd());
    if (!begin || !end || begin->path != end->path || !known.insert(*begin).second ||
        program.edits.hasWithin(*begin, end->offset)) // read where the file is included again
      continue;
    const std::string text = program.reader.text(FileRange{*begin, end->offset});
    if (text.substr(0, text.find('\n')).find("__CUDA_ARCH__") != std::string::npos)
      continue; // the device's view reads it
    const std::size_t body = text.find('\n');
    const std::string word =
        body == std::string::npos
            ? std::string()
            : wordIn(text.substr(body), namesIn(names, skipped.getBegin(), sources));
    if (!word.empty())
      program.findings.warn(
          {Code::InactiveCode,
           fmt::format("a branch that this build leaves out mentions '{}' and is not rewritten",
                       word),
           sources.getExpansionLoc(skipped.getBegin()),
           "rewrite it by hand, or rewrite the program once with this branch active"});
  }
}

void warnOfStringified(Program &program, const Target &target, clang::SourceLocation use) {
  const clang::SourceManager &sources = program.unit.sources();
  const clang::LangOptions &language = program.unit.ast().getLangOpts();
  for (clang::SourceLocation at = use; at.isMacroID(); at = sources.getImmediateSpellingLoc(at)) {
    const std::string macro = clang::Lexer::getImmediateMacroName(at, sources, language).str();
    if (!macro.empty() && program.stringified.insert(macro).second && makesStrings(program, macro))
      program.findings.warn(
          {Code::EditInMacro,
           fmt::format("'{}' makes a string of its argument, and the argument changes with '{}'",
                       macro, target.shape.name),
           use, "what the program prints of this text changes"});
  }
}

} // namespace relayout::rewriter
