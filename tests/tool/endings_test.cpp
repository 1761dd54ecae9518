// SPDX-License-Identifier: Apache-2.0
// However relayout ends, nothing of it is left behind.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace relayout::test {
namespace {

class Endings : public testing::TestWithParam<const char *> {};

TEST_P(Endings, ASignalLeavesNoProcessAndNoTemporaryFile) {
  const Workplace place;
  place.writeScript("program", "#!/bin/sh\nsleep 300 &\necho $! > child\necho $$ > self\nwait\n");
  // The signal goes to relayout alone. What is gone, or a zombie that nobody has collected, is
  // ended.
  const Outcome outcome = place.shell(
      "{ mkdir tmp; export TMPDIR=$PWD/tmp; relayout profile -- ./program & relayout=$!; "
      "until [ -s self ]; do sleep 0.1; done; kill -" +
      std::string(GetParam()) +
      " $relayout; wait $relayout; "
      "ended() { [ ! -e /proc/$1/stat ] || grep -q ') Z ' /proc/$1/stat; }; "
      "for tenth in $(seq 50); do ended $(cat child) && ended $(cat self) && break; sleep 0.1; "
      "done; ended $(cat child) && ended $(cat self) && [ -z \"$(ls tmp)\" ] && echo clean; }");
  EXPECT_EQ(outcome.out, "clean\n") << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, Endings, testing::Values("TERM", "HUP", "KILL"));

TEST(StandardInput, ProgramsReadWhatRelayoutIsGiven) {
  const Workplace place;
  place.writeScript("program", "#!/bin/sh\ncat > read\n");
  EXPECT_THAT(place.shell("echo words | relayout profile -- ./program").err,
              testing::HasSubstr("wrote no trace"));
  EXPECT_EQ(place.read("read"), "words\n");
}

} // namespace
} // namespace relayout::test
