// SPDX-License-Identifier: Apache-2.0
// Takes a program's units from compile_commands.json, as CMake and Bear write it.
#include "relayout/instrument/compile_database.h"

#include "parse/linked_targets.h"

#include <clang/Tooling/JSONCompilationDatabase.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string absoluteIn(const std::string &directory, const std::string &path) {
  return fs::path(path).is_absolute() ? path
                                      : (fs::path(directory) / path).lexically_normal().string();
}

/// Words of a response file, by the shell's quotes.
Words wordsIn(const std::string &path) {
  std::ifstream file(path);
  Words words;
  std::string word;
  bool isWord = false;
  char quote = 0;
  for (char c = 0; file.get(c);) {
    const bool isEscaped = c == '\\' && quote != '\'' && file.get(c);
    if (!isEscaped && (quote ? c == quote : c == '"' || c == '\'')) {
      quote = quote ? 0 : c;
      isWord = true;
    } else if (!isEscaped && !quote && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (isWord)
        words.push_back(std::move(word));
      word.clear();
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (isWord)
    words.push_back(std::move(word));
  return words;
}

bool isCompiler(const std::string &word) {
  const std::string name = fs::path(word).filename().string();
  return name.find("nvcc") != std::string::npos || name.find("g++") != std::string::npos ||
         name.find("gcc") != std::string::npos || name.find("clang") != std::string::npos ||
         name == "c++" || name == "cc" || name == "icpx" || name == "nvc++";
}

/// The compiler is among the first words: `relayout cc -- nvcc`.
constexpr std::size_t kWordsToCompiler = 4;

bool isSource(const std::string &file) {
  static const std::set<std::string> kEndings = {".cu", ".cpp", ".cc", ".cxx", ".c++", ".C", ".c"};
  return kEndings.contains(fs::path(file).extension().string());
}

std::string outputOf(const Words &words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-o" || words[i] == "--output-file")
      return words[i + 1];
  return {};
}

/// The words that say how to read the unit, with absolute paths.
Words flagsOf(const DatabaseEntry &entry) {
  static const std::set<std::string_view> kPaths = {
      "-I", "-isystem",       "-iquote",          "-idirafter",    "-include",      "-imacros",
      "-L", "--include-path", "--system-include", "--pre-include", "--library-path"};
  Words flags;
  const auto absolute = [&](const std::string &path, std::string_view flag) {
    const std::string full = absoluteIn(entry.directory, path);
    // A forced include may also be looked for in the include folders.
    std::error_code status;
    return flag.ends_with("include") && !fs::exists(full, status) ? path : full;
  };
  for (std::size_t i = 1; i < entry.words.size(); ++i) {
    const std::string &word = entry.words[i];
    const bool hasNext = i + 1 < entry.words.size();
    if (word == "-c" || word == "-dc" || word == "--compile" || word == "--device-c" ||
        absoluteIn(entry.directory, word) == entry.file)
      continue;
    if (word == "-o" || word == "--output-file" || word == "-MF" || word == "-MT" ||
        word == "-MQ") {
      ++i;
      continue;
    }
    if (kPaths.contains(word) && hasNext) {
      flags.push_back(word);
      flags.push_back(absolute(entry.words[++i], word));
      continue;
    }
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && kPaths.contains(word.substr(0, equals)))
      flags.push_back(word.substr(0, equals + 1) +
                      absolute(word.substr(equals + 1), word.substr(0, equals)));
    else if ((word.starts_with("-I") || word.starts_with("-L")) && word.size() > 2)
      flags.push_back(word.substr(0, 2) + absolute(word.substr(2), "-I"));
    else
      flags.push_back(word);
  }
  return flags;
}

std::optional<std::string> findDatabase(const std::string &place) {
  std::error_code status;
  if (fs::is_regular_file(place, status))
    return fs::absolute(place).string();
  for (fs::path folder = fs::weakly_canonical(place); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::is_regular_file(folder / "compile_commands.json", status))
      return (folder / "compile_commands.json").string();
    if (folder == folder.parent_path())
      break;
  }
  return std::nullopt;
}

} // namespace

Words withResponseFiles(const Words &words, const std::string &directory) {
  Words all;
  const auto read = [&](std::string_view paths) {
    std::istringstream list{std::string(paths)};
    for (std::string path; std::getline(list, path, ',');)
      std::ranges::move(wordsIn(absoluteIn(directory, path)), std::back_inserter(all));
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if ((word == "--options-file" || word == "-optf") && i + 1 < words.size())
      read(words[++i]);
    else if (word.starts_with("--options-file="))
      read(word.substr(word.find('=') + 1));
    else if (word.starts_with("@") && word.size() > 1)
      read(word.substr(1));
    else
      all.emplace_back(word);
  }
  return all;
}

std::size_t compilerIn(const Words &words) {
  const auto end =
      words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kWordsToCompiler));
  const auto compiler = std::find_if(words.begin(), end, isCompiler);
  return compiler == end ? 0 : static_cast<std::size_t>(compiler - words.begin());
}

std::set<std::string> CompileDatabase::targets() const {
  std::set<std::string> names;
  for (const DatabaseEntry &entry : entries)
    if (!entry.target.empty())
      names.insert(entry.target);
  return names;
}

std::set<std::string> CompileDatabase::programs() const { return programsOf(*this); }

Result<CompileDatabase> readCompileDatabase(const std::string &place) {
  const auto path = findDatabase(place);
  if (!path)
    return fail(Code::FileUnreadable,
                fmt::format("no compile_commands.json in '{}', nor in the folders around it; with "
                            "CMake set CMAKE_EXPORT_COMPILE_COMMANDS, with make run 'bear -- make'",
                            place));
  std::string message;
  const auto json = clang::tooling::JSONCompilationDatabase::loadFromFile(
      *path, message, clang::tooling::JSONCommandLineSyntax::Gnu);
  if (!json)
    return fail(Code::OtherFileVersion,
                fmt::format("'{}' is not a compilation database: {}", *path, message));
  CompileDatabase database;
  database.path = *path;
  for (const clang::tooling::CompileCommand &command : json->getAllCompileCommands()) {
    DatabaseEntry entry;
    entry.directory = absoluteIn(fs::path(*path).parent_path().string(), command.Directory);
    entry.file = fs::weakly_canonical(absoluteIn(entry.directory, command.Filename)).string();
    if (!isSource(entry.file))
      continue;
    const auto compiler = static_cast<std::ptrdiff_t>(compilerIn(command.CommandLine));
    entry.words = withResponseFiles(
        Words(command.CommandLine.begin() + compiler, command.CommandLine.end()), entry.directory);
    entry.target = targetOf(command.Output.empty() ? outputOf(entry.words) : command.Output);
    database.entries.push_back(std::move(entry));
  }
  return database;
}

Result<Program> programOf(const CompileDatabase &database, const std::vector<std::string> &targets,
                          const std::vector<std::string> &files, const HeaderFolders &headers) {
  const std::set<std::string> known = database.targets();
  for (const std::string &target : targets)
    if (!known.contains(target))
      return fail(Code::InvalidCommandLine,
                  fmt::format("'{}' has no target '{}'; it has {}", database.path, target,
                              known.empty() ? "none that can be told"
                                            : fmt::to_string(fmt::join(known, ", "))));
  const std::set<std::string> linked = withLibraries(database, targets);
  std::set<std::string> wanted;
  for (const std::string &file : files)
    wanted.insert(fs::weakly_canonical(file).string());
  std::set<std::string> taken;
  Program program;
  for (const DatabaseEntry &entry : database.entries) {
    if (!targets.empty() && !linked.contains(entry.target))
      continue;
    if ((!wanted.empty() && !wanted.contains(entry.file)) || !taken.insert(entry.file).second)
      continue;
    CompileCommand &unit = program.units.emplace_back();
    unit.file = entry.file;
    unit.flags = flagsOf(entry);
    unit.cudaHeaders = headers.cuda;
    unit.cccl = headers.cccl;
    unit.language = languageOf(entry.file, unit.flags);
    if (unit.language == Language::C && entry.words.front().find("++") != std::string::npos)
      unit.language = Language::Cxx; // as g++ and clang++ take it
    unit.build = {entry.directory, entry.words};
  }
  for (const std::string &file : wanted)
    if (!taken.contains(file))
      return fail(Code::InvalidCommandLine,
                  fmt::format("'{}' says nothing of '{}'", database.path, file));
  if (program.units.empty())
    return fail(Code::InvalidCommandLine,
                fmt::format("'{}' has no CUDA or C++ source", database.path));
  return program;
}

} // namespace relayout::instrument
