// SPDX-License-Identifier: Apache-2.0
// What copies of function templates and of class templates have in common: the template's text with
// arguments in place of parameters, and the edits of one instance.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclTemplate.h>

namespace relayout::rewriter {

/// The declaration that an instance was made from; null for what is no instance.
[[nodiscard]] const clang::NamedDecl *patternOf(const clang::Decl &instance);

/// The parameters of the template whose text such a declaration is.
[[nodiscard]] const clang::TemplateParameterList &parametersOf(const clang::NamedDecl &pattern);

/// Whether it has an `if constexpr`, of which an instance has one branch alone.
[[nodiscard]] bool hasConstantBranches(const clang::NamedDecl &pattern);

/// What stands against a copy inside a template's code: what the copy could not say, or would say
/// otherwise.
[[nodiscard]] std::string obstacleInside(const clang::NamedDecl &pattern);

class CopiedText {
protected:
  CopiedText(Program &program, const clang::NamedDecl &instance, EditSet &edits)
      : program_(program), reader_(program.reader), instance_(instance),
        pattern_(*patternOf(instance)), edits_(edits) {}

  /// \param where  by default the template's name
  void refuse(const std::string &why, std::string remedy, clang::SourceLocation where = {});
  [[nodiscard]] std::string recordName() const;

  /// From behind `template <…>` to `end`.
  [[nodiscard]] std::optional<FileRange> rangeTo(clang::SourceLocation end) const;
  /// Takes away what an `if constexpr` discards: outside of templates it would have to compile.
  [[nodiscard]] bool dropDiscarded();
  /// Writes the arguments where the template names its parameters, but for those that are kept.
  /// \returns  what stands against that; empty: nothing
  [[nodiscard]] std::string nameParameters(llvm::ArrayRef<clang::TemplateArgument> arguments);
  /// Behind the template or a declaration of it, or behind the include of the header where that
  /// follows.
  /// \param last  its last token
  [[nodiscard]] CodePlace placeBehind(const FileRange &pattern, clang::SourceLocation last) const;
  /// Those around the template: "a::b::".
  [[nodiscard]] std::string namespaces() const;
  /// Adds the copy to the program's edits, between `head` and `tail`.
  /// \param indentation  of the template, which the copy does not have
  void add(const FileRange &range, const FilePlace &place, const std::string &head,
           const std::string &tail = {}, const std::string &indentation = {});
  /// Adds a declaration of the copy, of which the text ends before its body.
  /// \param declared  a declaration of the template
  void addDeclaration(const FileRange &declared, const FilePlace &place, const FileRange &signature,
                      const std::string &head, const std::string &tail = {});
  /// The same, at a place of something else's: in front of a copy that is written there.
  void addEarlyDeclaration(const FileRange &definition, const FilePlace &place,
                           const FileRange &signature, const std::string &head);
  /// Whether the headers of all views in the instance are included before a place.
  [[nodiscard]] bool knowsRecordsAt(clang::SourceLocation place) const;
  [[nodiscard]] bool erase(const FileRange &range) {
    return edits_.add(range.begin, {{range, ""}});
  }

  Program &program_;
  const SourceReader &reader_;
  const clang::NamedDecl &instance_;
  const clang::NamedDecl &pattern_;
  EditSet &edits_;
  std::set<unsigned> kept_;    ///< parameters over which the copy is a template
  std::set<FileRange> unused_; ///< code of members that this unit does not instantiate

private:
  [[nodiscard]] std::optional<CodePlace> leaving(CodePlace place) const;
  [[nodiscard]] CodePlace behindClass(const clang::CXXRecordDecl &around,
                                      const CodePlace &include) const;
  bool includeRecordInstead(const std::string &own, const std::string &ofRecord) const;
  [[nodiscard]] CodePlace placeInIncluder(const CodePlace &place, clang::SourceLocation last) const;
  [[nodiscard]] bool holds(const clang::DeclaratorDecl &declarator) const;
  [[nodiscard]] bool concerns(const clang::CXXRecordDecl *record) const;
  /// The place, or the end of the last record of the instance's views, which comes later.
  [[nodiscard]] clang::SourceLocation behindRecords(clang::SourceLocation place) const;
  [[nodiscard]] SharedCopy &shared() const;
  [[nodiscard]] std::string symbol() const;
  [[nodiscard]] FilePlace keyOf(const FileRange &range) const;
  [[nodiscard]] long orderAtOnePlace() const;
};

} // namespace relayout::rewriter
