// SPDX-License-Identifier: Apache-2.0
// Variables that nothing names any more once subscripts are coordinates.
#include "coordinates/coordinates.h"

#include <algorithm>
#include <cctype>

namespace relayout::rewriter {

namespace {

bool isOfName(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

bool hasWord(const std::string &text, const std::string &word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isOfName(text[at - 1])) && (end == text.size() || !isOfName(text[end])))
      return true;
  }
  return false;
}

/// The range with its whole lines, if nothing else stands on them.
FileRange withLines(FileRange range, const std::string &file) {
  const auto isBlank = [&](unsigned offset) { return file[offset] == ' ' || file[offset] == '\t'; };
  FileRange lines = range;
  while (lines.begin.offset > 0 && isBlank(lines.begin.offset - 1))
    --lines.begin.offset;
  while (lines.end < file.size() && isBlank(lines.end))
    ++lines.end;
  const bool isAlone = (lines.begin.offset == 0 || file[lines.begin.offset - 1] == '\n') &&
                       lines.end < file.size() && file[lines.end] == '\n';
  if (!isAlone)
    return range;
  ++lines.end;
  return lines;
}

/// True where this build excludes a part of the function, which may name anything.
bool hasExcludedParts(const Program &program, const clang::FunctionDecl &function) {
  const clang::SourceManager &sources = program.unit.sources();
  return std::ranges::any_of(program.unit.skippedRanges(), [&](const clang::SourceRange &skipped) {
    return !sources.isBeforeInTranslationUnit(skipped.getBegin(), function.getLocation()) &&
           sources.isBeforeInTranslationUnit(skipped.getBegin(), function.getEndLoc());
  });
}

} // namespace

std::optional<Edit> Coordinates::withoutDeclaration(const clang::VarDecl &variable,
                                                    const clang::FunctionDecl &function,
                                                    const Replaced &replaced,
                                                    const EditSet &edits) {
  const FunctionBody &body = values_.bodyOf(function);
  const auto *declaration = dyn_cast_or_null<clang::DeclStmt>(body.declarationOf(variable));
  if (!declaration || !declaration->isSingleDecl() || !body.isNeverChanged(variable) ||
      !isa_and_nonnull<clang::CompoundStmt>(body.parentOf(declaration)))
    return std::nullopt;
  const std::string name = variable.getNameAsString();
  const auto &references = program_.index.referencesTo(&variable);
  const bool isGone =
      !references.empty() &&
      std::ranges::all_of(references,
                          [&](const clang::DeclRefExpr *reference) {
                            const auto range = program_.reader.range(reference->getSourceRange());
                            return range && edits.touches(*range);
                          }) &&
      std::ranges::none_of(replaced.texts,
                           [&](const std::string &text) { return hasWord(text, name); });
  const std::optional<FileRange> range =
      isGone ? program_.reader.range(declaration->getSourceRange()) : std::nullopt;
  if (!range || !program_.reader.text(*range).ends_with(';'))
    return std::nullopt;
  return Edit{withLines(*range, program_.reader.fileText(range->begin.path)), ""};
}

void Coordinates::dropUnused(Program &program) {
  for (auto &[function, replaced] : replaced_) {
    EditSet &edits = program.editsIn(function);
    for (bool hasDropped = !hasExcludedParts(program, *function); hasDropped;) {
      hasDropped = false;
      for (const clang::VarDecl *variable : std::set(replaced.computed)) {
        const std::optional<Edit> edit = withoutDeclaration(*variable, *function, replaced, edits);
        const std::optional<FilePlace> place = program.reader.place(variable->getLocation());
        if (!edit || !place)
          continue;
        replaced.computed.erase(variable);
        hasDropped |= edits.add(*place, {*edit});
      }
    }
  }
}

} // namespace relayout::rewriter
