// SPDX-License-Identifier: Apache-2.0
// The samples' own --check notices a kernel with one wrong number.
#include "relayout_command.h"
#include "sample_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace relayout::test {
namespace {

namespace fs = std::filesystem;

class SampleChecks : public testing::TestWithParam<Fault> {};

TEST_P(SampleChecks, NoticeASmallFault) {
  const Fault &fault = GetParam();
  const fs::path folder = fault.file.parent_path();
  const fs::path below = folder.filename();
  const Workplace place;
  ASSERT_EQ(place.shell("cp -r '" + folder.string() + "' .").exitCode, 0);
  const std::string file = below / fault.file.filename();
  std::string text = place.read(file);
  const std::size_t at = text.find(fault.text);
  ASSERT_NE(at, std::string::npos);
  place.write(file, text.replace(at, fault.text.size(), fault.fault));
  std::string sources;
  for (const fs::path &source : fault.program.sources)
    sources.append(" ").append((below / source.filename()).string());
  const Outcome lowered = place.relayout("instrument" + sources + " -o traced");
  ASSERT_EQ(lowered.exitCode, 0) << lowered.err;
  const Outcome run = place.relayout("run traced --trace counts -- " + fault.program.arguments);
  EXPECT_THAT(run.err, testing::HasSubstr("ended with exit code 1"));
  EXPECT_THAT(run.out + run.err, testing::HasSubstr("WRONG"));
}

INSTANTIATE_TEST_SUITE_P(Samples, SampleChecks, testing::ValuesIn(faultsOfSamples()),
                         [](const auto &chosen) { return chosen.param.name; });

TEST(SampleChecksOfFolders, AreAllTested) {
  const std::vector<Fault> faults = faultsOfSamples();
  for (const fs::path &folder : sampleFolders())
    EXPECT_TRUE(std::ranges::any_of(
        faults, [&folder](const Fault &fault) { return fault.file.parent_path() == folder; }))
        << folder << " has no fault in checks.json";
}

} // namespace
} // namespace relayout::test
