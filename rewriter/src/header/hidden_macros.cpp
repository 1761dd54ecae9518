// SPDX-License-Identifier: Apache-2.0
// Keeps the program's macros out of the generated header.
#include "header/hidden_macros.h"

#include "edits/words.h"

#include <fmt/format.h>

namespace relayout::rewriter {

std::string withMacrosHidden(std::string header, const std::set<std::string> &macros) {
  // Behind the includes, which a blank line ends.
  const std::size_t begin = header.find("\n\n", header.find("#include <cuda_runtime.h>")) + 1;
  std::string hide, restore;
  for (const std::string &macro : wordsIn(std::string_view(header).substr(begin))) {
    if (!macros.count(macro) || macro.starts_with("__")) // the compiler's own
      continue;
    hide += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", macro);
    restore += fmt::format("#pragma pop_macro(\"{}\")\n", macro);
  }
  if (hide.empty())
    return header;
  header.insert(begin, "\n" + hide);
  return header + "\n" + restore;
}

} // namespace relayout::rewriter
