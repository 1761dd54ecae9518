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
    std::string spans;
    for (const auto &[offset, length] : copy.padding)
      spans += fmt::format("{}{{{}u, {}u}}", spans.empty() ? "" : ", ", offset, length);
    unit.host.edits->wrap(
        copy.first, copy.last,
        fmt::format("(::relayout::host::noteCopy({}, {}u, {{{}}}), ",
                    stringLiteral(fmt::format("{}:{}", copy.place.file, copy.place.line)),
                    copy.recordBytes, spans),
        ")");
  }
}

} // namespace relayout::instrument
