// SPDX-License-Identifier: Apache-2.0
// Has a program say which bytes of the records that it copies are padding, for a run on a GPU.
#include "relayout/instrument/padding_notes.h"

#include "probes/record_copies.h"
#include "probes/traced_sources.h"

#include "relayout/base/cuda_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

/// The library that takes the notes sees only calls that can be hooked, and copies from variables.
bool isNoted(const RecordCopy &copy) {
  const CudaCall *const call = cudaCallNamed(copy.callee);
  const bool isFromVariable = call != nullptr && call->symbolPosition() == 1u;
  return (copy.isOfThrust || isFromVariable || (call != nullptr && call->isHooked)) &&
         std::ranges::any_of(copy.records,
                             [](const CopiedRecord &record) { return !record.padding.empty(); });
}

/// \returns  whether there is anything to note
bool noteIn(UnitReading &unit) {
  bool isAny = false;
  for (const RecordCopy &copy : recordCopies(unit)) {
    if (!isNoted(copy))
      continue;
    const std::string note = copy.noting(unit.host.unit->ast(), [&](const CopiedRecord &record) {
      std::string spans;
      for (const auto &[offset, length] : record.padding)
        spans += fmt::format("{}{}:{}", spans.empty() ? "" : " ", offset, length);
      return fmt::format("{}relayoutNoteRecord({}u, \"{}\")",
                         unit.command.language == Language::C ? "" : "::", record.bytes, spans);
    });
    unit.host.edits->wrap(copy.first, copy.last, "(" + note + ", ", ")");
    isAny = true;
  }
  return isAny;
}

} // namespace

Result<NotedProgram> notePadding(const Program &program) {
  auto read = readProgram(program);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  NotedProgram noted;
  for (const auto &unit : (*read)->units) {
    std::string &file = noted.files.emplace_back();
    if (!noteIn(*unit))
      continue;
    const std::string declaration = fmt::format(
        "{}void relayoutNoteRecord(unsigned, const char *);\n",
        unit->command.language == Language::C ? "" : "#include <typeinfo>\nextern \"C\" ");
    auto edited = addEditedUnit(*unit, {declaration, {}},
                                fmt::format("unit{}/", noted.files.size() - 1), noted.sources);
    if (!edited)
      return tl::unexpected(std::move(edited.error()));
    file = std::move(*edited);
  }
  return noted;
}

} // namespace relayout::instrument
