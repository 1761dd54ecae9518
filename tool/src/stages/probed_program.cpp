// SPDX-License-Identifier: Apache-2.0
// What builds with probes or notes for the GPU need beside the user's own commands.
#include "stages/probed_program.h"

#include "processes/nvcc.h"

#include "relayout/base/cuda_calls.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>

namespace relayout::tool {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

/// Reads the program against our own CUDA headers, and where these lack something against those of
/// the toolkit.
template <class Edit>
auto withEitherHeaders(instrument::Program &program, const std::string &compiler,
                       const std::string &folder, Edit edit) {
  auto edited = edit();
  if (edited || !toolkitMayHelp(edited.error()))
    return edited;
  const std::string toolkit = toolkitOf(compiler, program.units.front().file, folder);
  if (toolkit.empty())
    return edited;
  for (instrument::CompileCommand &unit : program.units)
    unit.cudaToolkit = toolkit;
  return edit();
}

} // namespace

instrument::DeviceCode deviceCodeOf(const Words &words) {
  static const std::set<std::string_view> kRelocatable = {"-rdc", "--relocatable-device-code"};
  bool isLinked = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    const std::size_t equals = word.find('=');
    if (word == "-dc" || word == "--device-c")
      isLinked = true;
    else if (kRelocatable.contains(word.substr(0, equals)))
      isLinked = equals != std::string::npos ? word.substr(equals + 1) == "true"
                                             : i + 1 < words.size() && words[i + 1] == "true";
  }
  return isLinked ? instrument::DeviceCode::Linked : instrument::DeviceCode::Whole;
}

Result<instrument::ProbedProgram> insertProbes(instrument::Program &program,
                                               instrument::DeviceCode code,
                                               const std::string &compiler,
                                               const std::string &folder) {
  return withEitherHeaders(program, compiler, folder,
                           [&] { return instrument::insertGpuProbes(program, code); });
}

Result<instrument::NotedProgram> insertPaddingNotes(const instrument::Program &program,
                                                    const std::string &compiler,
                                                    const std::string &folder) {
  instrument::Program read = program;
  return withEitherHeaders(read, compiler, folder, [&] { return instrument::notePadding(read); });
}

std::string probeHeaders(const InstallPaths &paths) {
  return (fs::path(paths.cudaHeaders).parent_path() / "relayout-device").string();
}

Words inDialectOfProbes(Words words) {
  const auto makeRecent = [](std::string &standard) {
    for (const std::string_view older : {"c++98", "c++03", "c++11", "c++0x", "c++14", "c++1y"})
      if (standard.ends_with(older))
        standard.replace(standard.size() - older.size(), older.size(), "c++17");
  };
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].starts_with("-std=") || words[i].starts_with("--std="))
      makeRecent(words[i]);
    else if ((words[i] == "-std" || words[i] == "--std") && i + 1 < words.size())
      makeRecent(words[i + 1]);
  return words;
}

std::optional<Words> wordsForAnotherTry(Words words, const std::string &log) {
  if (log.find("Broken function found") == std::string::npos)
    return std::nullopt;
  words.insert(words.begin() + 1, "-DRELAYOUT_LOADS_POINTERS");
  return words;
}

Words probeLinkWords(const InstallPaths &paths) {
  Words words;
  for (const CudaCall &call : cudaCalls())
    for (const std::string_view name : {call.name, call.perThread})
      if (call.isHooked && !name.empty()) {
        words.emplace_back("-Xlinker");
        words.push_back(fmt::format("--wrap={}", name));
      }
  for (std::string word :
       {"-L" + paths.libraries,
        std::string("-l:librelayout_hooks.a"), // `-x cu` makes a source of a file
        std::string("-lrelayout_gpu"), std::string("-Xlinker"), std::string("-rpath"),
        std::string("-Xlinker"), paths.libraries})
    words.push_back(std::move(word));
  return words;
}

} // namespace relayout::tool
