// SPDX-License-Identifier: Apache-2.0
// Reads batch files. Keys that are not known are errors: a misspelt one would be silently ignored.
#include "batch/batch_file.h"

#include "processes/files.h"

#include "relayout/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

std::string nonEmpty(const JsonValue &value) {
  if (value.text().empty())
    value.fail("is empty");
  return value.text();
}

std::vector<std::string> wordsOf(const JsonValue &value) {
  std::vector<std::string> words;
  for (const JsonValue &word : value.list())
    words.push_back(nonEmpty(word));
  return words;
}

std::string patternOf(const JsonValue &value) {
  try {
    if (std::regex(value.text()).mark_count() == 0)
      value.fail("has no group ( ) around the number");
  } catch (const std::regex_error &error) {
    value.fail(fmt::format("is not a regular expression: {}", error.what()));
  }
  return value.text();
}

std::string existing(const fs::path &folder, const JsonValue &file) {
  const fs::path path = folder / nonEmpty(file);
  std::error_code status;
  if (!fs::is_regular_file(path, status))
    file.fail(fmt::format("names '{}', which does not exist", path.string()));
  return path.lexically_normal().string();
}

HandTuned handTunedFrom(const JsonValue &json, const BatchProgram &program,
                        const fs::path &folder) {
  json.hasOnly({"source", "arguments", "figures"});
  HandTuned tuned;
  tuned.source = existing(folder, json.at("source"));
  const auto arguments = json.find("arguments");
  tuned.arguments = arguments ? wordsOf(*arguments) : program.large;
  for (const auto &[name, pattern] : json.at("figures").members())
    tuned.figures[name] = patternOf(pattern);
  if (tuned.figures.empty())
    json.at("figures").fail("is empty");
  return tuned;
}

BatchProgram programFrom(const JsonValue &json, const fs::path &folder) {
  json.hasOnly(
      {"name", "sources", "flags", "small", "large", "figure", "unit", "layouts", "handTuned"});
  BatchProgram program;
  program.name = nonEmpty(json.at("name"));
  if (program.name.find('/') != std::string::npos || program.name.starts_with('.'))
    json.at("name").fail(fmt::format("'{}' cannot be the name of a folder", program.name));
  for (const JsonValue &source : json.at("sources").list())
    program.sources.push_back(existing(folder, source));
  if (program.sources.empty())
    json.at("sources").fail("is empty");
  const auto words = [&json](const char *key, const std::vector<std::string> &otherwise) {
    const auto value = json.find(key);
    return value ? wordsOf(*value) : otherwise;
  };
  program.flags = words("flags", {});
  program.small = words("small", {});
  program.large = words("large", program.small);
  program.figure = patternOf(json.at("figure"));
  program.unit = nonEmpty(json.at("unit"));
  program.layouts = words("layouts", {"aligned-aos", "soa"});
  if (const auto rows = json.find("handTuned"))
    for (const JsonValue &row : rows->list())
      program.handTuned.push_back(handTunedFrom(row, program, folder));
  return program;
}

} // namespace

Result<std::vector<BatchProgram>> readBatchFile(const std::string &folder) {
  const std::string path = (fs::path(folder) / kBatchFileName).string();
  const Result<std::string> text = readFile(path);
  if (!text)
    return tl::unexpected(text.error());
  const auto read = [&folder](const JsonValue &file) {
    file.hasOnly({"programs"});
    std::vector<BatchProgram> programs;
    for (const JsonValue &row : file.at("programs").list())
      programs.push_back(programFrom(row, folder));
    if (programs.empty())
      file.at("programs").fail("is empty");
    return programs;
  };
  return inFile(readJson(*text, Code::InvalidBatchFile, read), path);
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
