// SPDX-License-Identifier: Apache-2.0
// Collects refusals while the rewriter looks at a program; one is enough to leave every file alone.
#pragma once

#include "relayout/base/diagnostic.h"
#include "relayout/instrument/clang/front_end.h"

#include <algorithm>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Why a program cannot be rewritten: a stable code, what stands in the way, and the way out.
struct Refusal {
  Code code;
  std::string text;
  clang::SourceLocation where;
  std::string remedy;
};

class Findings {
public:
  explicit Findings(instrument::ParsedUnit &unit) : unit_(unit) {}

  void refuse(Refusal refusal) { report(std::move(refusal), Severity::Error); }
  void refuse(Code code, std::string text, clang::SourceLocation where, std::string remedy) {
    refuse({code, std::move(text), where, std::move(remedy)});
  }
  /// What the user should look at; it stops nothing.
  void warn(Refusal warning) { report(std::move(warning), Severity::Warning); }

  void add(Diagnostic finding) {
    const bool known = std::any_of(all_.begin(), all_.end(), [&](const Diagnostic &other) {
      return other.code == finding.code && other.where == finding.where &&
             other.text == finding.text;
    });
    if (!known)
      all_.push_back(std::move(finding));
  }

  /// True while nothing is refused.
  [[nodiscard]] bool empty() const {
    return std::ranges::none_of(
        all_, [](const Diagnostic &finding) { return finding.severity == Severity::Error; });
  }
  [[nodiscard]] const std::vector<Diagnostic> &all() const { return all_; }

private:
  void report(Refusal refusal, Severity severity) {
    Diagnostic finding;
    finding.severity = severity;
    finding.code = refusal.code;
    finding.text = std::move(refusal.text);
    finding.where = unit_.place(refusal.where);
    finding.notes.push_back(Note{finding.where, std::move(refusal.remedy)});
    add(std::move(finding));
  }

  instrument::ParsedUnit &unit_;
  std::vector<Diagnostic> all_;
};

} // namespace relayout::rewriter
