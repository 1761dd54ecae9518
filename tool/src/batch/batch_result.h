// SPDX-License-Identifier: Apache-2.0
// What a batch finds out about one program; kept as JSON beside it, so that a batch can be resumed.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

/// How a variant came out of rewriting and verification on the CPU.
enum class VariantState {
  Original,
  Verified,  ///< copies back the same bytes as the original
  Unchanged, ///< the layout chosen is the source's own
  Refused,   ///< by the rewriter, with place and reason
  Failed,    ///< text says at which step
  HandTuned, ///< another program; nothing to verify against
};

/// One program text to build and time.
struct BatchVariant {
  std::string name = {};   ///< original, a layout, a policy, or a hand-tuned program's name
  std::string layout = {}; ///< in words, by record: "Cell: SoA"
  std::string reason = {}; ///< the policy's
  /// Why the policy would have its choice measured; empty: it would not.
  std::vector<analysis::LowConfidence> lowConfidence = {};
  VariantState state = VariantState::Original;
  std::string text = {};   ///< what the verification said, or why there is none
  std::string source = {}; ///< main file; empty when there is nothing to build
  std::string sameAs =
      {}; ///< another variant with the very same text; that one is measured for both

  std::optional<bool> verifiedOnGpu = {};
  std::vector<double> figures = {}; ///< one a run on the GPU
  std::string gpuText = {};         ///< what went wrong there
};

struct BatchResult {
  std::string program;
  std::string unit;
  std::string preparedFrom; ///< digest of what the CPU part depends on
  std::string measuredOn; ///< digest of what the GPU part depends on; empty: not, or not all of it
  std::string traced;     ///< where the trace comes from
  std::string failure;    ///< the step that failed and why; empty: none
  std::vector<BatchVariant> variants;

  [[nodiscard]] const BatchVariant *find(const std::string &name) const;
  /// The variant whose measurements stand for this one.
  [[nodiscard]] const BatchVariant *measured(const BatchVariant *variant) const;
  /// Median of the figure of merit, or nothing.
  [[nodiscard]] std::optional<double> medianFigure(const std::string &variant) const;
  /// The one with the best median of those that may be kept: the original, and what was rewritten
  /// and copies back the same bytes. Nothing where nothing was measured.
  [[nodiscard]] const BatchVariant *fastest() const;
  /// What to take for a policy's choice: the choice, or, where the policy has low confidence in
  /// it, the fastest variant if that is faster than measurements spread. Nothing: there is no such
  /// variant.
  [[nodiscard]] const BatchVariant *kept(const std::string &policy) const;
  /// median(a) / median(b), or nothing when one was not measured.
  [[nodiscard]] std::optional<double> ratio(const std::string &a, const std::string &b) const;
};

[[nodiscard]] const char *stateName(VariantState state);

[[nodiscard]] nlohmann::ordered_json toJson(const BatchResult &result);

/// \error RL-F03 not written by this version
[[nodiscard]] Result<BatchResult> batchResultFrom(const std::string &text, const std::string &path);

} // namespace relayout::tool
