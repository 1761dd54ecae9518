// SPDX-License-Identifier: Apache-2.0
// What the command line takes, and what it says to what it does not.
#include "relayout_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome run(const std::string &arguments) { return Workplace().relayout(arguments); }

TEST(CommandLine, AMisspeltCommandIsSuggested) {
  const Outcome outcome = run("optimise prog.cu");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no subcommand 'optimise'; did you mean 'optimize'?"));
  EXPECT_THAT(run("frobnicate").err, Not(HasSubstr("did you mean")));
}

TEST(CommandLine, AMisspeltOptionIsSuggested) {
  for (const char *command : {"optimize prog.cu --workrs 2", "run folder --workrs=2"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exitCode, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("did you mean '--workers'?")) << command;
  }
  EXPECT_THAT(run("trace dump x.rlt --acesses 3").err, Not(HasSubstr("did you mean '--limit'")));
}

TEST(CommandLine, AMisspeltCodeIsSuggested) {
  EXPECT_THAT(run("explain RL-R4").err, HasSubstr("did you mean 'RL-R04'?"));
}

TEST(CommandLine, ExplainWithoutAWordListsAllCodes) {
  const Outcome outcome = run("explain");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("RL-U01  "));
  EXPECT_THAT(outcome.out, HasSubstr("RL-R04  "));
  EXPECT_EQ(run("explain rl-r04").out, run("explain RL-R04").out);
}

TEST(CommandLine, ArgumentsOfTheProgramGoAfterTwoDashes) {
  const Workplace place;
  place.write("prog.cu", "int main() {}\n");
  const Outcome outcome = place.relayout("optimize prog.cu 4096");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("arguments of the program go after '--': optimize … -- 4096"));
  EXPECT_THAT(place.relayout("optimize prog.cu missing.cu").err,
              HasSubstr("cannot read 'missing.cu'"));
}

TEST(CommandLine, AnswersInJson) {
  const Outcome outcome = run("explain RL-R04 --json");
  ASSERT_EQ(outcome.exitCode, 0);
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["format"], "relayout-answer");
  EXPECT_EQ(answer["version"], 1);
  EXPECT_EQ(answer["command"], "explain");
  EXPECT_EQ(answer["result"]["code"], "RL-R04");
  EXPECT_THAT(outcome.err, HasSubstr("RL-R04: ")) << "what a person reads";
}

TEST(CommandLine, AFailureIsAnAnswerToo) {
  const Outcome outcome = run("trace dump missing.rlt --json");
  EXPECT_EQ(outcome.exitCode, 1);
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["exit_code"], 1);
  ASSERT_EQ(answer["diagnostics"].size(), 1u);
  EXPECT_EQ(answer["diagnostics"][0]["severity"], "error");
  EXPECT_THAT(outcome.err, HasSubstr(answer["diagnostics"][0]["text"].get<std::string>()));
}

TEST(CommandLine, EachSubcommandHasAManPage) {
  const Workplace place;
  ASSERT_EQ(place.relayout("manual -o man").exitCode, 0);
  const std::string overview = place.read("man/relayout.1");
  const std::string help = place.relayout("--help").out;
  for (const char *name : {"optimize", "verify", "trace", "cc"}) {
    EXPECT_THAT(help, HasSubstr(name));
    EXPECT_THAT(overview, HasSubstr(fmt::format("relayout\\-{} (1)", name)));
    EXPECT_THAT(place.read(fmt::format("man/relayout-{}.1", name)),
                HasSubstr(fmt::format("relayout\\-{} \\- ", name)));
  }
  EXPECT_THAT(place.read("man/relayout-optimize.1"), HasSubstr("\\fB\\-\\-real\\-arguments\\fR"));
  EXPECT_EQ(place.relayout("manual optimize").out, place.read("man/relayout-optimize.1"));
  EXPECT_THAT(place.relayout("manual optimise").err, HasSubstr("did you mean 'optimize'?"));
}

TEST(CommandLine, RunTakesWhatInstrumentWrote) {
  const Workplace place;
  place.write("drift.cu", "");
  const Outcome outcome = place.relayout("run drift.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("relayout instrument FILE.cu -o FOLDER"));
}

TEST(CommandLine, SizesHaveUnits) {
  const Workplace place;
  for (const char *size : {"1GiB", "'64 MiB'", "500kB", "4096"})
    EXPECT_THAT(place.relayout(std::string("run nothing --max-bytes ") + size).err,
                HasSubstr("nothing/program.json"))
        << size;
  const Outcome wrong = place.relayout("run nothing --max-bytes 1parsec");
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--max-bytes"));
  EXPECT_THAT(run("run --help").out, HasSubstr("[64MiB]"));
}

TEST(CommandLine, AStageThatTakesTooLongIsEnded) {
  const Workplace place;
  place.writeScript("program", "#!/bin/sh\nsleep 300\n");
  const Outcome outcome = place.relayout("profile --limit 1 -- ./program");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("timed out after 1 s"));
}

TEST(CommandLine, ARunThatTracedNothingReplacesNoTrace) {
  const Workplace place;
  place.write("trace.rlt", "an earlier trace");
  place.write("trace.rlt.gpu.json", "its report");
  const Outcome outcome = place.relayout("profile -- true");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the program wrote no trace"));
  EXPECT_EQ(place.read("trace.rlt"), "an earlier trace");
  EXPECT_EQ(place.read("trace.rlt.gpu.json"), "its report");
  EXPECT_EQ(place.shell("ls").out, "stderr.log\nstdout.log\ntrace.rlt\ntrace.rlt.gpu.json\n");
}

TEST(CommandLine, DiffsHaveColoursOnATerminalOnly) {
  const Workplace place;
  if (place.shell("command -v script").exitCode != 0)
    GTEST_SKIP() << "no program 'script' to run it on a terminal";
  place.write("prog.cu", "struct Body { float x, y; };\n"
                         "__global__ void k(Body *b) { b[threadIdx.x].x = 1; }\n"
                         "int main() {\n"
                         "  Body *b;\n"
                         "  cudaMalloc(&b, 32 * sizeof(Body));\n"
                         "  k<<<1, 32>>>(b);\n"
                         "  cudaFree(b);\n"
                         "}\n");
  const std::string rewrite = "relayout rewrite prog.cu --layout soa";
  const Outcome plain = place.shell(rewrite);
  ASSERT_EQ(plain.exitCode, 0) << plain.err;
  EXPECT_THAT(plain.out, Not(HasSubstr("\033[")));
  const Outcome coloured = place.shell("TERM=xterm script -qec '" + rewrite + "' /dev/null");
  EXPECT_THAT(coloured.out, HasSubstr("\033[32m+"));
  EXPECT_THAT(place.shell("NO_COLOR=1 TERM=xterm script -qec '" + rewrite + "' /dev/null").out,
              Not(HasSubstr("\033[32m")));
}

} // namespace
} // namespace relayout::test
