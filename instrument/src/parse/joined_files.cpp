// SPDX-License-Identifier: Apache-2.0
// Several source files of one program, read as one translation unit.
#include "relayout/instrument/joined_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> filesOf(const CompileCommand &command) {
  std::vector<std::string> files = {command.file};
  files.insert(files.end(), command.more.begin(), command.more.end());
  return files;
}

/// The names that a file's own text defines as macros.
std::set<std::string> macrosIn(std::istream &file) {
  static const std::regex kDefinition(R"(^\s*#\s*define\s+([A-Za-z_]\w*).*)");
  std::set<std::string> names;
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, kDefinition))
      names.insert(found[1]);
  return names;
}

} // namespace

Result<std::string> joiningText(const CompileCommand &command) {
  std::string text;
  std::set<std::string> macros;
  bool isFirst = true;
  for (const std::string &file : filesOf(command)) {
    if (std::error_code status; !fs::is_regular_file(file, status))
      return fail(Code::SourceUnreadable, fmt::format("cannot read '{}': no such file", file));
    std::ifstream input(file);
    if (!input)
      return fail(Code::SourceUnreadable, fmt::format("cannot read '{}': permission denied", file));
    if (!isFirst) {
      for (const std::string &macro : macros)
        text += fmt::format("\n#undef {}", macro);
      const fs::path here = fs::weakly_canonical(command.file).parent_path();
      text += fmt::format("\n#include \"{}\"\n",
                          fs::weakly_canonical(file).lexically_relative(here).string());
    }
    macros.merge(macrosIn(input));
    isFirst = false;
  }
  return text;
}

void dropJoiningText(const CompileCommand &command, SourceSet &sources) {
  const Result<std::string> joining = joiningText(command);
  SourceText &main = sources.files.front();
  for (std::string *text : {&main.original, &main.text})
    if (joining && text->ends_with(*joining))
      text->resize(text->size() - joining->size());
}

} // namespace relayout::instrument
