// SPDX-License-Identifier: Apache-2.0
// What the units of a program say of one instance of a template that is written out in a header:
// each knows the members that it calls.
#pragma once

#include "edits/edit_set.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace relayout::rewriter {

struct SharedCopy {
  unsigned number = 0; ///< among the copies of its template, from 0
  EditSet edits;       ///< of all units so far
  /// Of a copy that is a template itself: what the first instance of each pass and unit needs, as
  /// all others do.
  std::map<const void *, EditSet> alike;
  /// The code of members that none of them instantiates; nothing: no unit has told.
  std::optional<std::set<FileRange>> unused;
  /// Its place, and what stands in front of its text, which are alike for all units.
  std::optional<std::pair<FilePlace, std::string>> start;
};

class SharedCopies {
public:
  /// \param pattern   the template's name
  /// \param instance  the instance's symbol
  SharedCopy &of(const FilePlace &pattern, const std::string &instance) {
    std::map<std::string, SharedCopy> &copies = byTemplate_[pattern];
    const auto number = static_cast<unsigned>(copies.size());
    const auto [entry, isNew] = copies.try_emplace(instance);
    if (isNew)
      entry->second.number = number;
    return entry->second;
  }

private:
  std::map<FilePlace, std::map<std::string, SharedCopy>> byTemplate_;
};

} // namespace relayout::rewriter
