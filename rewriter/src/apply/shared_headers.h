// SPDX-License-Identifier: Apache-2.0
// The generated headers of a program: one for all units, with what any of them needs.
#pragma once

#include "apply/include_placer.h"
#include "apply/unit_pass.h"
#include "apply/vector_headers.h"
#include "rules/kernel_access.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// The copies that host C++ calls launch kernels: CUDA units that include the header have them.
/// Refuses where none does.
void checkHostCopies(UnitPass &unit, const Units &units);

class NeededHeaders {
public:
  /// Adds what the units need in one pass.
  void add(const Units &units, const VectorIncludes &vectorIncludes);

  /// A header for each record and layout, and one for what they share, beside the first of them.
  /// \param folders    where each header lies
  /// \param rewritten  the program's files, edited
  [[nodiscard]] std::vector<instrument::SourceText>
  write(const HeaderFolders &folders, const instrument::SourceSet &rewritten) const;

private:
  struct Need {
    RecordShape shape;
    analysis::Layout layout;
    GeneratedNames names;
    HeaderParts parts;
    KernelAccess access = {};
    bool isOfCuda = false;                ///< a CUDA unit's shape
    std::set<std::string> hostFiles = {}; ///< what units of host C++ read that define the record
  };
  std::map<std::string, Need> needs_; ///< by file
};

} // namespace relayout::rewriter
