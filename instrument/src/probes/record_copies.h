// SPDX-License-Identifier: Apache-2.0
// The calls that copy records, and which bytes of these are padding.
#pragma once

#include "model/program_reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// A call in the text; the instantiations of a template around it share one.
struct RecordCopy {
  std::string callee = {};
  TokenEdits::Index first = 0;
  TokenEdits::Index last = 0;
  SourcePlace place = {};
  std::int64_t recordBytes = 0;
  /// Offset and length, ascending; none where instantiations copy different records.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> padding = {};
};

/// Offset and length of each span, ascending.
[[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>>
paddingOf(clang::ASTContext &ast, const clang::CXXRecordDecl *record);

[[nodiscard]] std::vector<RecordCopy> recordCopies(const UnitReading &unit);

} // namespace relayout::instrument
