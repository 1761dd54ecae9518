// SPDX-License-Identifier: Apache-2.0
// `relayout batch`: the files it reads, failing programs among others, resuming, and
// the samples as a whole.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace relayout::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Adds one field of many to a sum; `BODY` is in main before the copy back.
constexpr const char *kProgram = R"(
#include <cstdio>
#include <cstdlib>
struct Grain { float x, y, z, mass, heat, age, size, sum; };
__global__ void gather(Grain *grains, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    grains[i].sum += grains[i].mass;
}
int main() {
  const int n = 1 << 16;
  static Grain host[n];
  Grain *device;
  for (int i = 0; i < n; ++i)
    host[i].mass = float(i);
  cudaMalloc(&device, n * sizeof(Grain));
  cudaMemcpy(device, host, n * sizeof(Grain), cudaMemcpyHostToDevice);
  for (int k = 0; k < 40; ++k)
    gather<<<n / 128, 128>>>(device, n);
  BODY
  cudaMemcpy(host, device, n * sizeof(Grain), cudaMemcpyDeviceToHost);
  std::printf("%.1f updates\n", double(n));
}
)";

std::string programWith(const std::string &body) {
  std::string text = kProgram;
  return text.replace(text.find("BODY"), 4, body);
}

json batchFile(const std::string &name, const std::string &source) {
  return {{"programs",
           {{{"name", name},
             {"sources", {source}},
             {"figure", "([0-9.]+) updates"},
             {"unit", "updates"},
             {"layouts", {"soa"}}}}}};
}

json variantOf(const json &results, const std::string &program, const std::string &name) {
  for (const json &row : results["programs"])
    if (row["program"] == program)
      for (const json &variant : row["variants"])
        if (variant["name"] == name)
          return variant;
  return {};
}

class Batch : public testing::Test {
protected:
  void add(const std::string &folder, const std::string &body) {
    place.write("programs/" + folder + "/main.cu", programWith(body));
    place.write("programs/" + folder + "/batch.json", batchFile(folder, "main.cu").dump());
  }

  Outcome run(const std::string &more = "") {
    return place.relayout("batch programs -o out --cpu " + more);
  }

  [[nodiscard]] json results() const { return json::parse(place.read("out/results.json")); }

  Workplace place;
};

TEST_F(Batch, TracesDecidesRewritesAndVerifies) {
  add("grains", "");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  const json found = results();
  EXPECT_EQ(found["summary"]["all_verified"], true);
  EXPECT_EQ(variantOf(found, "grains", "soa")["state"], "verified");
  EXPECT_EQ(found["summary"]["choices"]["grains"]["nakai"], "Grain: SoA");
  EXPECT_EQ(found["notMeasured"], "--cpu was given");
  EXPECT_THAT(place.read("out/results.md"), HasSubstr("| grains | soa |"));
  EXPECT_THAT(place.read("out/results.md"), HasSubstr("- grains, replay: Grain: replay predicts "));
}

TEST_F(Batch, AProgramThatFailsDoesNotStopTheOthers) {
  add("broken", "gather<<<1, 128>>>(nullptr, n);");
  add("grains", "");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exitCode, 1);
  const json found = results();
  EXPECT_EQ(found["summary"]["all_verified"], false);
  EXPECT_THAT(found["programs"][0]["failure"].get<std::string>(),
              HasSubstr("touches an address that is not mapped"));
  EXPECT_THAT(found["programs"][0]["failure"].get<std::string>(),
              HasSubstr("'out/broken/logs/trace.txt' has all it said"));
  EXPECT_EQ(variantOf(found, "grains", "soa")["state"], "verified");
}

const std::string kHang = "for (volatile int k = 0;; ++k) {}";

TEST_F(Batch, AProgramThatDoesNotEndIsEnded) {
  add("endless", kHang);
  const Outcome outcome = run("--limit 5");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(results()["programs"][0]["failure"].get<std::string>(),
              HasSubstr("timed out after 5 s (see --limit)"));
}

/// Processes with this in their command line.
int processesNamed(const std::string &words) {
  int found = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line(std::istreambuf_iterator<char>(file), {});
    found += line.find(words) != std::string::npos;
  }
  return found;
}

TEST_F(Batch, AnInterruptEndsWhatItRunsAndKeepsWhatIsFinished) {
  const std::string name = "endless-" + std::to_string(getpid());
  add("a-grains", "");
  add(name, kHang);
  const Outcome outcome = place.shell("{ relayout batch programs -o out --cpu -j 1 --limit 120 & "
                                      "batch=$!; until [ -s out/a-grains/result.json ] && "
                                      "[ -s out/" +
                                      name +
                                      "/traced/sites.json ] || ! kill -0 $batch; do sleep 1; done; "
                                      "kill -INT $batch; wait; }");
  EXPECT_THAT(outcome.err, HasSubstr("the same command goes on with what is left"));
  for (int tenths = 0; processesNamed(name) != 0 && tenths < 20; ++tenths)
    usleep(100'000); // what was killed takes a moment to go
  EXPECT_EQ(processesNamed(name), 0);
  EXPECT_THAT(place.relayout("batch programs -o out --cpu --limit 1").err,
              HasSubstr("a-grains: nakai: Grain: SoA; replay: Grain: SoA (from an earlier run)"));
}

TEST_F(Batch, ARefusalIsAResultWithItsPlace) {
  add("grains", "float *first = &device->x; (void)first;");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  const json soa = variantOf(results(), "grains", "soa");
  EXPECT_EQ(soa["state"], "refused");
  EXPECT_THAT(soa["text"].get<std::string>(), HasSubstr("main.cu:"));
  EXPECT_THAT(soa["text"].get<std::string>(), HasSubstr("[RL-R"));
}

TEST_F(Batch, ResumesUnlessSomethingChanged) {
  add("grains", "");
  add("others", "");
  EXPECT_EQ(run().exitCode, 0);
  const std::string before = place.read("out/results.json");
  Outcome again = run();
  EXPECT_EQ(again.exitCode, 0);
  EXPECT_THAT(again.err, HasSubstr("grains: "));
  EXPECT_THAT(again.err, HasSubstr("(from an earlier run)"));
  EXPECT_EQ(place.read("out/results.json"), before);

  place.write("programs/grains/main.cu", programWith("// changed"));
  again = run();
  const std::size_t grains = again.err.find("grains: "), others = again.err.find("others: ");
  EXPECT_EQ(again.err.substr(grains, again.err.find('\n', grains) - grains).find("earlier run"),
            std::string::npos);
  EXPECT_NE(again.err.substr(others, again.err.find('\n', others) - others).find("earlier run"),
            std::string::npos);
  EXPECT_THAT(run("--again").err, Not(HasSubstr("earlier run")));
}

TEST_F(Batch, AHeaderElsewhereIsPartOfTheProgram) {
  add("grains", "");
  const std::string text = place.read("programs/grains/main.cu");
  const std::size_t begin = text.find("struct Grain"), end = text.find('\n', begin);
  std::string including = text;
  place.write("programs/grains/main.cu",
              including.replace(begin, end - begin, "#include \"../parts/grain.h\""));
  place.write("programs/parts/grain.h",
              "#pragma once\n#include <order.h>\n" + text.substr(begin, end - begin) + "\n");
  place.write("headers/order.h", "");
  json file = batchFile("grains", "main.cu");
  file["programs"][0]["flags"] = {"-I", "headers"};
  file["programs"][0]["layouts"] = {"aosoa-32", "aosoa-64"};
  place.write("programs/grains/batch.json", file.dump());
  EXPECT_EQ(run().exitCode, 0);
  for (const char *tiled : {"aosoa-32", "aosoa-64"})
    EXPECT_EQ(variantOf(results(), "grains", tiled)["sameAs"], "")
        << "they differ in the header of the record only";
  EXPECT_THAT(run().err, HasSubstr("earlier run"));
  place.write("programs/grains/notes.txt", "of no program");
  EXPECT_THAT(run().err, HasSubstr("earlier run"));
  place.write("headers/order.h", "// changed");
  EXPECT_THAT(run().err, Not(HasSubstr("earlier run")));
}

TEST_F(Batch, AStepThatFailedIsTriedAgain) {
  add("grains", "if (std::getenv(\"FAIL\") && __builtin_strstr(std::getenv(\"RELAYOUT_TRACE\"), "
                "\"verify\")) return 5;");
  EXPECT_EQ(place.shell("FAIL=1 relayout batch programs -o out --cpu").exitCode, 1);
  EXPECT_EQ(variantOf(results(), "grains", "soa")["state"], "failed");
  EXPECT_EQ(run().exitCode, 0);
  EXPECT_EQ(variantOf(results(), "grains", "soa")["state"], "verified");
}

TEST_F(Batch, APartOfAnEarlierResultIsMadeAnew) {
  add("grains", "");
  EXPECT_EQ(run().exitCode, 0);
  place.write("out/grains/result.json", place.read("out/grains/result.json").substr(0, 100));
  const Outcome again = run();
  EXPECT_EQ(again.exitCode, 0);
  EXPECT_THAT(again.err, Not(HasSubstr("earlier run")));
}

TEST_F(Batch, OnlyTheProgramsAskedFor) {
  add("grains", "");
  add("others", "");
  EXPECT_EQ(run("--only others").exitCode, 0);
  EXPECT_EQ(results()["programs"].size(), 1u);
  const Outcome unknown = run("--only stones");
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_THAT(unknown.err, HasSubstr("[RL-B04]"));
}

TEST_F(Batch, BadFilesAreErrorsWithTheirPlace) {
  const auto errorOf = [this](const json &file) {
    place.write("programs/p/batch.json", file.dump());
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.err, HasSubstr("programs/p/batch.json: error: "));
    EXPECT_FALSE(place.has("out"));
    return outcome.err;
  };
  place.write("programs/p/main.cu", programWith(""));
  EXPECT_THAT(errorOf(json::array()), HasSubstr("[RL-B01]"));
  EXPECT_THAT(errorOf({{"programs", json::array()}}), HasSubstr("[RL-B01]"));
  EXPECT_THAT(errorOf(batchFile("p", "other.cu")),
              HasSubstr("'programs/p/other.cu', which does not exist"));
  json file = batchFile("p", "main.cu");
  file["programs"][0]["smal"] = json::array();
  EXPECT_THAT(errorOf(file), HasSubstr("'smal'"));
  file = batchFile("p", "main.cu");
  file["programs"][0]["figure"] = "[0-9.]+ updates";
  EXPECT_THAT(errorOf(file), HasSubstr("no group"));
  file["programs"][0]["figure"] = "([0-9.]+ updates";
  EXPECT_THAT(errorOf(file), HasSubstr("not a regular expression"));
  file = batchFile("../p", "main.cu");
  EXPECT_THAT(errorOf(file), HasSubstr("name of a folder"));
  file = batchFile("p", "main.cu");
  file["programs"].push_back(file["programs"][0]);
  place.write("programs/p/batch.json", file.dump());
  EXPECT_THAT(run().err, HasSubstr("[RL-B03]"));
}

TEST_F(Batch, AFolderWithoutFilesIsAnError) {
  place.write("programs/main.cu", "");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-B02]"));
}

/// Stands for a GPU: nvcc makes a script that prints how many views the source has as its figure of
/// merit, and notes one copy, which differs where the source says so.
constexpr const char *kFakeNvcc = R"(#!/bin/sh
for word; do [ "$word" = --version ] && { echo "release 13.0, V13.0.88"; exit 0; }; done
while [ $# -gt 0 ]; do
  case $1 in
    -o) shift; out=$1 ;;
    *.cu) source=$1 ;;
  esac
  shift
done
figure=$(( 100 + $(grep -c View "$source") ))
copy=$(grep -c 'WRONG.*View' "$source")
cat > "$out" <<END
#!/bin/sh
[ -n "\$FAIL" ] && exit 7
[ -n "\$RELAYOUT_COPIES" ] && echo "64 $copy" > "\$RELAYOUT_COPIES"
echo "$figure updates"
END
chmod +x "$out"
)";

const std::string kWithGpu = "PATH=$PWD/bin:$PATH relayout ";

TEST_F(Batch, MeasuresWhereThereIsAGpu) {
  place.writeScript("bin/nvcc", kFakeNvcc);
  place.writeScript("bin/nvidia-smi", "#!/bin/sh\necho 'Stand-in GPU, 1.2.3'\n");
  add("grains", "");
  place.write("programs/grains/tuned.cu", "");
  json file = batchFile("grains", "main.cu");
  file["programs"][0]["handTuned"] = {
      {{"source", "tuned.cu"},
       {"figures", {{"by hand", "([0-9]+) updates"}, {"missing", "([0-9]+) apples"}}}}};
  place.write("programs/grains/batch.json", file.dump());
  const Outcome outcome = place.shell(kWithGpu + "batch programs -o out --runs 3");
  EXPECT_EQ(outcome.exitCode, 1) << "a figure of merit is missing";
  const json found = results();
  EXPECT_EQ(found["machine"]["gpu"], "Stand-in GPU");
  const json original = variantOf(found, "grains", "original");
  EXPECT_EQ(original["figures"], json({100.0, 100.0, 100.0}));
  const json soa = variantOf(found, "grains", "soa");
  EXPECT_EQ(soa["verifiedOnGpu"], true);
  EXPECT_GT(soa["figures"][0], 100.0);
  EXPECT_EQ(variantOf(found, "grains", "nakai")["sameAs"], "soa");
  EXPECT_EQ(variantOf(found, "grains", "by hand")["figures"].size(), 3u);
  EXPECT_THAT(variantOf(found, "grains", "missing")["gpuText"].get<std::string>(),
              HasSubstr("no figure of merit"));
  const double ratio = found["summary"]["speedup_over_aos"]["nakai"]["grains"];
  EXPECT_NEAR(ratio, soa["figures"][0].get<double>() / 100, 1e-3);
  EXPECT_THAT(found["programs"][0]["traced"].get<std::string>(),
              HasSubstr("on the CPU, as on the GPU"));
  EXPECT_EQ(found["summary"]["fastest"]["grains"], "soa");
  EXPECT_EQ(found["summary"]["fastest_over_choice"]["nakai"]["grains"], 1.0);
  EXPECT_THAT(place.read("out/results.md"),
              HasSubstr("Fastest: soa (Grain: SoA), 1.000 times nakai's choice"));
  EXPECT_TRUE(place.has("out/speedup.vl.json"));
  EXPECT_THAT(place.shell(kWithGpu + "batch programs -o out --runs 3").err,
              HasSubstr("measured by an earlier run"));
}

TEST_F(Batch, AVariantThatCopiesOtherBytesIsNotTimed) {
  place.writeScript("bin/nvcc", kFakeNvcc);
  place.writeScript("bin/nvidia-smi", "#!/bin/sh\necho 'Stand-in GPU, 1.2.3'\n");
  add("grains", "/* WRONG */ Grain *alias = device; (void)alias;");
  const Outcome outcome = place.shell(kWithGpu + "batch programs -o out --runs 1");
  EXPECT_EQ(outcome.exitCode, 1);
  const json soa = variantOf(results(), "grains", "soa");
  EXPECT_EQ(soa["verifiedOnGpu"], false);
  EXPECT_EQ(soa["figures"].size(), 0u);
  EXPECT_EQ(results()["summary"]["all_verified"], false);
}

TEST_F(Batch, ARunThatFailedOnTheGpuIsTriedAgain) {
  place.writeScript("bin/nvcc", kFakeNvcc);
  place.writeScript("bin/nvidia-smi", "#!/bin/sh\necho 'Stand-in GPU, 1.2.3'\n");
  add("grains", "");
  const std::string batch = kWithGpu + "batch programs -o out --runs 1";
  EXPECT_EQ(place.shell("export FAIL=1 && " + batch).exitCode, 1);
  EXPECT_THAT(variantOf(results(), "grains", "original")["gpuText"].get<std::string>(),
              HasSubstr("exit code 7"));
  EXPECT_EQ(place.shell(batch).exitCode, 0);
  EXPECT_EQ(variantOf(results(), "grains", "original")["figures"].size(), 1u);
}

TEST_F(Batch, EverySampleVerifiesInEveryLayout) {
  const Outcome outcome = place.relayout("batch " + samples() + " -o out --cpu");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  const json found = results();
  EXPECT_EQ(found["summary"]["all_verified"], true);
  EXPECT_GE(found["programs"].size(), 9u);
  for (const json &program : found["programs"])
    for (const json &variant : program["variants"])
      EXPECT_NE(variant["state"], "refused") << program["program"] << ' ' << variant;
}

} // namespace
} // namespace relayout::test
