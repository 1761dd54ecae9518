// SPDX-License-Identifier: Apache-2.0
// How an element is named in the text, for statements that are written anew around it.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// The parts of `p[i]`, `*p` and `p->`.
struct ElementText {
  std::string view;  ///< `.load(i)` can follow it
  std::string index; ///< empty: of a dereference
  FileRange range;   ///< of the element
  bool hasEffects;   ///< evaluating it does more than to name an element: it may be written once
};

/// The element's text, which holds nothing that edits of other names change.
/// \param method  of `p->method()`; null elsewhere
/// \returns  nothing for elements that are named otherwise
[[nodiscard]] std::optional<ElementText> elementText(const Climb &climb, const Element &element,
                                                     const clang::MemberExpr *method);

} // namespace relayout::rewriter
