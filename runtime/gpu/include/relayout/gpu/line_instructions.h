// SPDX-License-Identifier: Apache-2.0
// Hardware truth beside a trace: how many machine instructions the compiler made of the accesses
// that the source has, by source line. Plain values, so that tests can make up runs.
#pragma once

#include "relayout/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::gpu {

/// The accesses of one kind on one source line in one kernel.
struct LineInstructions {
  trace::Index kernel = trace::kNone; ///< into Trace::kernels
  std::string file;                   ///< as the trace has it
  std::uint32_t line = 0;
  trace::AccessKind kind = trace::AccessKind::Read;
  std::uint64_t accesses = 0;     ///< warp accesses to records, as the source makes them
  std::uint64_t instructions = 0; ///< warp instructions that accessed global memory
  /// The most instructions that these accesses can take. More are of arrays that are not records.
  std::uint64_t capacity = 0;

  /// Machine instructions an access: below 1 where equal accesses were merged or taken out of a
  /// loop or neighbouring ones joined to wide ones, above it where records are copied whole.
  [[nodiscard]] double perAccess() const;
};

struct LineComparison {
  std::vector<LineInstructions> rows;        ///< in the trace's order of kernels, then by place
  std::vector<std::string> uncountedKernels; ///< not every launch was counted: they have no rows
};

/// Holds the lines of a counter report (RELAYOUT_COUNTERS_MODE=lines; counter_report.h) against the
/// counts of a trace of the same program with the same arguments.
/// \param report  JSON of the run, or of session_report.cpp with that merged in
/// \returns       nothing where the report has no lines, or none with a line number
[[nodiscard]] std::optional<LineComparison> compareLines(const trace::Trace &trace,
                                                         std::string_view report);

/// Warp instructions of one site in one kernel: its count, scaled as its line was.
/// \returns  nothing where the comparison has no row of it
[[nodiscard]] std::optional<double> instructionsOf(const LineComparison &comparison,
                                                   const trace::Trace &trace,
                                                   const trace::SiteCount &count);

/// The report with a row of instructionsOf() for each site and kernel, under "counters".
/// \returns  nothing where the report is no JSON object
[[nodiscard]] std::optional<std::string> addSiteInstructions(const std::string &report,
                                                             const LineComparison &comparison,
                                                             const trace::Trace &trace);

/// The rows as a table, a header first; empty where there are none.
[[nodiscard]] std::string describeLines(const LineComparison &comparison,
                                        const trace::Trace &trace);

} // namespace relayout::gpu
