// SPDX-License-Identifier: Apache-2.0
// Cases, plans and processes for the rewriter's tests.
#include "support.h"

#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/front_end.h"
#include "relayout/instrument/clang/record_fields.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;

std::string shortName(const clang::CXXRecordDecl &record) {
  if (const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl())
    return alias->getName().str();
  return record.getNameAsString();
}

/// "16,256" as numbers.
template <class Number> std::vector<Number> numbers(const std::string &text) {
  std::vector<Number> result;
  std::istringstream input(text);
  for (std::string number; std::getline(input, number, ',');)
    result.push_back(static_cast<Number>(std::stoull(number)));
  return result;
}

analysis::Layout layoutFor(const std::string &words, const std::vector<std::string> &fields,
                           const std::vector<bool> &isArray) {
  std::istringstream input(words);
  std::string word;
  analysis::Layout layout;
  while (input >> word) {
    if (word == "soa" || word == "exploded") {
      for (std::uint32_t f = 0; f < fields.size(); ++f)
        layout.clusters.push_back({{f}, 0, word == "exploded" && isArray[f]});
      continue;
    }
    if (layout.clusters.empty())
      layout.clusters.emplace_back();
    if (word == "aligned") {
      for (std::uint32_t f = 0; f < fields.size(); ++f)
        layout.clusters.back().fields.push_back(f);
      input >> layout.clusters.back().alignment;
    } else if (word == "tile") {
      input >> layout.tile;
    } else if (word == "order") { // extents, the lowest first, then digits: 16,256 1,0,2
      std::string extents, digits;
      input >> extents >> digits;
      layout.order = {numbers<std::uint64_t>(extents), numbers<std::uint32_t>(digits)};
    } else if (word == "texts") { // of the extents, "-" for a constant: nz,-
      std::string texts;
      input >> texts;
      std::istringstream each(texts);
      for (std::string text; std::getline(each, text, ',');)
        layout.order.texts.push_back(text == "-" ? "" : text);
    } else if (word == "multiples") { // of the digits, the lowest first: 1,8
      std::string multiples;
      input >> multiples;
      layout.order.multiples = numbers<std::uint32_t>(multiples);
    } else if (word == "pad") {
      input >> layout.padBytes;
    } else if (word == "/") {
      layout.clusters.emplace_back();
    } else if (word.starts_with("@")) {
      layout.clusters.back().alignment = static_cast<std::uint32_t>(std::stoul(word.substr(1)));
    } else {
      if (word.ends_with("[]")) {
        layout.clusters.back().exploded = true;
        word.resize(word.size() - 2);
      }
      const auto field = std::find(fields.begin(), fields.end(), word);
      if (field == fields.end())
        throw std::runtime_error("no field " + word);
      layout.clusters.back().fields.push_back(static_cast<std::uint32_t>(field - fields.begin()));
    }
  }
  return layout;
}

/// \param which  `Record`, `Record<float>`, `double`, `unsigned` for `unsigned int`, or
/// `Record:array` for the one group that has an array of this name
void addDecisions(const std::vector<instrument::ArrayFlow> &flows, const std::string &which,
                  const std::string &layout, analysis::Plan &plan) {
  const std::size_t colon = which.find(':');
  std::string record = which.substr(0, colon);
  if (record == "unsigned")
    record += " int";
  const std::string array = colon == std::string::npos ? "" : which.substr(colon + 1);
  for (std::size_t g = 0; g < flows.front().groups().size(); ++g) {
    const auto unit = std::find_if(flows.begin(), flows.end(), [&](const auto &flow) {
      return flow.groups()[g].record != nullptr;
    });
    const instrument::ArrayGroup &group = unit->groups()[g];
    const instrument::Origins &from = group.origins;
    if ((shortName(*group.record) != record && instrument::traceNameOf(*group.record) != record) ||
        !(from.device || from.managed || from.symbol || from.unknown || from.ownShared ||
          (from.pinned && group.mayBeDeviceArrays())))
      continue;
    if (!array.empty() &&
        std::find(group.arrays.begin(), group.arrays.end(), array) == group.arrays.end())
      continue;
    analysis::Decision decision;
    decision.record = instrument::traceNameOf(*group.record);
    decision.arrays = group.arrays;
    std::vector<bool> isArray;
    for (const clang::FieldDecl *field : instrument::allFields(group.record)) {
      decision.fields.push_back(instrument::nameOfField(*field));
      isArray.push_back(field->getType()->isArrayType());
    }
    decision.layout = layoutFor(layout, decision.fields, isArray);
    plan.decisions.push_back(decision);
  }
}

} // namespace

analysis::Plan planFor(const instrument::ParsedProgram &program, const std::string &lines) {
  const auto read = program.units(instrument::Pass::Host);
  if (!read) {
    std::string text = render(toDiagnostic(read.error()));
    throw std::runtime_error(text);
  }
  std::vector<instrument::ParsedUnit *> units;
  for (const auto &unit : **read)
    units.push_back(unit.get());
  const std::vector<instrument::ArrayFlow> &flows = program.flows(instrument::Pass::Host);
  analysis::Plan plan;
  plan.sourceFile = program.program().units.front().file;
  plan.sourceDigest = instrument::sourceDigest(instrument::sourcesOf(units));
  plan.policy = "fixed";
  std::istringstream input(lines);
  for (std::string line; std::getline(input, line);) {
    const std::size_t space = line.find(' ');
    if (line.starts_with("__launch_bounds__ ")) {
      plan.boundedKernels.push_back(line.substr(space + 1));
      continue;
    }
    addDecisions(flows, line.substr(0, space), line.substr(space + 1), plan);
  }
  return plan;
}
std::vector<std::string> casesOf(const std::string &kind) {
  std::vector<std::string> cases;
  for (const fs::directory_entry &entry : fs::directory_iterator(fs::path(RELAYOUT_CASES) / kind))
    cases.push_back(entry.path().filename().string());
  std::sort(cases.begin(), cases.end());
  return cases;
}

fs::path folderOf(const std::string &kind, const std::string &name) {
  return fs::path(RELAYOUT_CASES) / kind / name;
}

std::string readText(const fs::path &path) {
  std::ifstream input(path);
  std::stringstream text;
  text << input.rdbuf();
  return text.str();
}

void writeText(const fs::path &path, const std::string &text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

instrument::CompileCommand commandFor(const fs::path &source) {
  instrument::CompileCommand command{source.string(), {}, RELAYOUT_CUDA_HEADERS};
  command.plainArrays = true;
  if (readText(source).find("#include <span>") != std::string::npos)
    command.flags.push_back("-std=c++20");
  if (fs::is_directory(RELAYOUT_CCCL))
    command.cccl = RELAYOUT_CCCL;
  return command;
}

bool lacksThrust(const fs::path &source) {
  return !fs::is_directory(RELAYOUT_CCCL) &&
         readText(source).find("#include <thrust/") != std::string::npos;
}

instrument::Program programOf(const std::vector<fs::path> &sources) {
  std::vector<std::string> files;
  for (const fs::path &source : sources)
    files.push_back(source.string());
  return instrument::programOf(files, {}, {RELAYOUT_CUDA_HEADERS});
}

fs::path scratchFolder() {
  const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "." + info->name();
  std::replace(name.begin(), name.end(), '/', '_');
  const fs::path folder =
      fs::temp_directory_path() / ("relayout-" + std::to_string(getpid()) + "-" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

Ran shell(const std::string &command) {
  Ran ran;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    return ran;
  char part[4096];
  for (std::size_t n = 0; (n = fread(part, 1, sizeof part, pipe)) > 0;)
    ran.output.append(part, n);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

} // namespace relayout::rewriter::test
