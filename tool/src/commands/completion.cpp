// SPDX-License-Identifier: Apache-2.0
// `relayout completion bash|zsh|fish`: a script for the shell, from the same options as --help.
#include "commands/commands.h"
#include "reports/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relayout::tool {
namespace {

struct Completed {
  std::string name;
  std::string description;
  std::vector<std::string> options; ///< "--out"
};

std::vector<Completed> completedCommands(const CLI::App &app) {
  std::vector<Completed> commands;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
    Completed completed{command->get_name(), command->get_description(), {}};
    for (const CLI::Option *option : command->get_options())
      if (!option->get_group().empty()) // hidden ones have none
        for (const std::string &name : option->get_lnames())
          completed.options.push_back("--" + name);
    commands.push_back(std::move(completed));
  }
  return commands;
}

std::string namesOf(const std::vector<Completed> &commands) {
  std::vector<std::string> names;
  for (const Completed &command : commands)
    names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// Also for zsh, whose bashcompinit runs it.
void printForBash(const std::vector<Completed> &commands) {
  fmt::print("_relayout() {{\n"
             "  local word=${{COMP_WORDS[COMP_CWORD]}} words=\n"
             "  case ${{COMP_WORDS[1]}} in\n");
  for (const Completed &command : commands)
    fmt::print("  {}) words='{}' ;;\n", command.name, fmt::join(command.options, " "));
  fmt::print("  esac\n"
             "  [ \"$COMP_CWORD\" -eq 1 ] && words='{}'\n"
             "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
             "}}\n"
             "complete -o default -F _relayout relayout\n",
             namesOf(commands));
}

void printForFish(const std::vector<Completed> &commands) {
  for (const Completed &command : commands) {
    std::string description = command.description;
    std::ranges::replace(description, '\'', '"');
    fmt::print("complete -c relayout -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
               description);
    for (const std::string &option : command.options)
      fmt::print("complete -c relayout -n '__fish_seen_subcommand_from {}' -l {}\n", command.name,
                 option.substr(2));
  }
}

} // namespace

Command registerCompletion(CLI::App &app) {
  auto shell = std::make_shared<std::string>();
  CLI::App *parser =
      app.add_subcommand("completion", "Print a script that completes words in a shell");
  parser->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  parser->footer("For bash: source <(relayout completion bash)");
  auto execute = [shell, &app](const ForwardedWords &) -> int {
    const std::vector<Completed> commands = completedCommands(app);
    if (*shell == "fish") {
      printForFish(commands);
      return kDone;
    }
    if (*shell == "zsh")
      fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
    printForBash(commands);
    return kDone;
  };
  return {parser, false, false, execute, /*answers=*/false};
}

} // namespace relayout::tool
