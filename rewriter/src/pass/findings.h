// SPDX-License-Identifier: Apache-2.0
// Collects refusals while the rewriter looks at a program; one is enough to leave every file alone.
#pragma once

#include "relayout/base/diagnostic.h"
#include "relayout/instrument/clang/front_end.h"

#include <algorithm>
#include <string>
#include <vector>

namespace relayout::rewriter {

class Findings {
public:
  explicit Findings(instrument::ParsedUnit &unit) : unit_(unit) {}

  /// Refuses with a stable code, what stands in the way, and the way out.
  void refuse(Code code, std::string text, clang::SourceLocation where, std::string remedy) {
    Diagnostic finding;
    finding.code = code;
    finding.text = std::move(text);
    finding.where = unit_.place(where);
    finding.notes.push_back(Note{finding.where, std::move(remedy)});
    add(std::move(finding));
  }

  void add(Diagnostic finding) {
    const bool known = std::any_of(all_.begin(), all_.end(), [&](const Diagnostic &other) {
      return other.code == finding.code && other.where == finding.where &&
             other.text == finding.text;
    });
    if (!known)
      all_.push_back(std::move(finding));
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic> &all() const { return all_; }

private:
  instrument::ParsedUnit &unit_;
  std::vector<Diagnostic> all_;
};

} // namespace relayout::rewriter
