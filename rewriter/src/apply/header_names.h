// SPDX-License-Identifier: Apache-2.0
// What the generated headers of a program and their classes are called, and whether they may be.
#pragma once

#include "apply/unit_pass.h"

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

  std::map<std::string, std::vector<analysis::Layout>> layoutsOf_; ///< by record, in plan order
  std::map<std::string, std::set<std::string>> recordsOf_;         ///< by the header's file
};

} // namespace relayout::rewriter
