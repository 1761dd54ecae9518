// SPDX-License-Identifier: Apache-2.0
// `relayout manual [SUBCOMMAND]`: man pages (man-pages(7), groff_man(7)), from the same options as
// --help.
#include "commands/commands.h"
#include "commands/suggestion.h"
#include "processes/files.h"
#include "reports/console.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::tool {
namespace {

/// Text in which nothing is a request or an escape of roff.
std::string escaped(std::string_view text) {
  std::string result;
  bool startsLine = true;
  for (const char letter : text) {
    if (startsLine && (letter == '.' || letter == '\''))
      result += "\\&";
    if (letter == '\\')
      result += "\\e";
    else if (letter == '-')
      result += "\\-";
    else
      result += letter;
    startsLine = letter == '\n';
  }
  return result;
}

std::string optionNames(const CLI::Option &option) {
  if (option.get_positional())
    return fmt::format("\\fI{}\\fR", escaped(option.get_name()));
  std::string names;
  for (const std::string &name : option.get_snames())
    names += fmt::format("{}\\fB\\-{}\\fR", names.empty() ? "" : ", ", escaped(name));
  for (const std::string &name : option.get_lnames())
    names += fmt::format("{}\\fB\\-\\-{}\\fR", names.empty() ? "" : ", ", escaped(name));
  if (option.get_type_size() != 0 && !option.get_type_name().empty())
    names += fmt::format(" \\fI{}\\fR", escaped(option.get_type_name()));
  return names;
}

/// What --help shows beside the names.
std::string optionText(const CLI::Option &option) {
  std::string text = escaped(option.get_description());
  if (!option.get_default_str().empty())
    text += fmt::format(" [{}]", escaped(option.get_default_str()));
  return text;
}

std::string optionsOf(const CLI::App &app) {
  std::string text;
  for (const CLI::Option *option : app.get_options())
    if (!option->get_group().empty()) // hidden ones have none
      text += fmt::format(".TP\n{}\n{}\n", optionNames(*option), optionText(*option));
  for (const CLI::App *action : app.get_subcommands([](const CLI::App *) { return true; }))
    text += fmt::format(".SS {}\n{}\n{}", escaped(action->get_name()),
                        escaped(action->get_description()), optionsOf(*action));
  return text;
}

std::string titleOf(const std::string &page) {
  return fmt::format(".TH {} 1 \"\" \"relayout {}\"\n", page, RELAYOUT_VERSION);
}

std::string pageOf(const CLI::App &command) {
  const std::string name = command.get_name();
  std::string text = titleOf("relayout\\-" + name);
  text += fmt::format(".SH NAME\nrelayout\\-{} \\- {}\n", name, escaped(command.get_description()));
  text += fmt::format(".SH SYNOPSIS\n.B relayout {}\n[\\fIOPTIONS\\fR]", name);
  for (const CLI::Option *option : command.get_options())
    if (option->get_positional()) {
      const std::string file = fmt::format("\\fI{}\\fR", escaped(option->get_name()));
      text += option->get_required() ? " " + file : " [" + file + "]";
    }
  text += "\n.SH OPTIONS\n" + optionsOf(command);
  if (!command.get_footer().empty())
    text += fmt::format(".SH NOTES\n{}\n", escaped(command.get_footer()));
  return text + ".SH SEE ALSO\n.BR relayout (1)\n";
}

std::string overview(const CLI::App &app, const std::vector<const CLI::App *> &commands) {
  std::string text = titleOf("relayout");
  text += fmt::format(".SH NAME\nrelayout \\- layouts of arrays in GPU memory\n"
                      ".SH SYNOPSIS\n.B relayout\n\\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]\n"
                      ".SH DESCRIPTION\n{}\n.SH SUBCOMMANDS\n",
                      escaped(app.get_description()));
  for (const CLI::App *command : commands)
    text += fmt::format(".TP\n.BR relayout\\-{} (1)\n{}\n", command->get_name(),
                        escaped(command->get_description()));
  return text + fmt::format(".SH NOTES\n{}\n", escaped(app.get_footer()));
}

Result<void> writePages(const CLI::App &app, const std::vector<const CLI::App *> &commands,
                        const std::string &folder) {
  auto written = writeFile(folder + "/relayout.1", overview(app, commands));
  for (const CLI::App *command : commands)
    if (written)
      written =
          writeFile(fmt::format("{}/relayout-{}.1", folder, command->get_name()), pageOf(*command));
  return written;
}

} // namespace

Command registerManual(CLI::App &app) {
  struct Options {
    std::string command, folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand("manual", "Print a man page, or write all of them");
  CLI::Option *command = parser->add_option("subcommand", options->command,
                                            "Whose page to print; without it, that of relayout");
  parser->add_option("-o,--out", options->folder, "Write all pages into this folder")
      ->excludes(command);
  parser->footer("To read one: relayout manual optimize | man -l -");
  auto execute = [options, &app](const ForwardedWords &) -> int {
    std::vector<const CLI::App *> commands;
    std::vector<std::string> names;
    for (const CLI::App *each : app.get_subcommands([](const CLI::App *) { return true; })) {
      commands.push_back(each);
      names.push_back(each->get_name());
    }
    if (!options->folder.empty()) {
      const auto written = writePages(app, commands, options->folder);
      return written ? kDone : report(written.error());
    }
    if (options->command.empty()) {
      fmt::print("{}", overview(app, commands));
      return kDone;
    }
    const auto found = std::ranges::find(names, options->command);
    if (found == names.end())
      return report(Error{Code::InvalidCommandLine,
                          fmt::format("there is no subcommand '{}'{}", options->command,
                                      didYouMean(options->command, names)),
                          {},
                          {}});
    fmt::print("{}", pageOf(*commands[static_cast<std::size_t>(found - names.begin())]));
    return kDone;
  };
  return {parser, false, false, execute, /*answers=*/false};
}

} // namespace relayout::tool
