// SPDX-License-Identifier: Apache-2.0
// `relayout undo`: takes a `rewrite --write` back.
#include "commands/commands.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/in_place.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {

Command registerUndo(CLI::App &app) {
  struct Options {
    std::string folder = ".";
    bool force = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser =
      app.add_subcommand("undo", "Restore the files that 'relayout rewrite --write' changed");
  parser->add_option("folder", options->folder, "Folder of the sources, or one below it")
      ->capture_default_str();
  parser->add_flag("--force", options->force, "Also replace files that were changed since");
  auto execute = [options](const ForwardedWords &) -> int {
    const auto undone =
        undoInPlace(options->folder, options->force ? ChangedFiles::Replace : ChangedFiles::Refuse);
    if (!undone)
      return report(undone.error());
    for (const std::string &file : undone->restored)
      fmt::print(stderr, "restored {}\n", file);
    for (const std::string &file : undone->removed)
      fmt::print(stderr, "removed {}\n", file);
    answer("restored", undone->restored);
    answer("removed", undone->removed);
    return kDone;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
