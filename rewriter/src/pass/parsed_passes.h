// SPDX-License-Identifier: Apache-2.0
// The host and the device view of a program, each parsed once and only when asked for.
#pragma once

#include "relayout/instrument/clang/front_end.h"
#include "relayout/rewriter/rewrite.h"

#include <memory>

namespace relayout::rewriter {

class ParsedPasses {
public:
  /// \param command  outlives this object
  explicit ParsedPasses(const instrument::CompileCommand &command) : command_(command) {}

  /// \error RL-C01, RL-C02 … as instrument::parse
  [[nodiscard]] Result<instrument::ParsedUnit *> unit(instrument::Pass pass) {
    std::unique_ptr<instrument::ParsedUnit> &unit =
        pass == instrument::Pass::Host ? host_ : device_;
    if (!unit) {
      Result<std::unique_ptr<instrument::ParsedUnit>> parsed = instrument::parse(command_, pass);
      if (!parsed)
        return tl::unexpected(std::move(parsed.error()));
      unit = std::move(*parsed);
    }
    return unit.get();
  }

  [[nodiscard]] const instrument::CompileCommand &command() const { return command_; }

private:
  const instrument::CompileCommand &command_;
  std::unique_ptr<instrument::ParsedUnit> host_, device_;
};

/// rewrite() of a program that may have been parsed before.
[[nodiscard]] Result<Rewrite> rewriteParsed(ParsedPasses &passes, const analysis::Plan &plan);

} // namespace relayout::rewriter
