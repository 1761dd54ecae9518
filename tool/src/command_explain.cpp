// SPDX-License-Identifier: Apache-2.0
// `relayout explain CODE`: the paragraph of docs/diagnostics.md on a diagnostic's code.
#include "commands.h"
#include "console.h"

#include <fmt/format.h>

#include <string_view>

extern const char *const kDiagnosticsText;

namespace relayout::tool {

Command registerExplain(CLI::App &app) {
  auto code = std::make_shared<std::string>();
  CLI::App *parser = app.add_subcommand("explain", "Explain a diagnostic's code, such as RL-R04");
  parser->add_option("code", *code, "The code in brackets at a diagnostic's end")->required();
  auto execute = [code](const ForwardedWords &) -> int {
    const std::string_view text = kDiagnosticsText;
    const std::string heading = "## " + *code;
    std::size_t start = text.find(heading + "\n");
    if (start == std::string_view::npos)
      start = text.find(heading + ":");
    if (start == std::string_view::npos)
      return report(Error{"RL-U02", fmt::format("there is no diagnostic '{}'", *code), {}, {}},
                    kUsage);
    const std::size_t end = text.find("\n## ", start + 1);
    std::string_view paragraph = text.substr(start + 3, end - start - 3);
    while (paragraph.ends_with('\n'))
      paragraph.remove_suffix(1);
    fmt::print("{}\n", paragraph);
    return kDone;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
