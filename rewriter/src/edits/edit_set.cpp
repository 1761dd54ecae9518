// SPDX-License-Identifier: Apache-2.0
// Places and edits: maps Clang's locations to bytes of the user's files and splices new text in.
#include "edits/edit_set.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace relayout::rewriter {

const FilePath &SourceReader::pathOf(clang::FileID file) const {
  FilePath &path = paths_[file.getHashValue()];
  if (path.text().empty())
    if (const clang::OptionalFileEntryRef entry = unit_.sources().getFileEntryRefForID(file))
      path = std::filesystem::weakly_canonical(entry->getName().str()).string();
  return path;
}

bool SourceReader::isWholeMacro(clang::SourceLocation location) const {
  const clang::SourceManager &sources = unit_.sources();
  const clang::CharSourceRange name = sources.getImmediateExpansionRange(location);
  return name.getBegin() == name.getEnd() && // takes no arguments
         sources.getFileIDSize(sources.getFileID(location)) ==
             clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(location), sources,
                                              unit_.ast().getLangOpts());
}

std::optional<clang::SourceLocation> SourceReader::spelled(clang::SourceLocation location) const {
  const clang::SourceManager &sources = unit_.sources();
  while (location.isMacroID()) {
    if (sources.isMacroArgExpansion(location))
      location = sources.getImmediateSpellingLoc(location);
    else if (isWholeMacro(location))
      location = sources.getImmediateExpansionRange(location).getBegin();
    else
      return std::nullopt;
  }
  if (location.isInvalid() || !unit_.isUserFile(sources.getFileID(location)))
    return std::nullopt;
  return location;
}

std::optional<FilePlace> SourceReader::place(clang::SourceLocation location) const {
  const std::optional<clang::SourceLocation> file = spelled(location);
  if (!file)
    return std::nullopt;
  const auto [id, offset] = unit_.sources().getDecomposedLoc(*file);
  return FilePlace{pathOf(id), offset};
}

std::optional<FileRange> SourceReader::range(clang::SourceRange tokens) const {
  const clang::SourceManager &sources = unit_.sources();
  const clang::CharSourceRange file = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(tokens), sources, unit_.ast().getLangOpts());
  if (file.isInvalid())
    return std::nullopt;
  const auto [id, begin] = sources.getDecomposedLoc(file.getBegin());
  const auto [endId, end] = sources.getDecomposedLoc(file.getEnd());
  if (id != endId || end < begin || !unit_.isUserFile(id))
    return std::nullopt;
  return FileRange{{pathOf(id), begin}, end};
}

std::optional<FileRange> SourceReader::tokenRange(clang::SourceLocation location) const {
  const std::optional<clang::SourceLocation> file = spelled(location);
  if (!file)
    return std::nullopt;
  const std::optional<clang::Token> token = tokenAt(*file);
  if (!token)
    return std::nullopt;
  const auto [id, offset] = unit_.sources().getDecomposedLoc(*file);
  return FileRange{{pathOf(id), offset}, offset + token->getLength()};
}

std::optional<clang::Token> SourceReader::tokenAt(clang::SourceLocation fileLocation) const {
  clang::Token token;
  if (clang::Lexer::getRawToken(fileLocation, token, unit_.sources(), unit_.ast().getLangOpts(),
                                /*IgnoreWhiteSpace=*/true))
    return std::nullopt;
  return token;
}

std::optional<clang::Token> SourceReader::tokenAfter(clang::SourceLocation fileLocation) const {
  return clang::Lexer::findNextToken(fileLocation, unit_.sources(), unit_.ast().getLangOpts());
}

std::string SourceReader::text(const clang::Token &token) const {
  return clang::Lexer::getSpelling(token, unit_.sources(), unit_.ast().getLangOpts());
}

const std::string &SourceReader::fileText(const std::string &path) const {
  if (texts_.empty())
    for (const instrument::SourceText &file : unit_.userSources().files)
      texts_[file.originalPath] = file.text;
  return texts_[path];
}

std::optional<FilePlace> SourceReader::lineOf(const FilePlace &place) const {
  const std::string &file = fileText(place.path);
  std::size_t line = place.offset == 0 ? std::string::npos : file.rfind('\n', place.offset - 1);
  line = line == std::string::npos ? 0 : line + 1;
  if (file.find_first_not_of(" \t", line) != place.offset)
    return std::nullopt;
  while (line > 1) {
    const std::size_t before = file.rfind('\n', line - 2);
    const std::size_t above = before == std::string::npos ? 0 : before + 1;
    const std::size_t first = file.find_first_not_of(" \t", above);
    if (first >= line || file.compare(first, 2, "//") != 0)
      break;
    line = above;
  }
  return FilePlace{place.path, static_cast<unsigned>(line)};
}

std::string SourceReader::text(const FileRange &range) const {
  return fileText(range.begin.path).substr(range.begin.offset, range.end - range.begin.offset);
}

FileRange withSpaceBehind(FileRange range, const SourceReader &reader) {
  const std::string &file = reader.fileText(range.begin.path);
  while (range.end < file.size() && (file[range.end] == ' ' || file[range.end] == '\t'))
    ++range.end;
  return range;
}

FileRange withSpaceAround(FileRange range, const SourceReader &reader) {
  range = withSpaceBehind(std::move(range), reader);
  const std::string &file = reader.fileText(range.begin.path);
  while (range.begin.offset > 0 &&
         (file[range.begin.offset - 1] == ' ' || file[range.begin.offset - 1] == '\t'))
    --range.begin.offset;
  return range;
}

bool EditSet::add(const FilePlace &use, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end());
  const auto [entry, isNew] = byUse_.try_emplace(use, edits);
  return isNew || entry->second == edits;
}

bool EditSet::addAll(const EditSet &others) {
  bool isWhole = moves_.empty() && others.moves_.empty();
  for (const auto &[use, edits] : others.byUse_)
    isWhole &= add(use, edits);
  return isWhole;
}

void EditSet::addNew(const EditSet &others, const std::set<FilePlace> &uses) {
  for (const auto &[use, edits] : others.byUse_)
    if (uses.contains(use))
      byUse_.try_emplace(use, edits);
}

bool EditSet::touches(const FileRange &range) const {
  for (const auto &[use, edits] : byUse_)
    for (const Edit &edit : edits)
      if (edit.range.begin.path == range.begin.path && edit.range.begin.offset < range.end &&
          edit.range.end > range.begin.offset)
        return true;
  return false;
}

std::vector<Edit> EditSet::ordered(std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) {
    const bool aInserts = a.range.begin.offset == a.range.end;
    const bool bInserts = b.range.begin.offset == b.range.end;
    return std::forward_as_tuple(a.range.begin.offset, !aInserts, a.order, a.range.end, a.text) <
           std::forward_as_tuple(b.range.begin.offset, !bInserts, b.order, b.range.end, b.text);
  });
  edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
  return edits;
}

void EditSet::dropWithin(const FileRange &range) {
  for (auto &[use, edits] : byUse_)
    std::erase_if(edits, [&](const Edit &edit) {
      return edit.range.begin.path == range.begin.path &&
             edit.range.begin.offset >= range.begin.offset && edit.range.end <= range.end;
    });
}

std::optional<std::string> EditSet::textOf(const FileRange &range,
                                           const SourceReader &reader) const {
  std::vector<Edit> inside;
  for (const auto &[use, edits] : byUse_)
    for (const Edit &edit : edits)
      if (edit.range.begin.path == range.begin.path &&
          edit.range.begin.offset >= range.begin.offset && edit.range.end <= range.end)
        inside.push_back(edit);
  return spliced(reader.fileText(range.begin.path), range.begin.offset, range.end,
                 std::move(inside));
}

std::optional<std::string> EditSet::spliced(const std::string &file, unsigned begin, unsigned end,
                                            std::vector<Edit> edits) {
  std::string text;
  unsigned done = begin;
  for (const Edit &edit : ordered(std::move(edits))) {
    if (edit.range.begin.offset < done)
      return std::nullopt;
    text.append(file, done, edit.range.begin.offset - done);
    text += edit.text;
    done = edit.range.end;
  }
  return text.append(file, done, end - done);
}

bool EditSet::move(const FileRange &range, const FilePlace &to, std::string behind,
                   std::string replacement) {
  for (const auto &[other, known] : moves_)
    if (other != range && other.begin.path == range.begin.path && other.begin.offset < range.end &&
        range.begin.offset < other.end)
      return false;
  moves_.try_emplace(range, Move{to, std::move(behind), std::move(replacement)});
  return true;
}

std::string outdented(std::string text, const std::string &indentation) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at)
    if (text.compare(at + 1, indentation.size(), indentation) == 0)
      text.erase(at + 1, indentation.size());
  return text;
}

std::string indentationAt(const std::string &file, unsigned offset) {
  const std::size_t line = file.rfind('\n', offset) + 1;
  return file.substr(line, file.find_first_not_of(" \t", line) - line);
}

bool EditSet::makeMoves(const instrument::SourceText &file, std::vector<Edit> &edits) const {
  for (const auto &[range, move] : moves_) {
    if (range.begin.path != file.originalPath)
      continue;
    const auto isInside = [&range = range](const Edit &edit) {
      return edit.range.begin.offset >= range.begin.offset && edit.range.end <= range.end &&
             edit.range.begin.offset < range.end;
    };
    std::vector<Edit> inside;
    std::ranges::copy_if(edits, std::back_inserter(inside), isInside);
    std::erase_if(edits, isInside);
    const std::optional<std::string> text =
        spliced(file.text, range.begin.offset, range.end, std::move(inside));
    if (!text)
      return false;
    edits.push_back({{move.to, move.to.offset},
                     outdented(*text, indentationAt(file.text, range.begin.offset)) + move.behind,
                     {0, static_cast<long>(range.begin.offset)}});
    edits.push_back({range, move.replacement, {0, 0}});
  }
  return true;
}

Result<void> EditSet::apply(instrument::SourceSet &sources) const {
  std::map<std::string, std::vector<Edit>> byFile;
  for (const auto &[use, edits] : byUse_)
    for (const Edit &edit : edits)
      byFile[edit.range.begin.path].push_back(edit);
  for (instrument::SourceText &file : sources.files) {
    std::vector<Edit> edits = std::move(byFile[file.originalPath]);
    if (!makeMoves(file, edits))
      return fail(Code::ConflictingEdits, "two edits of a definition that moves overlap",
                  {file.originalPath, 0, 0});
    edits = ordered(std::move(edits));
    std::string text;
    std::string written; // 'w' for what is of an edit, beside each character of the text
    unsigned done = 0;
    for (const Edit &edit : edits) {
      if (edit.range.begin.offset < done) {
        const std::string before = file.text.substr(0, edit.range.begin.offset);
        const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n') + 1);
        return fail(Code::ConflictingEdits, "two edits of this line overlap",
                    {file.originalPath, line, 0});
      }
      text.append(file.text, done, edit.range.begin.offset - done);
      written.resize(text.size(), ' ');
      text += edit.text;
      written.resize(text.size(), 'w');
      done = edit.range.end;
    }
    text.append(file.text, done, std::string::npos);
    written.resize(text.size(), ' ');
    for (const std::string &needless : needless_)
      for (std::size_t at = 0; (at = text.find(needless, at)) != std::string::npos;) {
        if (written.find_first_not_of('w', at) < at + needless.size()) { // the user's
          ++at;
          continue;
        }
        const bool isBehindBlank = at < 2 || text[at - 2] == '\n';
        text.replace(at, needless.size(), isBehindBlank ? "" : "\n");
        written.replace(at, needless.size(), isBehindBlank ? "" : "w");
      }
    file.text = std::move(text);
  }
  return {};
}

} // namespace relayout::rewriter
