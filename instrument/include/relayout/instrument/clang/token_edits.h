// SPDX-License-Identifier: Apache-2.0
// Edits of the user's text that name their places by Clang's locations, macros or not. Used by the
// lowering and by the rewriter.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// Edits over the expanded token stream of one parsed unit. Where a place lies inside a macro
/// invocation, the whole outermost invocation is printed as the tokens it became, with the edits
/// in place; elsewhere text is spliced into the file and everything around it stays as it was.
///
/// Places are indices into ParsedUnit::tokens(). Edits may come in any order: of two that start
/// at one token, that which ends later is the outer one; of two with equal ranges, the first.
class TokenEdits {
public:
  explicit TokenEdits(ParsedUnit &unit);

  using Index = std::uint32_t;

  /// The token that starts at this place; nothing where no such token was read.
  [[nodiscard]] std::optional<Index> indexOf(clang::SourceLocation location) const;
  [[nodiscard]] const clang::Token &token(Index index) const { return unit_.tokens()[index]; }
  [[nodiscard]] Index size() const { return static_cast<Index>(unit_.tokens().size()); }

  /// The tokens first..last as text, spaced so that they read back as the same tokens.
  [[nodiscard]] std::string text(Index first, Index last) const;

  /// Puts `prefix` before token `first` and `suffix` behind token `last`.
  void wrap(Index first, Index last, const std::string &prefix, std::string suffix);
  void insertBefore(Index index, const std::string &text) { wrap(index, index, text, {}); }
  void insertAfter(Index index, std::string text) { wrap(index, index, {}, std::move(text)); }
  /// Replaces tokens first..last. Edits inside them are lost; those around them stay.
  void replace(Index first, Index last, const std::string &text);
  /// Replaces characters of a file that are not tokens, such as the name in an #include.
  void replaceCharacters(clang::CharSourceRange range, std::string text);

  /// Makes apply() leave as many line ends in each file as there were, so that __LINE__ and
  /// messages stay what they are.
  void keepLines() { keepsLines_ = true; }

  /// What the file says from token `first` to token `last`, with the edits made between them;
  /// comments, line ends and directives are left in place. Both tokens stand in one file and in no
  /// macro invocation.
  [[nodiscard]] std::string edited(Index first, Index last) const;

  /// The user's files with the edits made. Where a header is included several times and the edits
  /// differ, as those of a list of members for other macros, each form is a file of its own, which
  /// the directive names.
  /// \error RL-I12 a macro stands for the name in that directive
  [[nodiscard]] Result<SourceSet> apply() const;

private:
  [[nodiscard]] std::string apart(Index first, const std::string &text) const;

  struct Wrap {
    Index first, last;
    std::string prefix, suffix;
  };
  struct Replacement {
    Index first, last;
    std::string text;
  };
  struct Patch {
    unsigned begin, end; ///< bytes of the file
    std::string text;
    bool operator==(const Patch &) const = default;
  };
  using LeftOut = std::vector<std::pair<unsigned, unsigned>>; ///< bytes of a file, by directives
  struct Inclusions;
  struct Around {
    std::string before, after;
    bool deleted = false;
    bool joinsPrevious = false; ///< deleted together with the token before it
  };
  [[nodiscard]] std::vector<Around> resolve() const;
  [[nodiscard]] std::string splice(llvm::StringRef original, unsigned begin, unsigned end,
                                   const std::vector<Patch> &patches) const;
  [[nodiscard]] std::string print(Index first, Index last, const std::vector<Around> *edits) const;
  void patchFile(const std::vector<Around> &edits, clang::FileID file,
                 const std::vector<Index> &tokens, std::vector<Patch> &patches) const;
  [[nodiscard]] std::map<clang::FileID, std::vector<Index>> tokensOfFiles() const;
  [[nodiscard]] std::optional<Patch> nameOfForm(clang::FileID file, std::size_t form) const;
  [[nodiscard]] LeftOut leftOutOf(clang::FileID file) const;
  /// By path.
  [[nodiscard]] Result<std::map<std::string, std::vector<Inclusions>>> formsOfFiles() const;
  [[nodiscard]] bool namesItsMacro(Index index) const;
  [[nodiscard]] bool joinsTokenBefore(Index first) const;
  struct HeaderName;
  [[nodiscard]] HeaderName headerNameOf(clang::SourceLocation location) const;

  ParsedUnit &unit_;
  llvm::DenseMap<std::uint32_t, Index> indexOf_;
  std::vector<Wrap> wraps_;
  std::vector<Replacement> replacements_;
  std::vector<std::pair<clang::CharSourceRange, std::string>> characters_;
  bool keepsLines_ = false;
};

} // namespace relayout::instrument
