// SPDX-License-Identifier: Apache-2.0
// What the generated headers of a program and their classes are called, and whether they may be.
#pragma once

#include "apply/unit_pass.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

class HeaderNames {
public:
  /// Where arrays of one record get several layouts, each layout's header has names of its own;
  /// where records of two namespaces or of two files have one name, a file of its own. Names that
  /// the program has itself, as after an earlier rewrite, give way to others.
  void give(Units &units, const instrument::SourceSet &sources);

  /// Refuses names that would mean two things in the program.
  void check(const Target &target, Program &program, const instrument::SourceSet &sources) const;

private:
  std::string wordFor(const Target &target) const;
  void name(Target &target);
  [[nodiscard]] bool isOfOther(const Target &target) const;
  void countRecords(const Units &units);
  template <class Name> void keepApart(Units &units, Name name);

  /// A header's own: pointers to elements and to rows have different views in one layout.
  struct Kind {
    analysis::Layout layout;
    std::vector<std::uint64_t> rows;
    friend bool operator==(const Kind &, const Kind &) = default;
  };
  static Kind viewOf(const Target &target) { return {target.layout, target.shape.rows}; }

  std::set<std::string> taken_;                            ///< words and files of the program
  std::map<std::string, std::vector<Kind>> kindsOf_;       ///< by record, in plan order
  std::map<std::string, std::string> recordOfView_;        ///< names, in their namespaces
  std::map<std::string, std::set<std::string>> recordsOf_; ///< by the header's file
};

} // namespace relayout::rewriter
