// SPDX-License-Identifier: Apache-2.0
// What differs between the passes of a unit, or is in none of them.
#include "model/pass_findings.h"

#include "relayout/instrument/clang/vector_types.h"

#include <clang/Basic/CharInfo.h>

#include <fmt/format.h>

#include <set>

namespace relayout::instrument {
namespace {

StablePlace plainPlace(ParsedUnit &unit, clang::SourceLocation location) {
  const clang::SourceManager &sources = unit.sources();
  return {unit.pathOf(sources.getFileID(location)), sources.getFileOffset(location), 0};
}

/// True if the record's own name stands in the text as a word.
bool mentions(llvm::StringRef text, llvm::StringRef qualified) {
  llvm::StringRef name = qualified.substr(0, qualified.find('<'));
  name = name.substr(name.rfind(':') == llvm::StringRef::npos ? 0 : name.rfind(':') + 1);
  if (name.empty())
    return false;
  for (std::size_t at = text.find(name); at != llvm::StringRef::npos;
       at = text.find(name, at + 1)) {
    const bool startsWord = at == 0 || !clang::isAsciiIdentifierContinue(text[at - 1]);
    const std::size_t end = at + name.size();
    if (startsWord && (end == text.size() || !clang::isAsciiIdentifierContinue(text[end])))
      return true;
  }
  return false;
}

/// What stands for a scalar is declared nowhere.
bool isScalar(const trace::Record &record) { return record.place.file.empty(); }

} // namespace

void comparePasses(const UnitReading &unit, Facts &facts) {
  if (!unit.device)
    return;
  for (const auto &[place, function] : unit.facts.functions)
    if (function.hostText != function.deviceText)
      facts.find(Severity::Warning, Code::CudaArchText,
                 fmt::format("'{}' differs where __CUDA_ARCH__ is defined: the CPU executor "
                             "runs the version without it",
                             function.name),
                 function.place);
}

void findMentionsInSkippedRegions(const UnitReading &read,
                                  const std::vector<trace::Record> &records, Facts &facts) {
  std::set<StablePlace> skippedOnDevice;
  if (read.device)
    for (const clang::SourceRange &range : read.device->unit->skippedRanges())
      skippedOnDevice.insert(plainPlace(*read.device->unit, range.getBegin()));
  ParsedUnit &unit = *read.host.unit;
  for (const clang::SourceRange &range : unit.skippedRanges()) {
    if (read.device && !skippedOnDevice.contains(plainPlace(unit, range.getBegin())))
      continue;
    const llvm::StringRef text = clang::Lexer::getSourceText(
        clang::CharSourceRange::getCharRange(range), unit.sources(), unit.ast().getLangOpts());
    for (const trace::Record &record : records)
      if (!isVectorTypeName(record.name) && !isScalar(record) && mentions(text, record.name)) {
        facts.find(Severity::Remark, Code::InactiveCode,
                   fmt::format("'{}' is mentioned in code that this build leaves out", record.name),
                   unit.place(range.getBegin()));
        break;
      }
  }
}

} // namespace relayout::instrument
