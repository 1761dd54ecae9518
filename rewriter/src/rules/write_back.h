// SPDX-License-Identifier: Apache-2.0
// Stores an element that a call changed: the fields that were written, and no others.
#pragma once

#include "legality/element_effects.h"
#include "rules/element_text.h"

namespace relayout::rewriter {

/// The fields to store. Another thread may write those that the function does not touch, and a
/// store would undo that.
struct WriteBack {
  std::vector<const clang::FieldDecl *> fields;
  bool isWhole = true;
  bool isHidden = false; ///< some of them are private
  std::string obstacle;
};

/// \param callee  the function's name
[[nodiscard]] WriteBack writeBackOf(const clang::CXXRecordDecl &record,
                                    const ElementEffects &effects, const std::string &callee);

/// A variable that an element is loaded into, changed, and stored from.
struct LoadedElement {
  std::string inCall; ///< what stands for the element in the call
  std::string load;   ///< a statement
  std::string store;  ///< statements, each behind a line break
};

/// Asks the generated header for what it takes.
/// \param file    the text around
/// \param line    stands between two statements
/// \param number  of the variable among those of its scope, from 0
[[nodiscard]] LoadedElement loadedElement(Climb &climb, const ElementText &access,
                                          const WriteBack &back, const std::string &file,
                                          const std::string &line, std::size_t number);

} // namespace relayout::rewriter
