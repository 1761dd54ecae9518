// SPDX-License-Identifier: Apache-2.0
// A build's compile command, as `relayout cc` has to understand it: see the header.
#include "processes/compile_words.h"

#include "processes/files.h"
#include "processes/folder_lock.h"

#include "relayout/instrument/compile_database.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const std::set<std::string_view> kWithoutCompile = {"-M",       "--generate-dependencies",
                                                    "-MM",      "--generate-nonsystem-dependencies",
                                                    "--dryrun", "-dryrun",
                                                    "-V",       "--version",
                                                    "--help",   "-h"};
const std::set<std::string_view> kStops = {
    "-c",      "--compile", "-E",  "--preprocess", "-ptx",   "--ptx",        "-cubin",
    "--cubin", "-fatbin",   "-dc", "--device-c",   "-lib",   "--lib",        "--fatbin",
    "-cuda",   "--cuda",    "-dw", "--device-w",   "-dlink", "--device-link"};
const std::set<std::string_view> kDependencies = {"-MD", "--generate-dependencies-with-compile",
                                                  "-MMD",
                                                  "--generate-nonsystem-dependencies-with-compile"};
/// Their next word is no source, though it may end like one.
const std::set<std::string_view> kTakeAFile = {"-o",  "--output-file", "-include", "--pre-include",
                                               "-MF", "-MT",           "-MQ"};

bool hasAny(const Words &command, const std::set<std::string_view> &words) {
  return std::ranges::any_of(command,
                             [&](const std::string &word) { return words.contains(word); });
}

/// The value of the last of these options, glued by '=' or the next word; empty: none has one.
std::string valueOf(const Words &command, const std::set<std::string_view> &options) {
  std::string value;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::size_t equals = command[i].find('=');
    if (options.contains(command[i]) && i + 1 < command.size())
      value = command[i + 1];
    else if (equals != std::string::npos && options.contains(command[i].substr(0, equals)))
      value = command[i].substr(equals + 1);
  }
  return value;
}

/// Places of sources of any of these endings.
std::vector<std::size_t> sourcesOf(const Words &command,
                                   const std::set<std::string_view> &endings) {
  std::vector<std::size_t> sources;
  for (std::size_t i = 1; i < command.size(); ++i)
    if (!command[i].starts_with('-') && !kTakeAFile.contains(command[i - 1]) &&
        endings.contains(fs::path(command[i]).extension().string()))
      sources.push_back(i);
  return sources;
}

} // namespace

Words commandOf(const Words &words) {
  const auto compiler = static_cast<std::ptrdiff_t>(instrument::compilerIn(words));
  return instrument::withResponseFiles(Words(words.begin() + compiler, words.end()), ".");
}

std::vector<std::size_t> cudaSourcesOf(const Words &command) {
  std::string language = valueOf(command, {"-x", "--x"});
  for (const std::string &word : command)
    if (word == "-xcu" || word == "-xcuda")
      language = "cu";
  if (language.empty())
    return sourcesOf(command, {".cu"});
  if (language != "cu" && language != "cuda")
    return {};
  return sourcesOf(command, {".cu", ".cpp", ".cc", ".cxx", ".c++", ".C", ".c"});
}

bool linksNothing(const Words &command) {
  return hasAny(command, kStops) || hasAny(command, kWithoutCompile);
}

bool compilesNothing(const Words &command) { return hasAny(command, kWithoutCompile); }

Words dependencyFilesOf(const Words &command) {
  if (!hasAny(command, kDependencies))
    return {};
  if (const std::string file = valueOf(command, {"-MF", "--dependency-output"}); !file.empty())
    return {file};
  if (const std::string object = valueOf(command, {"-o", "--output-file"}); !object.empty())
    return {fs::path(object).replace_extension(".d").string()};
  Words files;
  for (const std::size_t source : cudaSourcesOf(command))
    files.push_back(fs::path(command[source]).stem().string() + ".d");
  return files;
}

Result<void> nameSources(const std::string &file,
                         const std::map<std::string, std::string> &sourceOf) {
  const auto text = readFile(file);
  if (!text)
    return tl::unexpected(text.error());
  std::string named;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t start = std::min(text->find_first_not_of(" \t\r\n\\", at), text->size());
    std::size_t end = start;
    while (end < text->size() &&
           std::string_view(" \t\r\n").find((*text)[end]) == std::string_view::npos)
      end += (*text)[end] == '\\' ? 2 : 1;
    end = std::min(end, text->size());
    named += text->substr(at, start - at);
    const std::string word = text->substr(start, end - start);
    // With -MP every header is a target, too.
    const std::string colon = word.ends_with(':') ? ":" : "";
    const auto found = sourceOf.find(
        fs::path(word.substr(0, word.size() - colon.size())).lexically_normal().string());
    named += found == sourceOf.end() ? word : found->second + colon;
    at = end;
  }
  return writeFile(file, named);
}

Result<void> recordUnits(const Words &command, const std::string &folder) {
  using Json = nlohmann::ordered_json;
  const std::vector<std::size_t> sources =
      sourcesOf(command, {".cu", ".cpp", ".cc", ".cxx", ".c++", ".C", ".c"});
  if (sources.empty())
    return {};
  std::error_code status;
  const FolderLock lock(folder);
  const std::string file = folder + "/compile_commands.json";
  Json entries = Json::array();
  if (fs::exists(file, status)) {
    const auto text = readFile(file);
    if (!text)
      return tl::unexpected(text.error());
    entries = Json::parse(*text, nullptr, false);
    if (!entries.is_array())
      return fail(Code::OtherFileVersion, fmt::format("'{}' is not a compilation database", file));
  }
  const std::string directory = fs::current_path(status).string();
  const std::string output = valueOf(command, {"-o", "--output-file"});
  for (const std::size_t source : sources) {
    Words unit;
    for (std::size_t i = 0; i < command.size(); ++i)
      if (i == source || std::ranges::find(sources, i) == sources.end())
        unit.push_back(command[i]);
    Json entry = {{"directory", directory}, {"file", command[source]}, {"arguments", unit}};
    if (!output.empty())
      entry["output"] = output;
    std::erase_if(entries.get_ref<Json::array_t &>(), [&](const Json &other) {
      return other.is_object() && other.value("directory", "") == directory &&
             other.value("file", "") == command[source] && other.value("output", "") == output;
    });
    entries.push_back(std::move(entry));
  }
  return writeFile(file, entries.dump(1) + "\n");
}

} // namespace relayout::tool
