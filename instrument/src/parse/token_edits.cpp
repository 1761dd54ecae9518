// SPDX-License-Identifier: Apache-2.0
// Edits of the user's text by Clang's locations: see the header.
#include "relayout/instrument/clang/token_edits.h"

#include "parse/nvcc_spelling.h"

#include <clang/Basic/CharInfo.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/TokenConcatenation.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

namespace relayout::instrument {

/// An object-like macro of a header that is not the user's. The edited program includes that
/// header too, and may give the name another meaning there (`__shared__`), so the name stays.
struct TokenEdits::HeaderName {
  clang::FileID expansion; ///< invalid: the token comes from no such macro
  std::string name;
  clang::SourceLocation place; ///< of the token in the macro's body
};

/// A file that is included several times. What one inclusion leaves out, as behind a guard that
/// follows other text, is edited for those that do not.
struct TokenEdits::Inclusions {
  std::vector<Patch> patches;
  std::set<unsigned> active; ///< where tokens start that some inclusion takes

  /// \returns  false where both take a piece of text and only one edits it, or another way
  bool add(std::vector<Patch> further, std::set<unsigned> alsoActive) {
    for (const Patch &patch : further)
      if (std::ranges::find(patches, patch) == patches.end() && takesAnyOf(active, patch))
        return false;
    for (const Patch &patch : patches)
      if (std::ranges::find(further, patch) == further.end() && takesAnyOf(alsoActive, patch))
        return false;
    for (Patch &patch : further)
      if (std::ranges::find(patches, patch) == patches.end())
        patches.push_back(std::move(patch));
    std::ranges::stable_sort(patches, {}, &Patch::begin);
    active.merge(alsoActive);
    return true;
  }

private:
  static bool takesAnyOf(const std::set<unsigned> &active, const Patch &patch) {
    const auto first = active.lower_bound(patch.begin);
    return first != active.end() && *first < std::max(patch.end, patch.begin + 1);
  }
};

TokenEdits::TokenEdits(ParsedUnit &unit) : unit_(unit) {
  const std::vector<clang::Token> &tokens = unit.tokens();
  indexOf_.reserve(static_cast<unsigned>(tokens.size()));
  for (Index i = 0; i < tokens.size(); ++i)
    indexOf_.try_emplace(tokens[i].getLocation().getRawEncoding(), i);
}

std::optional<TokenEdits::Index> TokenEdits::indexOf(clang::SourceLocation location) const {
  const auto found = indexOf_.find(location.getRawEncoding());
  if (found == indexOf_.end())
    return std::nullopt;
  return found->second;
}

/// `case 1:step<<<1, 1>>>()` has a colon in front of what may begin with one.
std::string TokenEdits::apart(Index first, const std::string &text) const {
  const bool followsColon = first != 0 && token(first - 1).is(clang::tok::colon);
  return followsColon && text.starts_with(':') ? ' ' + text : text;
}

void TokenEdits::wrap(Index first, Index last, const std::string &prefix, std::string suffix) {
  wraps_.push_back({first, last, apart(first, prefix), std::move(suffix)});
}

void TokenEdits::replace(Index first, Index last, const std::string &text) {
  replacements_.push_back({first, last, apart(first, text)});
}

void TokenEdits::replaceCharacters(clang::CharSourceRange range, std::string text) {
  characters_.emplace_back(range, std::move(text));
}

std::string TokenEdits::text(Index first, Index last) const { return print(first, last, nullptr); }

TokenEdits::HeaderName TokenEdits::headerNameOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = unit_.sources();
  HeaderName found;
  for (; location.isMacroID(); location = sources.getImmediateMacroCallerLoc(location)) {
    const clang::FileID file = sources.getFileID(location);
    const clang::SrcMgr::ExpansionInfo &expansion = sources.getSLocEntry(file).getExpansion();
    if (!expansion.isMacroBodyExpansion() || expansion.isFunctionMacroExpansion())
      continue;
    const clang::SourceLocation spelled = sources.getImmediateSpellingLoc(location);
    if (!spelled.isFileID())
      continue;
    const clang::FileID definedIn = sources.getFileID(spelled);
    // Built-in macros and -D have no file behind them: their tokens are all there is.
    if (!sources.getFileEntryRefForID(definedIn) || unit_.isUserFile(definedIn))
      continue;
    llvm::SmallString<32> buffer;
    const clang::SourceLocation name = sources.getSpellingLoc(expansion.getExpansionLocStart());
    found = {file,
             clang::Lexer::getSpelling(name, buffer, sources, unit_.ast().getLangOpts()).str(),
             location};
  }
  return found;
}

/// `#define check(call) check(call, __LINE__)`: read again, the name would be the macro's.
bool TokenEdits::namesItsMacro(Index index) const {
  return token(index).isExpandDisabled() && index + 1 < size() &&
         token(index + 1).is(clang::tok::l_paren);
}

std::string TokenEdits::print(Index first, Index last, const std::vector<Around> *edits) const {
  clang::Preprocessor &preprocessor = unit_.preprocessor();
  const clang::TokenConcatenation concatenation(preprocessor);
  std::string out;
  auto append = [&](const std::string &piece, bool spaced) {
    if (out.empty() || piece.empty() || out.back() == ' ') {
      out += piece;
      return;
    }
    const bool wouldJoin = clang::isAsciiIdentifierContinue(out.back()) &&
                           clang::isAsciiIdentifierContinue(piece.front());
    if (spaced || wouldJoin)
      out += ' ';
    out += piece;
  };
  HeaderName current;
  clang::Token before;
  clang::Token beforeThat;
  before.startToken();
  beforeThat.startToken();
  for (Index i = first; i <= last; ++i) {
    const clang::Token &token = unit_.tokens()[i];
    const Around *around = edits ? &(*edits)[i] : nullptr;
    const bool spaced = token.hasLeadingSpace() || token.isAtStartOfLine() ||
                        concatenation.AvoidConcat(beforeThat, before, token);
    if (around && !around->before.empty())
      append(around->before, spaced);
    if (!around || !around->deleted) {
      HeaderName header = headerNameOf(token.getLocation());
      if (header.expansion.isInvalid()) {
        const std::string spelling = preprocessor.getSpelling(token);
        append(namesItsMacro(i) ? "(" + spelling + ")" : spelling,
               spaced && (!around || around->before.empty()));
      } else if (header.expansion != current.expansion || header.place < current.place) {
        append(header.name, true); // an argument may be expanded once, and stand twice
      }
      current = std::move(header);
    }
    if (around && !around->after.empty())
      append(around->after, false);
    beforeThat = before;
    before = token;
  }
  return out;
}

/// `z-DEC(p)` of `#define DEC(p) -(p).x`: what the macro stands for would be another token there.
bool TokenEdits::joinsTokenBefore(Index first) const {
  const clang::TokenConcatenation concatenation(unit_.preprocessor());
  clang::Token none;
  none.startToken();
  return first != 0 && concatenation.AvoidConcat(first > 1 ? token(first - 2) : none,
                                                 token(first - 1), token(first));
}

std::vector<TokenEdits::Around> TokenEdits::resolve() const {
  std::vector<Around> around(unit_.tokens().size());
  std::vector<const Wrap *> wraps;
  auto isLost = [&](const Wrap &wrap) {
    return std::ranges::any_of(replacements_, [&](const Replacement &replaced) {
      return wrap.first >= replaced.first && wrap.last <= replaced.last &&
             (wrap.first != replaced.first || wrap.last != replaced.last);
    });
  };
  for (const Wrap &wrap : wraps_)
    if (!isLost(wrap))
      wraps.push_back(&wrap);
  std::ranges::stable_sort(wraps, [](const Wrap *a, const Wrap *b) { return a->last > b->last; });
  for (const Wrap *wrap : wraps)
    around[wrap->first].before += wrap->prefix;
  // Pointers into one vector: a later request has the greater address and is the inner one.
  std::ranges::sort(wraps, [](const Wrap *a, const Wrap *b) {
    return a->first != b->first ? a->first > b->first : a > b;
  });
  for (const Wrap *wrap : wraps)
    around[wrap->last].after += wrap->suffix;
  for (const Replacement &replaced : replacements_) {
    const bool nested = std::ranges::any_of(replacements_, [&](const Replacement &outer) {
      return &outer != &replaced && outer.first <= replaced.first && outer.last >= replaced.last &&
             (outer.first != replaced.first || outer.last != replaced.last || &outer > &replaced);
    });
    if (nested)
      continue;
    around[replaced.first].before += replaced.text;
    for (Index i = replaced.first; i <= replaced.last; ++i) {
      around[i].deleted = true;
      around[i].joinsPrevious = i != replaced.first;
    }
  }
  return around;
}

void TokenEdits::patchFile(const std::vector<Around> &edits, clang::FileID file,
                           const std::vector<Index> &tokens, std::vector<Patch> &patches) const {
  const clang::SourceManager &sources = unit_.sources();
  const clang::LangOptions &language = unit_.ast().getLangOpts();
  unsigned previousEnd = 0;
  for (std::size_t at = 0; at < tokens.size();) {
    const Index first = tokens[at];
    const clang::SourceLocation location = unit_.tokens()[first].getLocation();
    const clang::CharSourceRange range = sources.getExpansionRange(location);
    const unsigned begin = sources.getFileOffset(range.getBegin());
    unsigned end = begin + unit_.tokens()[first].getLength();
    std::size_t next = at + 1;
    if (location.isMacroID()) {
      end = sources.getFileOffset(range.getEnd()) +
            (range.isTokenRange()
                 ? clang::Lexer::MeasureTokenLength(range.getEnd(), sources, language)
                 : 0);
      while (next < tokens.size() && unit_.tokens()[tokens[next]].getLocation().isMacroID() &&
             sources.getExpansionLoc(unit_.tokens()[tokens[next]].getLocation()) ==
                 range.getBegin())
        ++next;
    }
    if (edits[first].joinsPrevious && previousEnd < begin)
      patches.push_back({previousEnd, begin, {}});
    if (location.isFileID()) {
      const Around &around = edits[first];
      if (!around.before.empty() || around.deleted)
        patches.push_back({begin, around.deleted ? end : begin, around.before});
      if (!around.after.empty())
        patches.push_back({end, end, around.after});
    } else {
      bool touched = false;
      for (std::size_t i = at; i < next; ++i) {
        const Around &around = edits[tokens[i]];
        touched |= !around.before.empty() || !around.after.empty() || around.deleted;
      }
      if (touched)
        patches.push_back(
            {begin, end,
             (joinsTokenBefore(first) ? " " : "") + print(first, tokens[next - 1], &edits)});
    }
    previousEnd = end;
    at = next;
  }
  for (const auto &[range, text] : characters_)
    if (sources.getFileID(range.getBegin()) == file)
      patches.push_back(
          {sources.getFileOffset(range.getBegin()), sources.getFileOffset(range.getEnd()), text});
  std::ranges::stable_sort(patches,
                           [](const Patch &a, const Patch &b) { return a.begin < b.begin; });
}

std::string TokenEdits::splice(llvm::StringRef original, unsigned begin, unsigned end,
                               const std::vector<Patch> &patches) const {
  std::string text;
  unsigned position = begin;
  for (const Patch &patch : patches) {
    text += original.slice(position, patch.begin);
    text += patch.text;
    if (keepsLines_) {
      const auto lost =
          static_cast<std::ptrdiff_t>(original.slice(patch.begin, patch.end).count('\n')) -
          std::ranges::count(patch.text, '\n');
      text.append(std::max<std::ptrdiff_t>(lost, 0), '\n');
    }
    position = patch.end;
  }
  text += original.slice(position, end);
  return text;
}

std::string TokenEdits::edited(Index first, Index last) const {
  const clang::SourceManager &sources = unit_.sources();
  const clang::FileID file = sources.getFileID(token(first).getLocation());
  std::vector<Index> tokens(last - first + 1);
  std::iota(tokens.begin(), tokens.end(), first);
  std::vector<Patch> patches;
  patchFile(resolve(), file, tokens, patches);
  const unsigned begin = sources.getFileOffset(token(first).getLocation());
  const unsigned end = sources.getFileOffset(token(last).getEndLoc());
  std::erase_if(patches,
                [&](const Patch &patch) { return patch.begin < begin || patch.end > end; });
  return splice(sources.getBufferData(file), begin, end, patches);
}

Result<SourceSet> TokenEdits::apply() const {
  const clang::SourceManager &sources = unit_.sources();
  const std::vector<Around> edits = resolve();
  std::map<clang::FileID, std::vector<Index>> tokensOf;
  for (Index i = 0; i < size(); ++i)
    tokensOf[sources.getFileID(sources.getExpansionLoc(token(i).getLocation()))].push_back(i);
  for (const auto &[range, text] : characters_)
    tokensOf[sources.getFileID(range.getBegin())];

  SourceSet set = unit_.userSources();
  std::map<std::string, Inclusions> inclusionsOf;
  for (const auto &[file, tokens] : tokensOf) {
    const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    if (!entry)
      continue;
    const std::string path = std::filesystem::weakly_canonical(entry->getName().str()).string();
    std::vector<Patch> patches;
    patchFile(edits, file, tokens, patches);
    std::set<unsigned> active;
    for (const Index i : tokens)
      active.insert(sources.getFileOffset(sources.getExpansionLoc(token(i).getLocation())));
    if (!inclusionsOf[path].add(std::move(patches), std::move(active)))
      return fail(Code::HeaderMeansSeveral,
                  fmt::format("'{}' is included several times, and means something else each time",
                              entry->getName().str()),
                  {entry->getName().str(), 0, 0});
  }
  for (SourceText &file : set.files) {
    const auto found = inclusionsOf.find(file.originalPath);
    if (found == inclusionsOf.end())
      continue;
    // Tokens are those of the text as Clang read it.
    file.text = splice(clangSpelling(file.text), 0, static_cast<unsigned>(file.text.size()),
                       found->second.patches);
  }
  return set;
}

} // namespace relayout::instrument
