// SPDX-License-Identifier: Apache-2.0
// Function templates whose instances would edit the text in different ways, as one that allocates
// `Complex<T>` for float and for double: found in one attempt, and written out in the next.
#pragma once

#include "edits/edit_set.h"

#include <set>

namespace relayout::rewriter {

class SeparateTemplates {
public:
  /// \param pattern  the template's name
  void ask(const FilePlace &pattern) { asked_.insert(pattern); }
  [[nodiscard]] bool contains(const FilePlace &pattern) const { return known_.contains(pattern); }

  /// \returns whether the last attempt asked for templates that it did not write out
  [[nodiscard]] bool grow() {
    const std::size_t before = known_.size();
    known_.merge(asked_);
    return known_.size() != before;
  }

private:
  std::set<FilePlace> known_, asked_;
};

} // namespace relayout::rewriter
