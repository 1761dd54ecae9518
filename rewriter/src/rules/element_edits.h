// SPDX-License-Identifier: Apache-2.0
// The text of elements: `p[i].x`, `*p`, `&p[i]` become calls of the view.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// A field's number in plan and shape; of a field of another record, their number.
[[nodiscard]] std::size_t numberOf(const Target &target, const clang::FieldDecl &field);

/// The record's field that a member of an element is, or is a part of; null: it is none.
[[nodiscard]] const clang::FieldDecl *fieldOf(const Target &target, const clang::Expr &part);

/// Whether each element of the array that this field is has a plane of its own.
[[nodiscard]] bool isExploded(const Target &target, const clang::FieldDecl &field);

/// An expression that `.member` can follow without parentheses.
[[nodiscard]] bool isPostfix(const clang::Expr *expression);

/// `p[i].x` becomes `p.x(i)`.
/// \param isExploded  more arguments follow, and the caller closes the list
/// \param field  what it is called; in the text may stand the name of a method
void editField(TokenEdits &edits, const Element &element, const clang::MemberExpr &member,
               const std::string &field, bool isExploded);

/// Where `.` or `->` stands, which an instance of a template does not always tell.
[[nodiscard]] clang::SourceLocation operatorOf(const SourceReader &reader,
                                               const clang::MemberExpr &member);

/// Why a field cannot be named on a view: it is written `p->R::x`.
[[nodiscard]] std::optional<Step> refusalOfName(const clang::MemberExpr &member);

/// `p[i]` becomes `p.load(i)`.
/// \param method  of `p->method()`; null elsewhere
void editLoad(TokenEdits &edits, Climb &climb, const Element &element,
              const clang::MemberExpr *method);

/// `p[i].f` of a member without a name, or of a run of bit-fields, becomes `p.f_i(i).f`.
/// \param member  the member without a name, or `f`
void editPart(TokenEdits &edits, const Element &element, const clang::MemberExpr &member);

/// `&p[i]` becomes `p + i`.
/// \param address  the `&`; null where a reference is bound to the element
void editAddress(TokenEdits &edits, Climb &climb, const Element &element,
                 const clang::UnaryOperator *address);

/// `sizeof(p[i])` becomes `sizeof(Particle)`.
void editSizeof(TokenEdits &edits, const Climb &climb, const clang::UnaryExprOrTypeTraitExpr &size,
                const std::string &name);

/// `p` becomes `ParticleView(p)`, in parentheses of its own where that would declare a parameter,
/// as in `Guard guard(ParticleView(p));`.
void convertTo(const std::string &type, const clang::Expr &value, const Climb &climb,
               TokenEdits &edits);

} // namespace relayout::rewriter
