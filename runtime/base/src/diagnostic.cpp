// SPDX-License-Identifier: Apache-2.0
// Renders diagnostics the way Clang prints its own, so that editors can follow them.
#include "relayout/base/diagnostic.h"

#include <fmt/format.h>

namespace relayout {
namespace {

std::string renderPlace(const SourcePlace &place) {
  if (place.file.empty())
    return "relayout: ";
  if (place.line == 0)
    return fmt::format("{}: ", place.file);
  if (place.column == 0)
    return fmt::format("{}:{}: ", place.file, place.line);
  return fmt::format("{}:{}:{}: ", place.file, place.line, place.column);
}

} // namespace

const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    break;
  }
  return "error";
}

std::string render(const Diagnostic &diagnostic) {
  std::string text = fmt::format("{}{}: {}", renderPlace(diagnostic.where),
                                 severityName(diagnostic.severity), diagnostic.text);
  if (diagnostic.code != Code::None)
    text += fmt::format(" [{}]", codeName(diagnostic.code));
  text += '\n';
  for (const Note &note : diagnostic.notes)
    text += fmt::format("{}note: {}\n", renderPlace(note.where), note.text);
  return text;
}

Diagnostic toDiagnostic(const Error &error) {
  return Diagnostic{Severity::Error, error.code, error.text, error.where, error.notes};
}

} // namespace relayout
