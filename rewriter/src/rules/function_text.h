// SPDX-License-Identifier: Apache-2.0
// What copies of function templates and of member templates have in common.
#pragma once

#include "rules/copied_text.h"

namespace relayout::rewriter {

/// What opens and what closes namespaces, "a::b::".
[[nodiscard]] std::string openedNamespaces(const std::string &namespaces);
[[nodiscard]] std::string closedNamespaces(const std::string &namespaces);

/// A definition that several units may have, as it is written.
[[nodiscard]] bool mayBeDefinedAgain(const clang::FunctionDecl &definition);

class FunctionText : protected CopiedText {
protected:
  using CopiedText::CopiedText;

  /// The text of a function's instance, with arguments in place of parameters; that of its
  /// declaration where the unit has no more.
  /// \returns  nullopt where it was refused
  [[nodiscard]] std::optional<FileRange> functionText();
  /// Gives a function's copy a name of its own where it needs one.
  /// \returns  its name; nullopt where it was refused
  [[nodiscard]] std::optional<std::string> functionName();
  /// Takes away what a function's definition may not say again: `static` and default arguments.
  /// \returns  false where a macro spells one
  [[nodiscard]] bool leaveOutSaidBefore(const FileRange &range);
  /// Writes another name for the template's, whatever it was given before.
  /// \returns  false where a macro spells it
  [[nodiscard]] bool giveName(const std::string &name);
};

} // namespace relayout::rewriter
