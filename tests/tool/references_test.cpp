// SPDX-License-Identifier: Apache-2.0
// The hand-tuned programs beside the samples: each variant computes what it should, on the CPU, and
// prints the figure that its batch file looks for.
#include "relayout_command.h"

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

/// A program of reference/ at a size for the CPU.
struct Reference {
  const char *name;
  const char *source; ///< below samples/
  const char *arguments;
  /// Figures that it prints; each variant prints one.
  std::size_t variants;
  /// The sample, where the program leaves it to a reader to compare what both print. Otherwise it
  /// compares with a serial computation itself, and fails where that differs.
  const char *comparesWith;
};

constexpr Reference kReferences[] = {
    {"CfdSoa", "cfd/reference/soa.cu", "--edge 6 --steps 2", 1, "cfd/cfd.cu cfd/gas.cu"},
    {"HimenoLadder", "himeno/reference/ladder.cu", "--size XS --sweeps 2", 10, ""},
    {"HpcgLadder", "hpcg/reference/ladder.cu", "--size 8 --iterations 4", 3, ""},
    {"IdwTuned", "idw/reference/tuned.cu", "--stations 600 --queries 300", 3, ""},
    {"IdwTunedAdaptive", "idw/reference/tuned.cu", "--stations 600 --queries 300 --adaptive", 3,
     ""},
    {"NbodyLadder", "nbody/reference/ladder.cu", "--bodies 500 --repeats 1", 3, ""},
    {"ParticlefilterSoa", "particlefilter/reference/soa.cu", "--particles 2000 --frames 3", 1,
     "particlefilter/particlefilter.cu"},
    {"SphTuned", "sph/reference/tuned.cu", "--side 6 --steps 3", 2, "sph/sph.cu"},
    {"StencilLadder", "stencil/reference/ladder.cu", "--orbitals 2 --repeats 1", 8, ""},
    {"StencilTuned", "stencil/reference/tuned.cu", "--orbitals 5 --steps 2", 2, ""},
};

/// What a program prints on the CPU. Its files stand one behind the other, below samples/.
std::string outputOf(const Workplace &place, const std::string &sources,
                     const std::string &arguments) {
  std::string files;
  std::istringstream words(sources);
  for (std::string word; words >> word;)
    files.append(" ").append(samples()).append("/").append(word);
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
  const fs::path source = fs::path(samples()) / reference.source;
  std::ifstream file(source.parent_path().parent_path() / "batch.json");
  std::map<std::string, std::string> figures;
  for (const auto &program : nlohmann::json::parse(file)["programs"]) {
    for (const auto &tuned : program.value("handTuned", nlohmann::json::array())) {
      if ("reference" / source.filename() == tuned["source"].get<std::string>())
        figures.merge(tuned["figures"].get<std::map<std::string, std::string>>());
    }
  }
  return figures;
}

class References : public testing::TestWithParam<Reference> {};

TEST_P(References, ComputeWhatTheyShould) {
  const Reference &reference = GetParam();
  const Workplace place;
  const std::string output = outputOf(place, reference.source, reference.arguments);
  EXPECT_THAT(output, Not(HasSubstr("WRONG")));
  const std::regex figure("ms.*[0-9] (GFLOPS|[GM] [a-z]+/s)");
  EXPECT_EQ(std::distance(std::sregex_iterator(output.begin(), output.end(), figure), {}),
            static_cast<std::ptrdiff_t>(reference.variants))
      << output;
  for (const auto &[name, pattern] : figuresOf(reference))
    EXPECT_TRUE(std::regex_search(output, std::regex(pattern))) << name << ": " << output;
  if (*reference.comparesWith == '\0')
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

INSTANTIATE_TEST_SUITE_P(Samples, References, testing::ValuesIn(kReferences),
                         [](const auto &chosen) { return std::string(chosen.param.name); });

TEST(ReferencesOfSamples, AreAllRun) {
  std::set<fs::path> run;
  for (const Reference &reference : kReferences)
    run.insert(fs::path(samples()) / reference.source);
  for (const auto &entry : fs::recursive_directory_iterator(samples())) {
    const bool isReference = entry.path().parent_path().filename() == "reference";
    EXPECT_TRUE(!isReference || run.contains(entry.path())) << entry.path();
  }
}

} // namespace
} // namespace relayout::test
