// SPDX-License-Identifier: Apache-2.0
// The host and the device view of a program's units, linked and indexed when they are asked for.
#pragma once

#include "pass/definitions.h"
#include "pass/parent_index.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/rewriter/rewrite.h"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace relayout::rewriter {

class ParsedPasses {
public:
  /// A unit in one pass, linked with the program's others.
  struct View {
    instrument::ParsedUnit *unit = nullptr;
    const instrument::ArrayFlow *flow = nullptr;
    const ParentIndex *index = nullptr;
    const Definitions *definitions = nullptr; ///< of the whole program
    bool isAlone = false;                     ///< the program has no other unit
  };

  explicit ParsedPasses(const instrument::ParsedProgram &program) : program_(program) {}

  /// Of the device pass only the units that do not look the same in both.
  /// \error RL-C01, RL-C02 … as instrument::parse
  [[nodiscard]] Result<std::vector<View>> views(instrument::Pass pass);

  [[nodiscard]] const instrument::Program &program() const { return program_.program(); }

  [[nodiscard]] const std::vector<instrument::SharedHolder> &sharedHolders() const {
    return program_.sharedHolders();
  }

private:
  struct Indexed {
    std::deque<ParentIndex> indexes;
    std::vector<View> views;
  };
  [[nodiscard]] Result<Indexed> index(instrument::Pass pass);

  instrument::ParsedProgram program_;
  std::map<instrument::Pass, Indexed> passes_;
  Definitions definitions_;
};

/// rewrite() of a program that may have been parsed before.
/// \param isOtherwiseSplit  functions have other copies than in the plan's program
[[nodiscard]] Result<Rewrite> rewriteParsed(ParsedPasses &passes, const analysis::Plan &plan,
                                            bool isOtherwiseSplit = false);

} // namespace relayout::rewriter
