// SPDX-License-Identifier: Apache-2.0
// Writes the second type of a struct, and its name where objects have it.
#pragma once

#include "parse/replaced_text.h"
#include "structs/struct_objects.h"

#include <functional>
#include <vector>

namespace relayout::instrument {

/// A struct that becomes two types.
struct TwoTypes {
  const HolderStruct *holder = nullptr;
  std::string deviceName; ///< of the second
  std::string suffix;     ///< that makes it of the first's
  std::string conversion; ///< of the function from the first to the second; empty: none is needed
  std::set<std::string> leftOut; ///< pointers that the conversion does not copy
  std::vector<const ObjectCopy *> conversions;
  std::set<std::string> onlyOfFirst, onlyOfSecond; ///< methods that are of one type, by symbol
  std::function<bool(const std::string &object)> isDevice;
  std::function<bool(const std::string &name)> isKnownName; ///< the program has it
};

/// Text of one file; `end` is behind it.
struct TextRange {
  std::string path;
  unsigned begin = 0, end = 0;
};

/// Edits of the program's files, collected for all structs.
class SplitText {
public:
  explicit SplitText(const std::vector<ParsedUnit *> &units) : units_(units) {}

  /// \returns  why the edits cannot be made; empty where they are
  [[nodiscard]] std::string add(const TwoTypes &types, const StructObjects &objects);

  /// An edit of another kind.
  /// \param line  that the text stands for; 0: that of its place
  void insert(const std::string &path, unsigned offset, std::string text, unsigned line) {
    edits_[path].insert({offset, offset, std::move(text), line});
  }
  void replace(const std::string &path, unsigned begin, unsigned end, std::string text) {
    edits_[path].insert({begin, end, std::move(text), 0});
  }

  /// Of the files that change; nothing where edits overlap.
  [[nodiscard]] std::optional<std::vector<ReplacedText>> texts() const;

  /// A file of the program as it is read.
  [[nodiscard]] const std::string &textOf(const std::string &path) const;

private:
  struct Edit {
    unsigned begin = 0, end = 0;
    std::string text;
    unsigned line = 0; ///< that the text stands for; 0: that of its place
    auto operator<=>(const Edit &) const = default;
  };
  static bool containsInserted(const std::set<Edit> &edits, const std::string &name);
  static bool isInside(const Edit &edit, const TextRange &range) {
    return edit.begin >= range.begin && edit.end <= range.end;
  }
  using Edits = std::map<std::string, std::set<Edit>>;

  struct Definition;
  [[nodiscard]] std::optional<Definition> definitionOf(ParsedUnit &unit,
                                                       const clang::CXXRecordDecl &record) const;
  [[nodiscard]] std::string addDefinition(const TwoTypes &types, const StructObjects &objects,
                                          Edits &edits) const;
  // The definition, in split_definition.cpp.
  struct MethodText;
  struct ClassText;
  struct SecondText;
  [[nodiscard]] std::optional<ClassText> classText(const TwoTypes &types,
                                                   const HolderMethods &methods) const;
  [[nodiscard]] static std::string withEdits(const std::string &file, unsigned begin, unsigned end,
                                             const std::set<Edit> &edits);
  [[nodiscard]] SecondText secondText(const TwoTypes &types, const ClassText &first, unsigned end,
                                      const std::set<Edit> &edits, bool isApart) const;
  [[nodiscard]] static bool namesFirst(const TwoTypes &types, const ClassText &first,
                                       const StructObjects &objects, bool inBodies);
  [[nodiscard]] static const TypeMention *declaringMention(const StructObjects &objects);
  [[nodiscard]] std::string addFunctions(const TwoTypes &types, const HolderFunctions &functions,
                                         const std::map<std::string, std::string> &names,
                                         Edits &edits) const;
  [[nodiscard]] std::string addOutside(const TwoTypes &types, const HolderMethods &methods,
                                       const std::map<std::string, std::string> &names,
                                       Edits &edits) const;
  [[nodiscard]] std::string addConversion(const TwoTypes &types, const ObjectCopy &copy,
                                          Edits &edits) const;
  [[nodiscard]] std::string addMention(const TwoTypes &types, const TypePlace &place,
                                       const TypeMention &mention, Edits &edits) const;
  [[nodiscard]] std::optional<std::string> declarationsOf(const TwoTypes &types,
                                                          std::vector<TypedDeclarator> declarators,
                                                          unsigned begin, const std::string &prefix,
                                                          unsigned &end) const;

  const std::vector<ParsedUnit *> &units_;
  mutable std::map<std::string, std::string> files_;
  Edits edits_;
};

[[nodiscard]] unsigned lineAt(const std::string &text, unsigned offset);

/// The line on which something begins, or the first line of the comment above it.
[[nodiscard]] unsigned beginOfLines(const std::string &text, unsigned offset);

/// A function's declaration, with the words that say on which side it runs, and its body or
/// semicolon; nothing where a macro has a part of it.
[[nodiscard]] std::optional<TextRange> rangeOf(ParsedUnit &unit,
                                               const clang::FunctionDecl &function);

/// Whole lines where nothing else stands on them, with the comment above.
[[nodiscard]] TextRange wholeLines(const std::string &text, const TextRange &range);

/// The place behind the next token; nothing where it is another.
[[nodiscard]] std::optional<unsigned> behindToken(ParsedUnit &unit, clang::SourceLocation last,
                                                  clang::tok::TokenKind kind);

/// Where the next line begins, if nothing but a comment stands before it.
[[nodiscard]] std::optional<unsigned> nextLine(const std::string &text, unsigned offset);

/// The function that converts, as text; empty where members cannot be copied one by one.
[[nodiscard]] std::string conversionText(const TwoTypes &types, const clang::CXXRecordDecl &record);

} // namespace relayout::instrument
