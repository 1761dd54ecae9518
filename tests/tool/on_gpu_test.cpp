// SPDX-License-Identifier: Apache-2.0
// `optimize --on gpu` and `verify --on gpu` with stand-ins for nvidia-smi, nvcc and g++: what they
// build is a script that says what a run on a GPU would have given.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kBodies = R"(#include <cstdlib>
struct Body { float x, y, z, mass; };
__global__ void move(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i].x += 1;
}
int main() {
  if (std::getenv("FAILS")) return 3;
  static Body host[4096];
  Body *bodies;
  cudaMalloc(&bodies, sizeof(host));
  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  move<<<16, 256>>>(bodies, 4096);
  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  return 0;
}
)";

/// A compile leaves its source, a link a script. Its words go to $CALLS.
/// REWRITTEN_NS and REWRITTEN_EXIT are of versions that use a view; COPIES is the command whose
/// output tells what was copied, in which $rewritten is 1 for those and 0 else, and $without_fma
/// for what was built with -fmad=false.
constexpr const char *kStandInCompiler = R"(#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
while [ $# -gt 0 ]; do
  case "$1" in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;;
  -o) out=$2; shift ;;
  -c) compile=1 ;;
  -fmad=false) without_fma="// without_fma" ;;
  -I|-cudart|-Xlinker) shift ;;
  *.cu|*.cpp) source=$1 ;;
  *.o) objects="$objects $1" ;;
  esac
  shift
done
if [ -n "$compile" ]; then
  if [ -n "$BROKEN" ]; then echo "error: $source is broken"; exit 2; fi
  { cat "$source"; echo "$without_fma"; } > "$out"
  exit
fi
cat $objects > "$out.text"
rewritten=0
without_fma=0
grep -q View "$out.text" && rewritten=1
grep -q "// without_fma" "$out.text" && without_fma=1
cat > "$out" <<END
#!/bin/sh
rewritten=$rewritten
without_fma=$without_fma
ns=10000000
if [ \$rewritten = 1 ]; then
  [ -n "\$REWRITTEN_EXIT" ] && exit \$REWRITTEN_EXIT
  ns=\${REWRITTEN_NS:-5000000}
fi
[ -n "\$RELAYOUT_TRACE" ] && grep -q relayout/device/probe.cuh "\$0.text" && cp "\$TRACE" "\$RELAYOUT_TRACE"
[ -n "\$RELAYOUT_COPIES" ] && eval "\${COPIES:-echo 64 same}" > "\$RELAYOUT_COPIES"
[ -n "\$RELAYOUT_COUNTERS" ] && [ -z "\$NO_TIMES" ] &&
  echo "{\"kernel_times\": [{\"all_ns\": \$ns}]}" > "\$RELAYOUT_COUNTERS"
echo "moved \$*"
END
chmod +x "$out"
)";

class OnGpu : public testing::Test {
protected:
  void SetUp() override {
    for (const char *library : {"/librelayout_copies.so", "/librelayout_counters.so"})
      if (!std::filesystem::exists(std::string(RELAYOUT_LIBRARIES) + library))
        GTEST_SKIP() << "built without CUDA or without CUPTI";
    place.writeScript("bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 580.1, 9.0'\n");
    place.writeScript("bin/nvcc", kStandInCompiler);
    place.writeScript("bin/g++", kStandInCompiler);
    place.write("main.cu", kBodies);
  }

  /// A trace of the files, for the stand-in of the program with probes.
  void trace(const std::string &files) {
    ASSERT_EQ(place.relayout("instrument " + files + " -o lowered").exitCode, 0);
    ASSERT_EQ(place.relayout("run lowered -o cpu.rlt").exitCode, 0);
  }

  Outcome onGpu(const std::string &arguments, const std::string &settings = "") const {
    return place.shell("export CALLS=$PWD/calls TRACE=$PWD/cpu.rlt PATH=$PWD/bin:$PATH " +
                       settings + "\nrelayout " + arguments);
  }

  Outcome optimize(const std::string &settings, const std::string &options = "") {
    trace("main.cu");
    return onGpu("optimize main.cu -q -o out --on gpu --runs 3 --policy nakai " + options,
                 settings);
  }

  const Workplace place;
};

TEST_F(OnGpu, OneCommandTracesComparesTimesAndKeepsTheFastest) {
  trace("main.cu");
  const Outcome outcome = onGpu("optimize main.cu -o out -- 4096");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("on NVIDIA H200: traced, compared and timed there"))
      << "a GPU that is there is used, and it says so";
  EXPECT_THAT(outcome.err, HasSubstr("[7/7]"));
  EXPECT_THAT(outcome.out, HasSubstr("moved 4096"));
  EXPECT_THAT(outcome.out, HasSubstr("Measured on NVIDIA H200"));
  EXPECT_THAT(outcome.out, HasSubstr("<- kept"));
  EXPECT_THAT(outcome.out, HasSubstr("verified on NVIDIA H200: 1 copy, 64 bytes, identical"));
  EXPECT_TRUE(place.has("out/rewritten/main.cu"));
  const auto report = nlohmann::json::parse(place.read("out/report.json"));
  EXPECT_EQ(report["predictedFor"], "NVIDIA H200") << "the file that fits the device";
  EXPECT_EQ(report["measuredRuns"], 5);
  EXPECT_THAT(place.read("out/plan.json"), HasSubstr("measured 5.0000 ms instead of 10.0000 ms"));
  EXPECT_FALSE(place.has("out/original")) << "nothing ran on the CPU";
}

TEST_F(OnGpu, AGpuWithoutAMachineFileIsPredictedWithASimilarOne) {
  place.writeScript("bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200 NVL, 580.1, 9.0'\n");
  trace("main.cu");
  const Outcome outcome = onGpu("optimize main.cu -q -o out --on gpu --runs 1");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto report = nlohmann::json::parse(place.read("out/report.json"));
  EXPECT_EQ(report["predictedFor"], "NVIDIA H200 NVL (as NVIDIA H200)");
  EXPECT_EQ(report["calibrated"], false);
}

TEST_F(OnGpu, AGainWithinNoiseLeavesTheProgramAsItIs) {
  const Outcome outcome = optimize("REWRITTEN_NS=9950000");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("left as it is"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing to rewrite"));
  EXPECT_FALSE(place.has("out/rewritten"));
}

TEST_F(OnGpu, ALayoutThatWasAskedForStays) {
  trace("main.cu");
  const std::string command = "optimize main.cu -q -o out --on gpu --layout soa";
  const Outcome slow = onGpu(command, "REWRITTEN_NS=20000000");
  EXPECT_EQ(slow.exitCode, 0) << slow.err;
  EXPECT_THAT(slow.out, HasSubstr("verified on NVIDIA H200"));
  EXPECT_TRUE(place.has("out/rewritten/main.cu"));
  const Outcome wrong = onGpu(command, "COPIES='echo 64 $rewritten'");
  EXPECT_EQ(wrong.exitCode, 1);
  EXPECT_THAT(wrong.err, HasSubstr("[RL-V01]"));
}

TEST_F(OnGpu, AProgramThatFailsAfterTheRewriteIsLeftAsItIs) {
  const Outcome outcome = optimize("REWRITTEN_EXIT=7");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the run of 'choice' ended with exit code 7"));
  EXPECT_THAT(outcome.out, HasSubstr("left as it is"));
}

TEST_F(OnGpu, AVersionThatCopiesOtherBytesIsNotKept) {
  const Outcome outcome = optimize("COPIES='echo 64 $rewritten'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: 'choice' computes something else on the GPU"));
  EXPECT_THAT(outcome.out, HasSubstr("left as it is"));
}

/// The copies differ unless both versions are built without FMA contraction.
constexpr const char *kContracted =
    "COPIES='[ $without_fma = 1 ] && echo 64 same || echo 64 $rewritten'";

TEST_F(OnGpu, AVersionThatDiffersByFmaContractionIsKept) {
  const Outcome outcome = optimize(kContracted);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("computes something else")));
  EXPECT_THAT(outcome.out, HasSubstr("verified on NVIDIA H200: 1 copy, 64 bytes, identical\n"
                                     "both were built with -fmad=false"));
  ASSERT_EQ(place.relayout("rewrite main.cu --layout soa -o new").exitCode, 0);
  const Outcome verified = onGpu("verify main.cu new/main.cu --on gpu", kContracted);
  EXPECT_EQ(verified.exitCode, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("both were built with -fmad=false"));
}

TEST_F(OnGpu, CopiesThatVaryBetweenRunsOfTheOriginalAreNotCompared) {
  const Outcome partly = optimize("COPIES='echo 64 same; echo 128 $$'");
  EXPECT_EQ(partly.exitCode, 0) << partly.err;
  EXPECT_THAT(partly.out, HasSubstr("verified on NVIDIA H200: 1 copy, 64 bytes, identical\n"
                                    "not comparable: 1 more copy, which varies between runs of "
                                    "the original"));
  const std::string command = "optimize main.cu -q -o out --on gpu";
  const Outcome wholly = onGpu(command, "COPIES='echo 64 $$'");
  EXPECT_EQ(wholly.exitCode, 0) << wholly.err;
  EXPECT_THAT(wholly.out, HasSubstr("\nverified: 1 copy, 65,536 bytes, identical\n"
                                    "compared on the CPU: on the GPU, "));
  const Outcome nowhere = onGpu(command, "FAILS=1 COPIES='echo 64 $$'");
  EXPECT_EQ(nowhere.exitCode, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("[RL-V07]"));
  EXPECT_THAT(nowhere.err, HasSubstr("nor can they be compared on the CPU: the program from "));
  const Outcome none = onGpu(command, "COPIES=true");
  EXPECT_EQ(none.exitCode, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("compared on the CPU: on the GPU, the program copies nothing"));
  const Outcome nothing = onGpu(command, "FAILS=1 COPIES=true");
  EXPECT_EQ(nothing.exitCode, 1);
  EXPECT_THAT(nothing.err, HasSubstr("[RL-V02]"));
}

TEST_F(OnGpu, ARunWithoutKernelTimesIsAnError) {
  const Outcome outcome = optimize("NO_TIMES=1");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-G04]"));
}

TEST_F(OnGpu, WhatDoesNotCompileIsNamedWithItsLog) {
  const Outcome outcome = optimize("BROKEN=1");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-G06]"));
  EXPECT_THAT(outcome.err, HasSubstr("'main.cu' does not compile"));
}

TEST_F(OnGpu, WithoutAGpuTheCpuServesUnlessAGpuIsAskedFor) {
  place.writeScript("bin/nvidia-smi", "#!/bin/sh\nexit 9\n");
  const Outcome asked = onGpu("optimize main.cu -o out --on gpu");
  EXPECT_EQ(asked.exitCode, 1);
  EXPECT_THAT(asked.err, HasSubstr("[RL-G05]"));
  EXPECT_THAT(asked.err, HasSubstr("'--on cpu' runs the program on the CPU instead"));
  EXPECT_EQ(onGpu("verify main.cu main.cu --on gpu").exitCode, 1);
  const Outcome automatic = onGpu("optimize main.cu -o out --policy nakai");
  EXPECT_EQ(automatic.exitCode, 0) << automatic.err;
  EXPECT_THAT(automatic.err, HasSubstr("on the CPU: no GPU was found"));
  EXPECT_THAT(automatic.out, HasSubstr("verified: 1 copy"));
}

TEST_F(OnGpu, EachUnitIsBuiltWithItsOwnCompilerAndFlags) {
  const std::string folder = place.shell("pwd").out.substr(0, place.shell("pwd").out.size() - 1);
  place.write("include/bodies.h", "struct Body { float x, y, z, mass; };\n"
                                  "void advance(Body *bodies, int n);\n");
  place.write("src/advance.cu",
              "#include \"bodies.h\"\n"
              "__global__ void move(Body *bodies, int n) {\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  if (i < n) bodies[i].x += STEP;\n"
              "}\n"
              "void advance(Body *bodies, int n) { move<<<16, 256>>>(bodies, n); }\n");
  place.write("src/main.cpp", "#include \"bodies.h\"\n"
                              "#include <cuda_runtime.h>\n"
                              "int main() {\n"
                              "  static Body host[4096];\n"
                              "  Body *bodies;\n"
                              "  cudaMalloc((void **)&bodies, sizeof(host));\n"
                              "  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);\n"
                              "  advance(bodies, 4096);\n"
                              "  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);\n"
                              "}\n");
  const auto entry = [&](const std::string &compiler, const std::string &file) {
    return "{\"directory\": \"" + folder + "/src\", \"file\": \"" + file + "\", \"command\": \"" +
           compiler + " -I../include -MD -MF x.d -o x.o -c " + file + "\"}";
  };
  place.write("compile_commands.json", "[" + entry("nvcc -arch=sm_80 -DSTEP=2", "advance.cu") +
                                           ",\n" + entry("g++ -O1 -fopenmp", "main.cpp") + "]\n");
  trace("-p .");
  const Outcome outcome = onGpu("optimize -p . -q -o out --on gpu --runs 1 --policy nakai");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err << place.read("calls");
  EXPECT_THAT(outcome.out, HasSubstr("verified on NVIDIA H200"));
  EXPECT_THAT(outcome.out, HasSubstr("2 units compile: 2 with the project's compilers"));
  const std::string calls = place.read("calls");
  EXPECT_THAT(calls, HasSubstr("nvcc -arch=sm_80 -DSTEP=2 -I../include " + folder +
                               "/src/advance.cu -c -o "));
  EXPECT_THAT(calls, HasSubstr("g++ -O1 -fopenmp -I../include " + folder + "/src/main.cpp -c -o "));
  EXPECT_THAT(calls, HasSubstr("nvcc -I " + folder + "/out/measure/choice/include -arch=sm_80"))
      << "a rewritten unit finds its headers beside it";
  EXPECT_THAT(place.read("out/traced/unit1/src/main.cpp"),
              HasSubstr("(::relayout::probe::named(\"main::bodies\"), cudaMalloc("))
      << "the host unit names what it allocates";
  EXPECT_THAT(calls, HasSubstr("-Xcompiler=-fopenmp")) << "the link has the host's libraries";
}

TEST_F(OnGpu, RecordPaddingIsLeftOut) {
  std::string padded = kBodies;
  padded.replace(padded.find("mass;"), 5, "mass; char kind;");
  place.write("main.cu", padded);
  // Without the file of the run that says what is padding, all copies differ from run to run.
  const Outcome outcome = optimize("COPIES='if grep -q :3 \"$RELAYOUT_COPY_PADDING\"; then echo 64 "
                                   "same 12; else echo 64 $$ 12 20 17:3; fi'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr("1 copy, 52 bytes, identical (12 bytes of record padding and addresses left "
                "out)"));
  EXPECT_THAT(place.read("calls"), HasSubstr("-lrelayout_copies"));
  EXPECT_THAT(place.read("out/measure/padding-noted/unit0/main.cu"),
              HasSubstr("(::relayoutNoteRecord(20u, \"17:3\"), cudaMemcpy(host"));
}

TEST_F(OnGpu, VerifyRunsTheOriginalTwice) {
  ASSERT_EQ(place.relayout("rewrite main.cu --layout soa -o new").exitCode, 0);
  const std::string verify = "verify main.cu new/main.cu --on gpu";
  const Outcome same = onGpu(verify);
  EXPECT_EQ(same.exitCode, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("verified on NVIDIA H200: 1 copy, 64 bytes, identical"));
  const Outcome other = onGpu(verify, "COPIES='echo 64 $rewritten'");
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_THAT(other.err, HasSubstr("[RL-V01]"));
  const Outcome partly = onGpu(verify, "COPIES='echo 64 same; echo 64 $$'");
  EXPECT_EQ(partly.exitCode, 0) << partly.err;
  EXPECT_THAT(partly.out, HasSubstr("not comparable: 1 more copy"));
  const Outcome failing = onGpu(verify, "REWRITTEN_EXIT=3");
  EXPECT_EQ(failing.exitCode, 1);
  EXPECT_THAT(failing.err, HasSubstr("[RL-X04]"));
}

} // namespace
} // namespace relayout::test
