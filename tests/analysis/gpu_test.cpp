// SPDX-License-Identifier: Apache-2.0
// Architectures, machines, and the constants that were fitted.
#include "relayout/analysis/gpu/architecture.h"
#include "relayout/analysis/gpu/fit.h"
#include "replay_evaluation.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace relayout::analysis {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::string hopperWith(const std::string &from, const std::string &to) {
  std::string text = textOf(RELAYOUT_ARCHITECTURES "/hopper.json");
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Architectures, EveryFileIsOneFamily) {
  std::set<std::string> names;
  for (const fs::directory_entry &entry : fs::directory_iterator(RELAYOUT_ARCHITECTURES)) {
    const Result<Architecture> family = architectureFromJson(textOf(entry.path()));
    ASSERT_TRUE(family.has_value()) << entry.path() << ": " << family.error().text;
    EXPECT_EQ(family->name, entry.path().stem());
    for (const std::string &capability : family->computeCapabilities)
      EXPECT_EQ(architectureOf(capability).name, family->name) << "two families of " << capability;
    names.insert(family->name);
  }
  EXPECT_EQ(architectures().size(), names.size()) << "not all are part of the library";
}

TEST(Architectures, AnUnknownFamilyIsSaidToBeUnknown) {
  EXPECT_TRUE(architectureOf("9.0").isKnown);
  for (const char *capability : {"", "3.5", "99.0"}) {
    EXPECT_FALSE(architectureOf(capability).isKnown);
    EXPECT_GT(architectureOf(capability).registersPerSm, 0u) << "Hopper's stand in";
  }
}

TEST(Architectures, RefuseWhatTheReplayIsNotCompiledFor) {
  EXPECT_THAT(
      architectureFromJson(hopperWith("\"line_bytes\": 128", "\"line_bytes\": 256")).error().text,
      HasSubstr("'line_bytes' is 256"));
  for (const auto &[from, to] :
       {std::pair("\"row_bytes\": 256", "\"row_bytes\": 0"),
        std::pair("\"most_shared_part\": 0.875", "\"most_shared_part\": 1"),
        std::pair("\"gpcs\": 8,", ""), std::pair("[0, 8, 16,", "[0, 16, 8,"),
        std::pair("19, 20]", "19, 21]")}) {
    const Result<Architecture> family = architectureFromJson(hopperWith(from, to));
    ASSERT_FALSE(family.has_value()) << to;
    EXPECT_EQ(family.error().code, Code::NotAMachineFile) << to;
  }
  EXPECT_FALSE(architectureFromJson("[]").has_value());
}

std::vector<fs::path> filesIn(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

/// A small gather, replayed for the machine.
double gatherNs(const Machine &machine) {
  static const LayoutCase kGather = layoutCase("gather", 0x03, "2");
  return evaluate(kGather.program, soa(recordFields(kGather.program)), machine).time.totalNs;
}

TEST(Machines, EveryFileIsOfAKnownFamilyAndReplays) {
  const double ofH100 = gatherNs(h100());
  for (const fs::path &file : filesIn(RELAYOUT_MACHINES)) {
    const Result<Machine> machine = machineFromJson(textOf(file));
    ASSERT_TRUE(machine.has_value()) << file << ": " << machine.error().text;
    EXPECT_TRUE(machine->architecture.isKnown) << file;
    const double ns = gatherNs(*machine);
    EXPECT_GT(ns, 0.1 * ofH100) << file;
    EXPECT_LT(ns, 10 * ofH100) << file;
    EXPECT_EQ(machine->isCalibrated, textOf(file).find("\"measured\"") != std::string::npos)
        << file << ": what is measured says when and with what, the rest names its sources";
  }
}

TEST(Machines, OfEveryFamilyReplay) {
  for (const fs::path &file : filesIn(RELAYOUT_ARCHITECTURES)) {
    Machine machine = h100();
    machine.architecture = *architectureFromJson(textOf(file));
    EXPECT_GT(gatherNs(machine), 0) << file;
  }
}

TEST(Machines, ThatAreLessSureHaveWiderErrorsAndSaySo) {
  EXPECT_EQ(h100().errorFactor(), 1);
  EXPECT_TRUE(reservationsAbout(h100()).empty());
  EXPECT_EQ(describe(h100()), h100().name);

  Machine published = h100();
  published.isCalibrated = false;
  Machine unknown = h100();
  unknown.architecture = architectureOf("99.0");
  Machine notMeasured = h100();
  notMeasured.architecture = architectureOf("8.9");
  for (const Machine &machine : {published, unknown, notMeasured}) {
    EXPECT_GT(machine.errorFactor(), 1);
    EXPECT_EQ(reservationsAbout(machine).size(), 1u);
    EXPECT_NE(describe(machine), machine.name);
  }
}

TEST(Machines, FilesWithoutACapabilityAreOfAnUnknownFamily) {
  std::string text = toJson(h100());
  const std::string capability = "\"compute_capability\": \"9.0\",";
  ASSERT_NE(text.find(capability), std::string::npos);
  text.erase(text.find(capability), capability.size());
  const Result<Machine> machine = machineFromJson(text);
  ASSERT_TRUE(machine.has_value());
  EXPECT_FALSE(machine->architecture.isKnown);
}

TEST(Fits, SayWhatTheyWereFittedTo) {
  EXPECT_GT(fits().size(), 25u);
  for (const Fit &fit : fits()) {
    EXPECT_GT(fit.value, 0) << fit.name;
    for (const char *text : {fit.unit, fit.fittedTo, fit.residual})
      EXPECT_NE(std::string(text), "") << fit.name;
  }
}

TEST(Fits, AreAllUsed) {
  std::string sources;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(RELAYOUT_ANALYSIS "/src"))
    if (entry.is_regular_file())
      sources += textOf(entry.path());
  for (const Fit &fit : fits())
    EXPECT_NE(sources.find(std::string("fit::") + fit.name), std::string::npos) << fit.name;
}

} // namespace
} // namespace relayout::analysis
