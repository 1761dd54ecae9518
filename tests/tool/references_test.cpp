// SPDX-License-Identifier: Apache-2.0
// The hand-tuned programs of the samples: on the CPU each variant computes the right results and
// prints the figure that its batch file looks for.
#include "relayout_command.h"
#include "sample_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace relayout::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// What a program prints on the CPU.
std::string outputOf(const Workplace &place, const std::vector<fs::path> &sources,
                     const std::string &arguments) {
  std::string files;
  for (const fs::path &source : sources)
    files.append(" ").append(source.string());
  const Outcome outcome = place.relayout("verify" + files + files + " -o out -- " + arguments);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err << place.read("out/original/output.txt");
  return place.read("out/original/output.txt");
}

/// The numbers of "mass 1.5, energy 2": what a program computed, whatever it calls it.
std::set<std::string> resultsIn(const std::string &line) {
  std::set<std::string> numbers;
  const std::regex number("[a-z] \\(?(-?[0-9]+\\.[0-9]+)");
  for (std::sregex_iterator match(line.begin(), line.end(), number), end; match != end; ++match)
    numbers.insert((*match)[1]);
  return numbers;
}

/// Patterns of the batch files for one program of reference/.
std::map<std::string, std::string> figuresOf(const Reference &reference) {
  const fs::path &source = reference.source;
  std::ifstream file(source.parent_path().parent_path() / "batch.json");
  std::map<std::string, std::string> figures;
  const nlohmann::json batch = nlohmann::json::parse(file);
  for (const auto &program : batch["programs"]) {
    for (const auto &tuned : program.value("handTuned", nlohmann::json::array())) {
      if ("reference" / source.filename() == tuned["source"].get<std::string>())
        figures.merge(tuned["figures"].get<std::map<std::string, std::string>>());
    }
  }
  return figures;
}

class References : public testing::TestWithParam<Reference> {};

TEST_P(References, ComputeTheRightResults) {
  const Reference &reference = GetParam();
  const Workplace place;
  const std::string output = outputOf(place, {reference.source}, reference.arguments);
  EXPECT_THAT(output, Not(HasSubstr("WRONG")));
  const std::regex figure("ms.*[0-9] (GFLOPS|[GM] [a-z]+/s)");
  EXPECT_EQ(std::distance(std::sregex_iterator(output.begin(), output.end(), figure), {}),
            static_cast<std::ptrdiff_t>(reference.variants))
      << output;
  for (const auto &[name, pattern] : figuresOf(reference))
    EXPECT_TRUE(std::regex_search(output, std::regex(pattern))) << name << ": " << output;
  if (reference.comparesWith.empty())
    return;
  const std::string expected = outputOf(place, reference.comparesWith, reference.arguments);
  const std::set<std::string> wanted = resultsIn(expected.substr(0, expected.find('\n')));
  ASSERT_GE(wanted.size(), 2u) << expected;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("kernel time") != std::string::npos)
      continue;
    for (const std::string &number : resultsIn(line))
      EXPECT_TRUE(wanted.contains(number)) << line << "\nand not " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, References, testing::ValuesIn(referencesOfSamples()),
                         [](const auto &chosen) { return chosen.param.name; });

TEST(ReferencesOfSamples, AreAllRun) {
  std::set<fs::path> run;
  for (const Reference &reference : referencesOfSamples())
    run.insert(reference.source);
  for (const auto &entry : fs::recursive_directory_iterator(samples())) {
    const bool isReference = entry.path().parent_path().filename() == "reference" &&
                             entry.path().extension() == ".cu"; // headers are parts of programs
    EXPECT_TRUE(!isReference || run.contains(entry.path())) << entry.path();
  }
}

} // namespace
} // namespace relayout::test
