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
  /// where records of two namespaces or of two files have one name, a file of its own.
  void give(Units &units);

  /// Refuses names that mean something else in the program.
  void check(const Target &target, Program &program, const instrument::SourceSet &sources) const;

private:
  void name(Target &target) const;
  void countRecords(const Units &units);
  template <class Name> void keepApart(Units &units, Name name);

  /// A header's own: pointers to elements and to rows have different views in one layout.
  struct Kind {
    analysis::Layout layout;
    std::vector<std::uint64_t> rows;
    friend bool operator==(const Kind &, const Kind &) = default;
  };
  static Kind viewOf(const Target &target) { return {target.layout, target.shape.rows}; }

  std::map<std::string, std::vector<Kind>> kindsOf_;       ///< by record, in plan order
  std::map<std::string, std::set<std::string>> recordsOf_; ///< by the header's file
};

} // namespace relayout::rewriter
