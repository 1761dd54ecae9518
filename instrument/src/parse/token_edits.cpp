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
#include <iterator>
#include <numeric>
#include <ranges>

namespace relayout::instrument {
namespace {

/// What is added to a file's name: the first form has that of the file.
std::string suffixOfForm(std::size_t form) { return fmt::format(".{}", form + 1); }

} // namespace

/// An object-like macro of a header that is not the user's. The edited program includes that
/// header too, and may give the name another meaning there (`__shared__`), so the name stays.
struct TokenEdits::HeaderName {
  clang::FileID expansion; ///< invalid: the token comes from no such macro
  std::string name;
  clang::SourceLocation place; ///< of the token in the macro's body
};

/// Inclusions of one file that one edited text serves. What one of them leaves out, as behind a
/// guard that follows other text, is edited for those that do not.
struct TokenEdits::Inclusions {
  std::vector<Patch> patches;

  /// \returns  false where another one takes a piece of text as well, and only one of them edits
  ///           it, or another way
  bool add(const std::vector<Patch> &further, const LeftOut &leftOut) {
    const auto isOf = [](const std::vector<Patch> &known, const Patch &patch) {
      return std::ranges::find(known, patch) != known.end();
    };
    for (const Patch &patch : further)
      if (!isOf(patches, patch) && !std::ranges::all_of(leftOut_, [&](const LeftOut &other) {
            return leavesOut(other, patch);
          }))
        return false;
    for (const Patch &patch : patches)
      if (!isOf(further, patch) && !leavesOut(leftOut, patch))
        return false;
    for (const Patch &patch : further)
      if (!isOf(patches, patch))
        patches.push_back(patch);
    std::ranges::stable_sort(patches, {}, &Patch::begin);
    leftOut_.push_back(leftOut);
    return true;
  }

private:
  static bool leavesOut(const LeftOut &leftOut, const Patch &patch) {
    return std::ranges::any_of(leftOut, [&](const std::pair<unsigned, unsigned> &range) {
      return range.first <= patch.begin && patch.end <= range.second;
    });
  }

  std::vector<LeftOut> leftOut_; ///< of each inclusion
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

/// The user's files, as often as they are included, each behind what includes it.
std::map<clang::FileID, std::vector<TokenEdits::Index>> TokenEdits::tokensOfFiles() const {
  const clang::SourceManager &sources = unit_.sources();
  std::map<clang::FileID, std::vector<Index>> tokensOf;
  for (unsigned i = 0, n = sources.local_sloc_entry_size(); i != n; ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    const clang::FileID file =
        entry.isFile()
            ? sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()))
            : clang::FileID();
    if (file.isValid() && unit_.isUserFile(file))
      tokensOf[file];
  }
  for (Index i = 0; i < size(); ++i)
    tokensOf[sources.getFileID(sources.getExpansionLoc(token(i).getLocation()))].push_back(i);
  return tokensOf;
}

/// The name of a file's form in the directive that includes it there; nothing where a macro has it.
std::optional<TokenEdits::Patch> TokenEdits::nameOfForm(clang::FileID file,
                                                        std::size_t form) const {
  const clang::SourceManager &sources = unit_.sources();
  const clang::SourceLocation where = sources.getIncludeLoc(file);
  const auto directive = std::ranges::find(
      unit_.inclusions(), where, [](const Inclusion &known) { return known.name.getBegin(); });
  if (directive == unit_.inclusions().end())
    return std::nullopt;
  std::string name =
      clang::Lexer::getSourceText(directive->name, sources, unit_.ast().getLangOpts()).str();
  for (const auto &[range, text] : characters_)
    if (range.getBegin() == where)
      name = text;
  name.insert(name.size() - 1, suffixOfForm(form)); // in front of the quote
  return Patch{sources.getFileOffset(where), sources.getFileOffset(directive->name.getEnd()), name};
}

TokenEdits::LeftOut TokenEdits::leftOutOf(clang::FileID file) const {
  const clang::SourceManager &sources = unit_.sources();
  LeftOut leftOut;
  for (const clang::SourceRange range : unit_.skippedRanges())
    if (sources.getFileID(range.getBegin()) == file)
      leftOut.emplace_back(sources.getFileOffset(range.getBegin()),
                           sources.getFileOffset(range.getEnd()));
  return leftOut;
}

Result<std::map<std::string, std::vector<TokenEdits::Inclusions>>>
TokenEdits::formsOfFiles() const {
  const clang::SourceManager &sources = unit_.sources();
  const std::vector<Around> edits = resolve();
  const std::map<clang::FileID, std::vector<Index>> tokensOf = tokensOfFiles();
  std::map<std::string, std::vector<Inclusions>> formsOf;
  std::map<clang::FileID, std::vector<Patch>> namesIn; // of forms
  for (const auto &[file, tokens] : std::views::reverse(tokensOf)) {
    const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    if (!entry)
      continue;
    std::vector<Patch> patches;
    patchFile(edits, file, tokens, patches);
    for (Patch &name : namesIn[file]) {
      std::erase_if(patches, [&](const Patch &patch) { return patch.begin == name.begin; });
      patches.push_back(std::move(name));
    }
    std::ranges::stable_sort(patches, {}, &Patch::begin);
    const std::string path = std::filesystem::weakly_canonical(entry->getName().str()).string();
    std::vector<Inclusions> &forms = formsOf[path];
    const LeftOut leftOut = leftOutOf(file);
    const auto found =
        std::ranges::find_if(forms, [&](Inclusions &form) { return form.add(patches, leftOut); });
    const auto form = static_cast<std::size_t>(found - forms.begin());
    if (form == forms.size())
      forms.emplace_back().add(patches, leftOut);
    if (form == 0)
      continue;
    std::optional<Patch> name = nameOfForm(file, form);
    if (!name)
      return fail(Code::HeaderMeansSeveral,
                  fmt::format("'{}' is included several times, and means something else each time",
                              entry->getName().str()),
                  {entry->getName().str(), 0, 0});
    namesIn[sources.getFileID(sources.getIncludeLoc(file))].push_back(std::move(*name));
  }
  return formsOf;
}

Result<SourceSet> TokenEdits::apply() const {
  const auto formsOf = formsOfFiles();
  if (!formsOf)
    return tl::unexpected(formsOf.error());
  SourceSet set = unit_.userSources();
  std::vector<SourceText> further;
  for (SourceText &file : set.files) {
    const auto found = formsOf->find(file.originalPath);
    if (found == formsOf->end())
      continue;
    // Tokens are those of the text as Clang read it.
    const std::string read = clangSpelling(file.text);
    for (std::size_t form = 0; form < found->second.size(); ++form) {
      std::string text =
          splice(read, 0, static_cast<unsigned>(read.size()), found->second[form].patches);
      if (form == 0)
        file.text = std::move(text);
      else
        further.push_back({file.originalPath, file.relativePath + suffixOfForm(form), file.original,
                           std::move(text)});
    }
  }
  std::ranges::move(further, std::back_inserter(set.files));
  return set;
}

} // namespace relayout::instrument
