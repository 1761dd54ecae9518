// SPDX-License-Identifier: Apache-2.0
// Reads checks.json and batch.json of the samples.
#include "sample_checks.h"

#include "relayout_command.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>

namespace relayout::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json read(const fs::path &file) {
  std::ifstream stream(file);
  return Json::parse(stream);
}

std::string joined(const Json &words) {
  std::string text;
  for (const Json &word : words)
    text.append(text.empty() ? "" : " ").append(word.get<std::string>());
  return text;
}

/// "IdwReferenceTuned": letters and digits, which is all that a test's name may have.
std::string camelCase(const std::string &text) {
  std::string name;
  bool begins = true;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      name += static_cast<char>(begins ? std::toupper(letter) : letter);
    begins = std::isalnum(letter) == 0;
  }
  return name;
}

SampleProgram programOf(const fs::path &folder, const std::string &name) {
  const Json batch = read(folder / "batch.json");
  for (const Json &program : batch.at("programs")) {
    if (program.at("name") != name)
      continue;
    SampleProgram found{.sources = {}, .arguments = joined(program.at("small"))};
    for (const Json &source : program.at("sources"))
      found.sources.push_back(folder / source.get<std::string>());
    return found;
  }
  throw std::runtime_error(folder.string() + ": no program '" + name + "' in batch.json");
}

/// Calls a function with the folder and each row of a list that its checks.json has.
template <class Function> void forEachRow(const char *list, const Function &function) {
  for (const fs::path &folder : sampleFolders())
    for (const Json &row : read(folder / "checks.json").value(list, Json::array()))
      function(folder, row);
}

} // namespace

std::vector<fs::path> sampleFolders() {
  std::vector<fs::path> folders;
  for (const auto &entry : fs::directory_iterator(samples()))
    if (fs::exists(entry.path() / "batch.json"))
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

std::vector<Fault> faultsOfSamples() {
  std::vector<Fault> faults;
  forEachRow("faults", [&faults](const fs::path &folder, const Json &row) {
    const std::string program = row.at("program");
    faults.push_back({.name = camelCase(program),
                      .file = folder / row.at("file").get<std::string>(),
                      .program = programOf(folder, program),
                      .text = row.at("text"),
                      .fault = row.at("fault")});
  });
  return faults;
}

std::vector<Reference> referencesOfSamples() {
  std::vector<Reference> references;
  forEachRow("references", [&references](const fs::path &folder, const Json &row) {
    const fs::path source = row.at("source").get<std::string>();
    Reference reference{.name =
                            camelCase(folder.filename().string() + " " + source.stem().string()),
                        .source = folder / source,
                        .arguments = joined(row.at("arguments")),
                        .variants = row.at("variants"),
                        .comparesWith = {}};
    // One program with several arguments: the last one tells which.
    if (std::ranges::any_of(references, [&reference](const Reference &other) {
          return other.name == reference.name;
        }))
      reference.name += camelCase(row.at("arguments").back().get<std::string>());
    if (row.contains("comparesWith"))
      reference.comparesWith = programOf(folder, row.at("comparesWith")).sources;
    references.push_back(reference);
  });
  return references;
}

} // namespace relayout::test
