// SPDX-License-Identifier: Apache-2.0
// Keeps the program's macros out of the generated header.
#include "header/hidden_macros.h"

#include "edits/words.h"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/LangOptions.h>

#include <fmt/format.h>

namespace relayout::rewriter {

namespace {

clang::LangOptions cxx() {
  clang::LangOptions options;
  options.Bool = true;
  options.CPlusPlus = true;
  options.CPlusPlus11 = true;
  options.CPlusPlus20 = true;
  return options;
}

} // namespace

std::string withMacrosHidden(std::string header, const std::set<std::string> &macros) {
  // Behind the includes, which a blank line ends; what these have read under another `bool` breaks.
  const std::size_t includes = header.find("#include ");
  const std::size_t begin = header.find("\n\n", header.rfind("#include ")) + 1;
  const std::set<std::string> words = wordsIn(std::string_view(header).substr(begin));
  const clang::LangOptions language = cxx();
  clang::IdentifierTable names(language);
  std::string hideBefore, hideBehind, restore;
  for (const std::string &macro : macros) {
    const bool isBefore = names.get(macro).isKeyword(language);
    if (!isBefore && (!words.count(macro) || macro.starts_with("__"))) // the compiler's own
      continue;
    (isBefore ? hideBefore : hideBehind) +=
        fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", macro);
    restore += fmt::format("#pragma pop_macro(\"{}\")\n", macro);
  }
  if (restore.empty())
    return header;
  if (!hideBehind.empty())
    header.insert(begin, "\n" + hideBehind);
  if (!hideBefore.empty())
    header.insert(includes, hideBefore + "\n");
  return header + "\n" + restore;
}

} // namespace relayout::rewriter
