// SPDX-License-Identifier: Apache-2.0
// Text edits in the user's files, each at a place the user wrote: what a macro's body produced is
// never edited, a macro's argument is edited where it is spelled.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/clang/front_end.h"

#include <clang/Lex/Token.h>

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::rewriter {

/// A file's canonical path. There are many copies of few, which share their text.
class FilePath {
public:
  FilePath() = default;
  FilePath(std::string path) // NOLINT: a path is a path
      : path_(std::make_shared<const std::string>(std::move(path))) {}

  [[nodiscard]] const std::string &text() const {
    static const std::string kNone;
    return path_ ? *path_ : kNone;
  }
  operator const std::string &() const { return text(); } // NOLINT: a path is its text

  friend bool operator==(const FilePath &a, const FilePath &b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const FilePath &a, const FilePath &b) {
    return a.path_ == b.path_ ? std::strong_ordering::equal : a.text() <=> b.text();
  }

private:
  std::shared_ptr<const std::string> path_;
};

/// A place in a file: its path and a byte offset.
struct FilePlace {
  FilePath path;
  unsigned offset = 0;

  auto operator<=>(const FilePlace &) const = default;
};

/// Characters [begin, end) of one file.
struct FileRange {
  FilePlace begin;
  unsigned end = 0;

  auto operator<=>(const FileRange &) const = default;
};

struct Edit {
  FileRange range;
  std::string text;
  /// Orders insertions at one offset: what closes an inner expression before what closes an outer
  /// one, then what opens an outer one before what opens an inner one.
  std::pair<int, long> order{0, 0};

  auto operator<=>(const Edit &) const = default;
};

/// Reads the user's files as text, around places Clang gives.
class SourceReader {
public:
  explicit SourceReader(instrument::ParsedUnit &unit) : unit_(unit) {}

  /// Where the token at this location is spelled; nothing when a macro's body spells it, unless
  /// that is all there is to the macro: then where its name stands for the token.
  [[nodiscard]] std::optional<clang::SourceLocation> spelled(clang::SourceLocation location) const;
  [[nodiscard]] std::optional<FilePlace> place(clang::SourceLocation location) const;

  /// The characters of an expression, macro invocations taken as wholes.
  [[nodiscard]] std::optional<FileRange> range(clang::SourceRange tokens) const;
  [[nodiscard]] std::optional<FileRange> tokenRange(clang::SourceLocation location) const;

  /// The token at a file location, and the next one after it.
  [[nodiscard]] std::optional<clang::Token> tokenAt(clang::SourceLocation fileLocation) const;
  [[nodiscard]] std::optional<clang::Token> tokenAfter(clang::SourceLocation fileLocation) const;
  [[nodiscard]] std::string text(const clang::Token &token) const;

  [[nodiscard]] const std::string &fileText(const std::string &path) const;
  [[nodiscard]] std::string text(const FileRange &range) const;
  /// The start of the line on which a class begins, or of the comment above it; nothing where other
  /// code stands on the line before it.
  [[nodiscard]] std::optional<FilePlace> lineOf(const FilePlace &place) const;
  [[nodiscard]] clang::SourceLocation locationOf(const clang::Token &token) const {
    return token.getLocation();
  }

private:
  [[nodiscard]] const FilePath &pathOf(clang::FileID file) const;
  /// True for the token that a macro like `#define Tuple float2` stands for.
  [[nodiscard]] bool isWholeMacro(clang::SourceLocation location) const;

  instrument::ParsedUnit &unit_;
  mutable std::map<unsigned, FilePath> paths_;
  mutable std::map<std::string, std::string> texts_;
};

/// Of the line that a character of a file stands on.
[[nodiscard]] std::string indentationAt(const std::string &file, unsigned offset);

/// Lines behind the first with an indentation taken away, where they have it.
[[nodiscard]] std::string outdented(std::string text, const std::string &indentation);

/// The range with the blanks behind it.
[[nodiscard]] FileRange withSpaceBehind(FileRange range, const SourceReader &reader);
/// The same with the blanks in front of it.
[[nodiscard]] FileRange withSpaceAround(FileRange range, const SourceReader &reader);

/// All edits of a rewrite. Adding the same edit twice (template instantiations, the two passes,
/// a macro argument used twice) is one edit; different edits of one use are a conflict.
class EditSet {
public:
  /// Adds the edits that one use needs. False when the same use was given other edits before.
  [[nodiscard]] bool add(const FilePlace &use, std::vector<Edit> edits);
  /// Adds all of another set; false when a use has other edits here.
  [[nodiscard]] bool addAll(const EditSet &others);
  /// Adds those of another set that uses at these places have there, and none here.
  void addNew(const EditSet &others, const std::set<FilePlace> &uses);
  /// Gives a use these edits, whatever it had.
  void set(const FilePlace &use, std::vector<Edit> edits) { byUse_[use] = std::move(edits); }
  [[nodiscard]] bool has(const FilePlace &use) const { return byUse_.count(use) != 0; }
  /// True when a use stands from `begin` to the offset `end` of the same file.
  [[nodiscard]] bool hasWithin(const FilePlace &begin, unsigned end) const {
    const auto next = byUse_.lower_bound(begin);
    return next != byUse_.end() && next->first.path == begin.path && next->first.offset < end;
  }

  [[nodiscard]] bool hasSameUses(const EditSet &other) const { return byUse_ == other.byUse_; }

  /// Takes the edits out that are inside a range.
  void dropWithin(const FileRange &range);

  /// True when an edit changes characters of the range.
  [[nodiscard]] bool touches(const FileRange &range) const;
  /// The text of a range with the edits inside it; nothing where two overlap.
  [[nodiscard]] std::optional<std::string> textOf(const FileRange &range,
                                                  const SourceReader &reader) const;

  /// Moves a range, with the edits inside it.
  /// \param behind       follows the text at its new place
  /// \param replacement  takes its place
  /// \returns false where it overlaps another range that moves
  [[nodiscard]] bool move(const FileRange &range, const FilePlace &to, std::string behind,
                          std::string replacement);

  /// Text that two edits make together and none needs: a namespace that one begins again, for the
  /// next to end it.
  void drop(const std::string &needless) { needless_.insert(needless); }

  /// The files with the edits made.
  /// \error RL-R12 two edits overlap
  [[nodiscard]] Result<void> apply(instrument::SourceSet &sources) const;

private:
  /// In the order of the text, each once: two uses may ask for one edit, as both pointers of a copy
  /// rename the call.
  [[nodiscard]] static std::vector<Edit> ordered(std::vector<Edit> edits);

  struct Move {
    FilePlace to;
    std::string behind;
    std::string replacement;
  };

  /// The text of [begin, end) with edits that lie in it; nothing where two overlap.
  [[nodiscard]] static std::optional<std::string> spliced(const std::string &file, unsigned begin,
                                                          unsigned end, std::vector<Edit> edits);
  /// Takes the edits inside ranges that move out, and puts in what moves them.
  /// \returns false where edits inside a range overlap
  [[nodiscard]] bool makeMoves(const instrument::SourceText &file, std::vector<Edit> &edits) const;

  std::set<std::string> needless_;
  std::map<FilePlace, std::vector<Edit>> byUse_;
  std::map<FileRange, Move> moves_;
};

} // namespace relayout::rewriter
