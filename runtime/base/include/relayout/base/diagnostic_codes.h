// SPDX-License-Identifier: Apache-2.0
// The codes of all diagnostics, with what each means; made from diagnostics.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace relayout {

enum class Severity { Remark, Warning, Error };

/// What every subcommand exits with; docs/diagnostics.md lists which code leads to which.
enum class ExitCode { Done = 0, Failed = 1, Usage = 2, Refused = 3, Incomplete = 4 };

/// A diagnostic's stable identity. The enumerator says what is wrong; codeName() is what users see.
enum class Code : std::uint8_t {
  None,
#define DIAGNOSTIC(code, name, severity, exitCode, title, explanation) name,
#include "relayout/base/diagnostics.def"
#undef DIAGNOSTIC
};

/// One row of diagnostics.def.
struct DiagnosticEntry {
  const char *name;        ///< such as RL-R04
  Severity severity;       ///< that it usually has
  ExitCode exitCode;       ///< of a command that ends with it
  const char *title;       ///< a few words, lower case
  const char *explanation; ///< what it means and what to do, in whole sentences
};

/// All rows, in the order of the table; row i belongs to Code(i + 1).
[[nodiscard]] std::span<const DiagnosticEntry> diagnosticEntries();

/// \param code  any but Code::None
[[nodiscard]] const DiagnosticEntry &diagnosticEntry(Code code);

/// Such as RL-R04; empty for Code::None.
[[nodiscard]] const char *codeName(Code code);

/// The code of that name, in upper or lower case; Code::None where there is none.
[[nodiscard]] Code codeNamed(std::string_view name);

} // namespace relayout
