// SPDX-License-Identifier: Apache-2.0
// The calls that copy records, and which bytes of these are padding.
#pragma once

#include "model/program_reader.h"
#include "probes/instance_types.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

struct CopiedRecord {
  std::string type = {}; ///< its name at run time
  std::int64_t bytes = 0;
  /// Offset and length, ascending.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> padding = {};
};

/// A call in the text; the instantiations of a template around it share one. Or an expression that
/// is a Thrust vector, or an element of one, and is copied to the host.
struct RecordCopy {
  std::string callee = {}; ///< empty: Thrust's own, which calls CUDA's
  bool isOfThrust = false;
  std::string behind = {}; ///< of a part of a Thrust vector: the iterator behind its last element
  TokenEdits::Index first = 0;
  TokenEdits::Index last = 0;
  SourcePlace place = {};
  std::vector<CopiedRecord> records = {}; ///< of instantiations, each of another type
  /// In a template, what is copied, a pointer to the records: its text tells instantiations apart.
  std::string pointer = {};

  /// The expression that notes the record of the instantiation that runs; `note` is one record's.
  /// Of what is none of these records, every byte counts.
  template <class Note>
  [[nodiscard]] std::string noting(const clang::ASTContext &ast, const Note &note) const {
    if (pointer.empty())
      return note(records.front());
    std::string text = note(CopiedRecord{.bytes = 1});
    for (const CopiedRecord &record : records)
      text = fmt::format("({} ? {} : {})", hasType(ast, fmt::format("*({})", pointer), record.type),
                         note(record), text);
    return text;
  }
};

/// Offset and length of each span, ascending.
[[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>>
paddingOf(clang::ASTContext &ast, const clang::CXXRecordDecl *record);

[[nodiscard]] std::vector<RecordCopy> recordCopies(const UnitReading &unit);

} // namespace relayout::instrument
