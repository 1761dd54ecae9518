// SPDX-License-Identifier: Apache-2.0
// Reads batch files. Keys that are not known are errors: a misspelt one would be left out unseen.
#include "batch/batch_file.h"

#include "processes/files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

/// Thrown inside this file only, caught at its door.
/// The JSON library's words without its "[json.exception.parse_error.101] ".
std::string withoutNumber(const std::string &what) {
  const std::size_t end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

struct Malformed {
  std::string what;
};

std::string stringOf(const Json &value, const std::string &key) {
  if (!value.is_string() || value.get_ref<const std::string &>().empty())
    throw Malformed{fmt::format("'{}' is no text", key)};
  return value.get<std::string>();
}

std::vector<std::string> wordsOf(const Json &value, const std::string &key) {
  if (!value.is_array())
    throw Malformed{fmt::format("'{}' is no list of texts", key)};
  std::vector<std::string> words;
  for (const Json &word : value)
    words.push_back(stringOf(word, key));
  return words;
}

std::string patternOf(const Json &value, const std::string &key) {
  const std::string text = stringOf(value, key);
  try {
    if (std::regex(text).mark_count() == 0)
      throw Malformed{fmt::format("'{}' has no group ( ) around the number", key)};
  } catch (const std::regex_error &error) {
    throw Malformed{fmt::format("'{}' is no regular expression: {}", key, error.what())};
  }
  return text;
}

void checkKeys(const Json &object, const std::string &what, const std::set<std::string> &known,
               const std::set<std::string> &needed) {
  if (!object.is_object())
    throw Malformed{fmt::format("{} is no object", what)};
  for (const auto &[key, value] : object.items())
    if (!known.contains(key))
      throw Malformed{fmt::format("{} has '{}', which means nothing here", what, key)};
  for (const std::string &key : needed)
    if (!object.contains(key))
      throw Malformed{fmt::format("{} lacks '{}'", what, key)};
}

std::string existing(const fs::path &folder, const std::string &file) {
  const fs::path path = folder / file;
  std::error_code status;
  if (!fs::is_regular_file(path, status))
    throw Malformed{fmt::format("'{}' is not there", path.string())};
  return path.lexically_normal().string();
}

HandTuned handTunedFrom(const Json &json, const BatchProgram &program, const fs::path &folder) {
  checkKeys(json, "a member of 'handTuned'", {"source", "arguments", "figures"},
            {"source", "figures"});
  HandTuned tuned;
  tuned.source = existing(folder, stringOf(json["source"], "source"));
  tuned.arguments =
      json.contains("arguments") ? wordsOf(json["arguments"], "arguments") : program.large;
  if (!json["figures"].is_object() || json["figures"].empty())
    throw Malformed{"'figures' is no object of names and patterns"};
  for (const auto &[name, pattern] : json["figures"].items())
    tuned.figures[name] = patternOf(pattern, name);
  return tuned;
}

BatchProgram programFrom(const Json &json, const fs::path &folder) {
  checkKeys(
      json, "a member of 'programs'",
      {"name", "sources", "flags", "small", "large", "figure", "unit", "layouts", "handTuned"},
      {"name", "sources", "figure", "unit"});
  BatchProgram program;
  program.name = stringOf(json["name"], "name");
  if (program.name.find('/') != std::string::npos || program.name.starts_with('.'))
    throw Malformed{fmt::format("'{}' cannot be the name of a folder", program.name)};
  for (const std::string &source : wordsOf(json["sources"], "sources"))
    program.sources.push_back(existing(folder, source));
  if (program.sources.empty())
    throw Malformed{"'sources' is empty"};
  const auto words = [&json](const char *key) {
    return json.contains(key) ? wordsOf(json[key], key) : std::vector<std::string>();
  };
  program.flags = words("flags");
  program.small = words("small");
  program.large = json.contains("large") ? words("large") : program.small;
  program.figure = patternOf(json["figure"], "figure");
  program.unit = stringOf(json["unit"], "unit");
  program.layouts =
      json.contains("layouts") ? words("layouts") : std::vector<std::string>{"aligned-aos", "soa"};
  if (json.contains("handTuned")) {
    if (!json["handTuned"].is_array())
      throw Malformed{"'handTuned' is no list"};
    for (const Json &row : json["handTuned"])
      program.handTuned.push_back(handTunedFrom(row, program, folder));
  }
  return program;
}

} // namespace

Result<std::vector<BatchProgram>> readBatchFile(const std::string &folder) {
  const std::string path = (fs::path(folder) / kBatchFileName).string();
  const Result<std::string> text = readFile(path);
  if (!text)
    return tl::unexpected(text.error());
  try {
    const Json json =
        Json::parse(*text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
    checkKeys(json, "the file", {"programs"}, {"programs"});
    if (!json["programs"].is_array() || json["programs"].empty())
      throw Malformed{"'programs' is no list of programs"};
    std::vector<BatchProgram> programs;
    for (const Json &row : json["programs"])
      programs.push_back(programFrom(row, folder));
    return programs;
  } catch (const Malformed &malformed) {
    return tl::unexpected(Error{Code::InvalidBatchFile, malformed.what, {path, 0, 0}, {}});
  } catch (const Json::exception &exception) {
    return tl::unexpected(
        Error{Code::InvalidBatchFile, withoutNumber(exception.what()), {path, 0, 0}, {}});
  }
}

Result<std::vector<BatchProgram>> findBatchPrograms(const std::string &root) {
  std::vector<std::string> folders;
  std::error_code status;
  if (fs::is_regular_file(fs::path(root) / kBatchFileName, status))
    folders.push_back(root);
  for (fs::recursive_directory_iterator entry(root, status), end; !status && entry != end;
       entry.increment(status))
    if (entry->path().filename() == kBatchFileName && entry->path().parent_path() != root)
      folders.push_back(entry->path().parent_path().string());
  if (folders.empty())
    return fail(
        Code::NoBatchFile, fmt::format("no folder in '{}' has a {}", root, kBatchFileName), {},
        {{{}, "it names a program's sources, arguments and figure of merit: docs/batch.md"}});
  std::ranges::sort(folders);
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::vector<BatchProgram> all;
  std::map<std::string, std::string> folderOf;
  for (const std::string &folder : folders) {
    Result<std::vector<BatchProgram>> programs = readBatchFile(folder);
    if (!programs)
      return programs;
    for (BatchProgram &program : *programs) {
      const auto [earlier, isNew] = folderOf.emplace(program.name, folder);
      if (!isNew)
        return fail(Code::DuplicateProgramName,
                    fmt::format("two programs are named '{}', in '{}' and in '{}'", program.name,
                                earlier->second, folder));
      all.push_back(std::move(program));
    }
  }
  return all;
}

} // namespace relayout::tool
