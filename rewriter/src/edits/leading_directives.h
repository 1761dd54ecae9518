// SPDX-License-Identifier: Apache-2.0
// What a file starts with, in front of its first declaration.
#pragma once

#include <string>

namespace relayout::rewriter {

struct LeadingDirectives {
  unsigned end = 0;       ///< the offset behind the include guard and the includes
  bool isGuarded = false; ///< the file may be included again
};

[[nodiscard]] LeadingDirectives leadingDirectives(const std::string &text);

} // namespace relayout::rewriter
