// SPDX-License-Identifier: Apache-2.0
// The host and the device view of a program's units, each parsed once and only when asked for.
#pragma once

#include "pass/parent_index.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/rewriter/rewrite.h"

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

class ParsedPasses {
public:
  /// A unit in one pass, linked with the program's others.
  struct View {
    instrument::ParsedUnit *unit = nullptr;
    const instrument::ArrayFlow *flow = nullptr;
    const ParentIndex *index = nullptr;
    const std::set<std::string> *definitions = nullptr; ///< of the whole program
    bool isAlone = false;                               ///< the program has no other unit
  };

  /// \param program  outlives this object
  explicit ParsedPasses(const instrument::Program &program) : program_(program) {}

  /// Of the device pass only the units whose text asks for __CUDA_ARCH__, as the others look the
  /// same.
  /// \error RL-C01, RL-C02 … as instrument::parse
  [[nodiscard]] Result<std::vector<View>> views(instrument::Pass pass);

  [[nodiscard]] const instrument::Program &program() const { return program_; }

private:
  struct Parsed {
    std::vector<std::unique_ptr<instrument::ParsedUnit>> units; ///< null: as in the host pass
    std::vector<instrument::ArrayFlow> flows;
    std::deque<ParentIndex> indexes;
    std::vector<View> views;
  };
  [[nodiscard]] Result<void> parseHost();
  [[nodiscard]] Result<void> parseDevice();

  const instrument::Program &program_;
  std::unique_ptr<Parsed> host_, device_;
  std::set<std::string> definitions_;
};

/// rewrite() of a program that may have been parsed before.
[[nodiscard]] Result<Rewrite> rewriteParsed(ParsedPasses &passes, const analysis::Plan &plan);

} // namespace relayout::rewriter
