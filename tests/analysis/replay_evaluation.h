// SPDX-License-Identifier: Apache-2.0
// Tests of policy replay: what is decided for a program, and what the model tells of its first
// kernel in one layout.
#pragma once

#include "replay_cases.h"
#include "replay_machine.h"

#include "relayout/analysis/replay/cost/evaluation.h"
#include "relayout/analysis/report/replay_report.h"

#include <gtest/gtest.h>

namespace relayout::analysis {

/// The conversion at the host's copies is paid for.
inline constexpr std::uint64_t kManyLaunches = 1000;

inline ReplayAnalysis analyze(const SyntheticProgram &program, const ReplayOptions &options = {}) {
  Result<ReplayAnalysis> analysis =
      analyzeReplay({program.trace(), program.source()}, h100(), options);
  EXPECT_TRUE(analysis.has_value()) << (analysis ? "" : analysis.error().text);
  return std::move(*analysis);
}

/// Of the first record.
inline std::vector<LayoutField> recordFields(const SyntheticProgram &program) {
  return layoutFields(program.trace().sites.records[0]);
}

/// \param layout  of the first group; null: the original record
inline KernelEvaluation evaluate(const SyntheticProgram &program, const Layout *layout,
                                 const Machine &machine = h100()) {
  const Result<ReplaySample> sample = collectSample(program.trace(), program.source(), machine, {});
  EXPECT_TRUE(sample.has_value());
  const Result<KernelEvaluation> evaluation =
      evaluateKernel(program.trace(), *sample, sample->kernels[0], {layout}, machine);
  EXPECT_TRUE(evaluation.has_value());
  return *evaluation;
}

inline KernelEvaluation evaluate(const SyntheticProgram &program, const Layout &layout,
                                 const Machine &machine = h100()) {
  return evaluate(program, &layout, machine);
}

} // namespace relayout::analysis
