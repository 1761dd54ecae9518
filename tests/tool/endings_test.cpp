// SPDX-License-Identifier: Apache-2.0
// However relayout ends, nothing of it is left behind; and what programs are told meanwhile.
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

TEST(TimeOfDay, DoesNotTellHowFastARunIs) {
  const Workplace place;
  place.write("seeds.cu", R"(
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>
struct R { float x, y; };
__global__ void k(R *p, float seed) { p[threadIdx.x].x = seed; }
int main() {
  const std::time_t first = std::time(nullptr);
  if (mkdir("fast", 0700) != 0 && rmdir("fast") == 0) // one run fast, the next slow
    usleep(1200000);
  const float later = std::time(nullptr) - first;
  R host[32] = {}, *p;
  cudaMalloc(&p, sizeof(host));
  k<<<1, 32>>>(p, later);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(p);
}
)");
  const Outcome outcome = place.relayout("verify seeds.cu seeds.cu -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
}

} // namespace
} // namespace relayout::test
