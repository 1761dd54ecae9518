// SPDX-License-Identifier: Apache-2.0
// Lowering: tells the executor of copies of records which of their bytes are padding.
#include "host/copy_notes.h"

#include "host/lowering_edits.h"
#include "probes/record_copies.h"

#include <fmt/format.h>

namespace relayout::instrument {

void noteCopies(UnitReading &unit) {
  if (unit.command.language == Language::C) // the notes are C++
    return;
  for (const RecordCopy &copy : recordCopies(unit)) {
    const std::string place = stringLiteral(fmt::format("{}:{}", copy.place.file, copy.place.line));
    const std::string note = copy.noting(unit.host.unit->ast(), [&](const CopiedRecord &record) {
      std::string spans;
      for (const auto &[offset, length] : record.padding)
        spans += fmt::format("{}{{{}u, {}u}}", spans.empty() ? "" : ", ", offset, length);
      return fmt::format("::relayout::host::noteCopy({}, {}u, {{{}}})", place, record.bytes, spans);
    });
    unit.host.edits->wrap(copy.first, copy.last,
                          "(" + note + (copy.isOfThrust ? ", ::relayout::host::copiedBack(" : ", "),
                          (copy.behind.empty() ? "" : ", " + copy.behind) +
                              (copy.isOfThrust ? "))" : ")"));
  }
}

} // namespace relayout::instrument
