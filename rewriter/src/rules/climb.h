// SPDX-License-Identifier: Apache-2.0
// The climb from one name of a rewritten array outwards. Each step is taken by a rule of the list
// in rules.def; whatever no rule knows is refused, so that nothing passes by default.
#pragma once

#include "edits/token_edits.h"
#include "pass/program.h"
#include "rules/reference_checks.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// An element of an array as the user wrote it.
struct Element {
  enum class Form { Subscript, Dereference, Arrow, Reference, Choice } form = Form::Subscript;
  const clang::Expr *whole = nullptr; ///< `p[i]`, `*p`, the reference's name, `c ? p[i] : p[k]`
  const clang::Expr *view = nullptr;  ///< `p`; for Arrow the part left of `->`
  std::vector<const clang::ParenExpr *> parens; ///< around the whole, inside out
  bool isConst = false;                         ///< read through a view of const records
};

/// What an expression on the way outwards is.
enum class Reached {
  Pointer,      ///< a view once rewritten
  Container,    ///< `std::vector<R *>`, which holds views once rewritten
  Untyped,      ///< a pointer on its way to `void *`
  Element,      ///< a record of a rewritten array
  Field,        ///< a field of an element, or a part of one
  FieldAddress, ///< the address of a field
  FieldPointer, ///< the same where it is kept or passed on
};

/// What a pointer to a field leads to while it is a `void *`.
struct FieldBytes {
  std::uint64_t size = 0; ///< bytes; 0: the pointer has a type
  std::uint64_t alignment = 0;

  auto operator<=>(const FieldBytes &) const = default;
};

/// How far a climb has come.
struct Place {
  Reached what = Reached::Pointer;
  const clang::Expr *expression = nullptr; ///< the outermost reached
  Element element = {};                    ///< of Reached::Element
  bool isValue = false; ///< of a field: read through a view of const records, which yields a value
  const clang::Expr *start = nullptr; ///< of Untyped and addresses: the cast, the `&`, or a name
  std::uint64_t reach = 1;            ///< of FieldPointer: array elements that it may step over
  FieldBytes untyped = {};            ///< of FieldPointer
};

/// What a rule makes of the construct around a place: edits, and where the climb goes on, or a
/// refusal.
struct Step {
  std::optional<Place> next = {}; ///< none: the use ends here
  std::vector<Edit> edits = {};
  std::optional<Refusal> refusal = {};
};

class Climb;

/// \param around  what directly holds the place's expression
/// \returns  nothing where the construct is not the rule's
using Rule = std::optional<Step> (*)(Climb &climb, const Place &here, const Parent &around);

/// The rules for what was reached, in the order in which they are asked.
[[nodiscard]] const std::vector<Rule> &rulesFor(Reached what);

/// One climb: a name, and the edits gathered for it.
class Climb {
public:
  Climb(Program &ofPass, ReferenceChecks &known, const Target &ofName,
        const clang::FunctionDecl *around)
      : program(ofPass), reader(ofPass.reader), references(known), target(ofName),
        function(around) {
    if (function && function->isConstexprSpecified())
      program.parts[&target].isConstexpr = true;
  }

  /// Climbs until the use ends, or a rule refuses.
  void run(Place here);

  /// The climb of another name that stands for the same array: a reference's, or `this`.
  /// \param owner  of the unit that holds it; null: this one
  /// \param parameter  the reference that the name is, where a function was given it
  void follow(Program *owner, const clang::Expr &name, Place here,
              const clang::ParmVarDecl *parameter = nullptr);
  void follow(const clang::Expr &name, Place here) { follow(nullptr, name, std::move(here)); }

  void refuse(const Refusal &refusal);
  /// The generated header has to offer this.
  void need(ViewOperation operation);
  /// The same of pointer arithmetic: one of the two views has to offer it.
  void needOn(bool isConst, ViewOperation operation) {
    HeaderParts &parts = program.parts[&target];
    (isConst ? parts.ofConst : parts.operations).insert(operation);
  }
  /// The function around this use writes elements or fields of rewritten arrays.
  void noteStore() { references.noteStore(function, parameter, target); }

  [[nodiscard]] TokenEdits edits() const { return TokenEdits(reader); }
  /// The end of the use, or the next place, with the edits; a refusal where one has no place.
  [[nodiscard]] Step done(TokenEdits edits) const;
  [[nodiscard]] Step climbTo(Place next, TokenEdits edits) const;

  [[nodiscard]] bool flowsInto(const clang::ValueDecl *declaration) const;
  [[nodiscard]] bool isView(const clang::Expr *value) const;
  /// "a field", or "an element" for a whole record that a reference or `this` stands for.
  [[nodiscard]] const char *nounFor(const clang::Expr &expression) const;

  Program &program;
  const SourceReader &reader;
  ReferenceChecks &references;
  const Target &target;
  const clang::FunctionDecl *function; ///< innermost around the name; null at file scope
  bool isFollowed = false;             ///< not of the array's name
  bool isGiven = false; ///< of what the caller gave to the function, and follows if it is returned
  const clang::ParmVarDecl *parameter = nullptr; ///< a reference that is followed by this climb
  bool refused = false;
  std::vector<Edit> gathered;
};

[[nodiscard]] inline Step done() { return {}; }
[[nodiscard]] inline Step climbTo(Place next) { return {.next = std::move(next)}; }
[[nodiscard]] Step refused(Code code, std::string text, clang::SourceLocation where,
                           std::string remedy);
/// The refusal of an edit that has no place in a file.
[[nodiscard]] Refusal refusalOfEdit(const Program &program, const Target &target,
                                    clang::SourceLocation where);

[[nodiscard]] inline Place pointerAt(const clang::Expr *expression) {
  return {.what = Reached::Pointer, .expression = expression};
}
[[nodiscard]] inline Place fieldAt(const clang::Expr *expression, bool isValue) {
  return {.what = Reached::Field, .expression = expression, .isValue = isValue};
}
[[nodiscard]] Place elementAt(Element::Form form, const clang::Expr *whole, const clang::Expr *view,
                              bool isConst);

} // namespace relayout::rewriter
