// SPDX-License-Identifier: Apache-2.0
// A batch's results together: JSON for programs, Markdown for people, a chart's specification.
#pragma once

#include "batch/batch_measure.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

struct BatchReport {
  std::vector<BatchResult> results;
  BatchSettings settings;
  std::optional<GpuMachine> machine; ///< nothing: only the CPU part was done
  std::string whyNoGpu;
};

/// Every program's result, and a summary: what is kept for each policy, and its speed-ups.
[[nodiscard]] std::string batchJson(const BatchReport &report);

/// A table of choices and verification; with a GPU, of figures of merit and speed-ups as well.
[[nodiscard]] std::string batchMarkdown(const BatchReport &report);

/// Bars of the speed-up over SoA, one a program and variant, as a Vega-Lite specification.
/// \returns  nothing when nothing was measured
[[nodiscard]] std::optional<std::string> speedupChart(const BatchReport &report);

} // namespace relayout::tool
