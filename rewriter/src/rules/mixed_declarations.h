// SPDX-License-Identifier: Apache-2.0
// Declarations that hold both views and others: `Particle *a, b;` becomes `ParticleView a;` and
// `Particle b;`.
#pragma once

#include "pass/program.h"
#include "rules/written_type.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace relayout::rewriter {

class MixedDeclarations {
public:
  /// Finds the declarations of more than one declarator.
  explicit MixedDeclarations(Program &program);

  /// Takes the edits that make the type's name a view for one declarator, if its declaration will
  /// be split; false if not, and the edits can be made where they are.
  [[nodiscard]] bool add(const FilePlace &base, const clang::DeclaratorDecl &declarator,
                         std::vector<Edit> edits);

  /// Splits what must be, or refuses: in the head of a loop, or behind a macro.
  void splitAll();

private:
  using Declarators = std::vector<const clang::DeclaratorDecl *>;
  /// In the text itself, or in an instance of a template that is written out.
  using Place = std::pair<const clang::NamedDecl *, FilePlace>;
  using Key = std::pair<const clang::NamedDecl *, clang::SourceLocation>; ///< of a declarator

  [[nodiscard]] Key keyOf(const clang::DeclaratorDecl &declarator) const;

  [[nodiscard]] bool isMixed(const Declarators &declarators) const;
  void split(const FilePlace &base, const Declarators &declarators);
  [[nodiscard]] std::vector<Edit> asOther(const clang::DeclaratorDecl &declarator) const;
  [[nodiscard]] std::optional<FileRange> parameterIn(const clang::DeclaratorDecl &declarator,
                                                     const WrittenType &written) const;
  /// Behind its own edits: it would not compile outside of the template.
  [[nodiscard]] bool namesParameter(const clang::DeclaratorDecl &declarator,
                                    const std::string &text) const;
  [[nodiscard]] std::optional<FileRange> specifiersOf(const FilePlace &base,
                                                      const clang::DeclaratorDecl &first) const;
  [[nodiscard]] std::optional<FileRange>
  specifiersEnd(const clang::DeclaratorDecl &declarator) const;
  [[nodiscard]] bool standsInBlock(const clang::VarDecl &variable) const;
  [[nodiscard]] std::optional<FileRange> commaBehind(const clang::DeclaratorDecl &declarator) const;
  [[nodiscard]] std::string edited(const FileRange &range, std::vector<Edit> edits) const;

  Program &program_;
  /// Declarators by the place of their type's name, in order: more than one in `Particle *a, b;`.
  std::map<Place, Declarators> sharers_;
  /// Edits of the type's name for views in declarations that are split, by declarator.
  std::map<Key, std::vector<Edit>> viewBases_;
};

} // namespace relayout::rewriter
