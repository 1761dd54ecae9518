// SPDX-License-Identifier: Apache-2.0
// What a stage has to say to the user; the tool prints it, the libraries only return it.
#pragma once

#include "relayout/base/result.h"

#include <string>
#include <vector>

namespace relayout {

/// One finding, printed in Clang's form: `file:line:col: error: text [code]` and its notes.
struct Diagnostic {
  Severity severity = Severity::Error;
  Code code = Code::None;
  std::string text;
  SourcePlace where;
  std::vector<Note> notes;

  bool operator==(const Diagnostic &) const = default;
};

/// The lines a terminal shows for one diagnostic, each ending in a newline.
[[nodiscard]] std::string render(const Diagnostic &diagnostic);

/// The same finding as a diagnostic of severity Error.
[[nodiscard]] Diagnostic toDiagnostic(const Error &error);

/// Severity as Clang spells it: "remark", "warning", "error".
[[nodiscard]] const char *severityName(Severity severity);

} // namespace relayout
