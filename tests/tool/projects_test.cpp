// SPDX-License-Identifier: Apache-2.0
// Projects as their builds have them: read from compile_commands.json, optimised, written, and
// built again by their own build.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;

const char *const kProjects = RELAYOUT_SOURCE_DIR "/tests/projects";

bool hasNvcc() {
  return Workplace().shell("PATH=$PATH:/usr/local/cuda/bin command -v nvcc").exitCode == 0;
}

/// The units of the CMake project as CMake writes them, without a compiler to ask.
std::string databaseOf(const std::string &folder) {
  std::string text = "[";
  const auto add = [&](const char *compiler, const char *flags, const char *target,
                       const char *file) {
    text += std::string(text.size() == 1 ? "" : ",") + "{\"directory\": \"" + folder +
            "/build\", \"file\": \"" + folder + "/" + file + "\", \"output\": \"CMakeFiles/" +
            target + ".dir/" + file + ".o\", \"command\": \"" + compiler + " " + flags +
            " -o CMakeFiles/" + target + ".dir/" + file + ".o -c " + folder + "/" + file + "\"}\n";
  };
  const std::string nvcc = "-forward-unknown-to-host-compiler --options-file includes.rsp "
                           "--generate-code=arch=compute_90,code=[compute_90,sm_90] -x cu";
  add("no-such-nvcc", nvcc.c_str(), "wind", "lib/wind.cu");
  add("no-such-g++", "-I../include -std=gnu++17", "drifters", "src/main.cpp");
  add("no-such-nvcc", nvcc.c_str(), "drifters", "src/memory.cu");
  add("no-such-nvcc", nvcc.c_str(), "drifters", "src/move.cu");
  return text + "]\n";
}

TEST(Projects, UnitsAndFlagsComeFromTheDatabase) {
  const Workplace place;
  ASSERT_EQ(
      place.shell(std::string("cp -r ") + kProjects + "/cmake . && mkdir cmake/build").exitCode, 0);
  std::string folder = place.shell("pwd").out;
  folder.pop_back();
  folder += "/cmake";
  place.write("cmake/build/compile_commands.json", databaseOf(folder));
  place.write("cmake/build/includes.rsp", "-I\"" + folder + "/include\" -I" + folder + "/lib\n");
  const Outcome unknown = place.relayout("optimize -p cmake/build --target sails");
  EXPECT_EQ(unknown.exitCode, 2) << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("drifters, wind"));
  const Outcome outcome = place.relayout(
      "optimize -p cmake/build --target drifters --target wind --policy nakai -o out -- 500");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  EXPECT_THAT(outcome.out, HasSubstr("4 units compile: 4 parsed by Clang"));
  // The output mirrors the tree; the shared header is edited once.
  EXPECT_TRUE(place.has("out/rewritten/src/main.cpp"));
  EXPECT_TRUE(place.has("out/rewritten/include/drifter_layout.h"));
  EXPECT_THAT(place.read("out/rewritten/include/drifters.h"),
              HasSubstr("#include \"drifter_layout.h\""));
}

/// As CMake's files for make say it; for those of ninja see CMakeProject.
TEST(Projects, TargetsComeWithTheirLibraries) {
  const Workplace place;
  ASSERT_EQ(
      place.shell(std::string("cp -r ") + kProjects + "/cmake . && mkdir cmake/build").exitCode, 0);
  std::string folder = place.shell("pwd").out;
  folder.pop_back();
  folder += "/cmake";
  place.write("cmake/build/includes.rsp", "-I\"" + folder + "/include\" -I" + folder + "/lib\n");
  place.write("cmake/build/CMakeFiles/wind.dir/link.txt",
              "/usr/bin/ar qc libwind.a CMakeFiles/wind.dir/lib/wind.cu.o\n"
              "/usr/bin/ranlib libwind.a\n");
  const std::string drifters = "CMakeFiles/drifters.dir/src/main.cpp.o "
                               "CMakeFiles/drifters.dir/src/memory.cu.o";
  place.write("cmake/build/CMakeFiles/drifters.dir/link.txt",
              "/usr/bin/c++ -O3 @CMakeFiles/drifters.dir/objects1 -o drifters libwind.a -lm\n");
  place.write("cmake/build/CMakeFiles/drifters.dir/objects1", drifters);
  std::string database = databaseOf(folder);
  place.write("cmake/build/compile_commands.json", database);
  const Outcome outcome =
      place.relayout("optimize -p cmake/build --target drifters --policy nakai -o out -- 500");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("4 units compile"));
  EXPECT_THAT(outcome.err, HasSubstr("wind.cu and 3 more"));
  database.replace(database.rfind(']'), 1,
                   ",{\"directory\": \"" + folder + "/build\", \"file\": \"" + folder +
                       "/src/main.cpp\", \"output\": \"CMakeFiles/floats.dir/main.cpp.o\", "
                       "\"command\": \"no-such-g++ -c main.cpp\"}]");
  place.write("cmake/build/compile_commands.json", database);
  place.write("cmake/build/CMakeFiles/floats.dir/link.txt",
              "/usr/bin/c++ CMakeFiles/floats.dir/main.cpp.o -o floats\n");
  const Outcome several = place.relayout("optimize -p cmake/build -o out -- 500");
  EXPECT_EQ(several.exitCode, 2) << several.err;
  EXPECT_THAT(several.err, HasSubstr("of 2 programs; name one with --target: drifters, floats"));
  // All of them may be rewritten together, as they share headers.
  EXPECT_EQ(place.relayout("rewrite -p cmake/build --layout soa -o both").exitCode, 0);
}

TEST(Projects, WhatAFileInCDefinesHasNoView) {
  const Workplace place;
  place.write("cell.h", "struct Cell { float x, y; };\n"
                        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                        "extern struct Cell *cells;\nvoid run(void);\n"
                        "#ifdef __cplusplus\n}\n#endif\n");
  place.write("main.c", "#include \"cell.h\"\nstruct Cell *cells;\n"
                        "int main(void) { run(); return 0; }\n");
  place.write("run.cu", "#include \"cell.h\"\n"
                        "__global__ void step(Cell *c) { c[threadIdx.x].x += 1; }\n"
                        "void run() {\n"
                        "  Cell h[32] = {};\n"
                        "  cudaMalloc(&cells, sizeof(h));\n"
                        "  step<<<1, 32>>>(cells);\n"
                        "  cudaMemcpy(h, cells, sizeof(h), cudaMemcpyDeviceToHost);\n"
                        "}\n");
  const Outcome outcome = place.relayout("rewrite run.cu main.c --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'cells' is defined in a C file, which has no views"));
  EXPECT_THAT(outcome.err, HasSubstr("define it in a CUDA or C++ file"));
}

TEST(Projects, ProgramsRunInTheFolderThatIsNamed) {
  const Workplace place;
  place.write("input/count.txt", "32");
  place.write("main.cu", "#include <cstdio>\nstruct Body { float x, y; };\n"
                         "__global__ void k(Body *b) { b[threadIdx.x].x = 1; }\n"
                         "int main() {\n"
                         "  int n = 0;\n"
                         "  FILE *file = fopen(\"count.txt\", \"r\");\n"
                         "  if (!file || fscanf(file, \"%d\", &n) != 1) return 1;\n"
                         "  Body *b, h[32];\n"
                         "  cudaMalloc(&b, sizeof(h));\n"
                         "  k<<<1, n>>>(b);\n"
                         "  cudaMemcpy(h, b, sizeof(h), cudaMemcpyDeviceToHost);\n"
                         "}\n");
  EXPECT_EQ(place.relayout("optimize main.cu --layout soa -o out").exitCode, 1);
  const Outcome outcome = place.relayout("optimize main.cu --layout soa -o out --workdir input");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
  EXPECT_FALSE(place.has("input/out"));
}

TEST(Projects, TwoRunsInOneFolderFollowEachOther) {
  const Workplace place;
  place.shell("mkdir out");
  const Outcome outcome = place.shell("(flock out sleep 3 &) ; sleep 0.2; relayout optimize " +
                                      sample("drift") + " -o out -- --check");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("waiting: another relayout works in 'out'"));
}

struct CMakeCase {
  const char *generator;
  const char *rdc;
};

class CMakeProject : public testing::TestWithParam<CMakeCase> {};

TEST_P(CMakeProject, IsBuiltByItsOwnBuildAfterTheRewrite) {
  if (!hasNvcc())
    GTEST_SKIP() << "no nvcc here";
  const Workplace place;
  const std::string configure =
      std::string("PATH=$PATH:/usr/local/cuda/bin cmake -S . -B build -G '") +
      GetParam().generator + "' -DRDC=" + GetParam().rdc;
  ASSERT_EQ(place.shell(std::string("cp -r ") + kProjects + "/cmake .").exitCode, 0);
  const Outcome configured = place.shell("cd cmake && " + configure);
  ASSERT_EQ(configured.exitCode, 0) << configured.out << configured.err;
  // The library that it is linked from comes along.
  const Outcome outcome =
      place.relayout("optimize -p cmake/build --target drifters --policy nakai -o out -- 500");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
  EXPECT_THAT(outcome.out, HasSubstr("4 units compile: 4 with the project's compilers"));
  const Outcome built =
      place.shell("cp -r out/rewritten/. cmake/ && cd cmake && cmake --build build");
  EXPECT_EQ(built.exitCode, 0) << built.out << built.err;
  EXPECT_TRUE(place.has("cmake/build/drifters"));
}

INSTANTIATE_TEST_SUITE_P(Generators, CMakeProject,
                         testing::Values(CMakeCase{"Ninja", "OFF"},
                                         CMakeCase{"Unix Makefiles", "ON"}),
                         [](const auto &instance) {
                           return std::string(instance.param.rdc) == "ON" ? "MakefilesRdc"
                                                                          : "Ninja";
                         });

TEST(Projects, AMakeProjectIsBuiltByMakeAfterTheRewrite) {
  const Workplace place;
  ASSERT_EQ(place.shell(std::string("cp -r ") + kProjects + "/make .").exitCode, 0);
  const Outcome outcome =
      place.relayout("optimize make/main.cpp make/grid.cu -Imake/include --policy nakai -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
  if (!hasNvcc())
    GTEST_SKIP() << "no nvcc here: the rewritten project is not built";
  const Outcome built = place.shell(
      "cp -r out/rewritten/. make/ && cd make && PATH=$PATH:/usr/local/cuda/bin make && make");
  EXPECT_EQ(built.exitCode, 0) << built.out << built.err;
  EXPECT_TRUE(place.has("make/heat"));
  EXPECT_THAT(place.read("make/grid.d"), HasSubstr("cell_layout.h"));
}

/// A program of two units, one of them C++ for the host, below one folder.
struct TwoUnits {
  TwoUnits() {
    place.write("src/core/drop.h", "#pragma once\n"
                                   "struct Drop {\n  float x, y, mass;\n  int kind;\n};\n"
                                   "void fall(Drop *host, int count);\n");
    place.write("src/core/fall.cu",
                "#include <src/core/drop.h>\n"
                "static __global__ void step(Drop *drops, int count) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < count)\n    drops[i].y -= drops[i].mass;\n}\n"
                "void fall(Drop *host, int count) {\n  Drop *drops = nullptr;\n"
                "  cudaMalloc(&drops, count * sizeof(Drop));\n"
                "  cudaMemcpy(drops, host, count * sizeof(Drop), cudaMemcpyHostToDevice);\n"
                "  step<<<(count + 63) / 64, 64>>>(drops, count);\n"
                "  cudaMemcpy(host, drops, count * sizeof(Drop), cudaMemcpyDeviceToHost);\n"
                "  cudaFree(drops);\n}\n");
    place.write("src/main.cpp", "#include \"src/core/drop.h\"\n#include <cstdio>\n"
                                "#ifdef _OPENMP\n#include <omp.h>\n#endif\n"
                                "extern \"C\" int drop_count(void);\n"
                                "int main() {\n  static Drop drops[600];\n"
                                "#pragma omp parallel for\n"
                                "  for (int i = 0; i < drop_count(); ++i)\n"
                                "    drops[i] = Drop{1, 2, 0.5f * i, i};\n"
                                "  fall(drops, drop_count());\n  double sum = 0;\n"
                                "  for (const Drop &drop : drops)\n    sum += drop.y;\n"
                                "#ifdef _OPENMP\n  sum += omp_get_max_threads() > 0;\n#endif\n"
                                "  std::printf(\"%g\\n\", sum);\n}\n");
    place.write("src/count.c", "#ifdef _OPENMP\n#include <omp.h>\n#endif\n"
                               "int drop_count(void) {\n  int new = 600;\n"
                               "#ifdef _OPENMP\n  new += omp_get_wtime() < 0;\n#endif\n"
                               "  return new;\n}\n");
    folder = place.shell("pwd").out;
    folder.pop_back();
  }

  /// \param compiler  a script that stands for the compiler of every unit
  void writeDatabase(const std::string &compiler) const {
    place.writeScript("bin/gcc", compiler);
    std::string text;
    for (const char *file : {"src/main.cpp", "src/core/fall.cu", "src/count.c"})
      text += (text.empty() ? "[" : ",\n") + ("{\"directory\": \"" + folder + "\", \"file\": \"") +
              file + "\", \"command\": \"" + folder + "/bin/gcc -I. -c " + file + "\"}";
    place.write("compile_commands.json", text + "]\n");
  }

  Workplace place;
  std::string folder;
};

TEST(Projects, HostUnitsMayBeCAndUseOpenMp) {
  const TwoUnits program;
  const Outcome outcome = program.place.relayout(
      "optimize src/main.cpp src/core/fall.cu src/count.c -I. -Xcompiler -fopenmp "
      "--policy nakai -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
  // The include folder lies above all sources.
  EXPECT_TRUE(program.place.has("out/rewritten/src/core/drop_layout.h"));
  const Outcome again = program.place.relayout(
      "verify src/main.cpp src/core/fall.cu src/count.c -I. -Xcompiler -fopenmp "
      "--rewritten out/rewritten -o again");
  EXPECT_EQ(again.exitCode, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("verified: 1 copy"));
}

TEST(Projects, CSeesNothingOfTheIncludeBehindARecord) {
  const TwoUnits program;
  program.place.write("src/count.c", "#include \"core/drop.h\"\n"
                                     "int drop_count(void) {\n  struct Drop new = {0, 0, 0, 600};\n"
                                     "  return new.kind;\n}\n");
  program.place.write("src/core/drop.h", "struct Drop {\n  float x, y, mass;\n  int kind;\n};\n"
                                         "#ifdef __cplusplus\n"
                                         "void fall(Drop *host, int count);\n#endif\n");
  const Outcome outcome =
      program.place.relayout("optimize src/main.cpp src/core/fall.cu src/count.c -I. -o out "
                             "--on cpu --layout soa --arrays records");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
  EXPECT_THAT(program.place.read("out/rewritten/src/core/drop.h"),
              HasSubstr("};\n#ifdef __cplusplus\n#include \"drop_layout.h\"\n#endif\n"));
}

TEST(Projects, CKeepsTheAlignmentOfItsRecords) {
  const TwoUnits program;
  program.place.write("src/count.c", "#include \"core/drop.h\"\n"
                                     "int drop_count(void) { return 600; }\n");
  program.place.write("src/core/drop.h", "struct Drop {\n  float x, y, mass;\n  int kind;\n};\n"
                                         "#ifdef __cplusplus\n"
                                         "void fall(Drop *host, int count);\n#endif\n");
  const Outcome outcome = program.place.relayout(
      "rewrite src/main.cpp src/core/fall.cu src/count.c -I. --layout aligned-aos");
  EXPECT_EQ(outcome.exitCode, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'count.c' is C and includes"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-R10]"));
}

TEST(Projects, CSeesNothingOfWhatIsInsideACLinkageBlock) {
  const TwoUnits program;
  program.place.write("src/count.c", "#include \"core/drop.h\"\n"
                                     "int drop_count(void) {\n  struct Drop new = {0, 0, 0, 600};\n"
                                     "  return new.kind;\n}\n");
  program.place.write("src/core/drop.h", "#ifndef DROP\n#define DROP\n"
                                         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                                         "struct Drop {\n  float x, y, mass;\n  int kind;\n};\n"
                                         "int drop_count(void);\n"
                                         "#ifdef __cplusplus\n}\n"
                                         "void fall(Drop *host, int count);\n#endif\n#endif\n");
  const Outcome outcome =
      program.place.relayout("optimize src/main.cpp src/core/fall.cu src/count.c -I. -o out "
                             "--on cpu --layout soa --arrays records");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
  EXPECT_TRUE(program.place.has("out/rewritten/src/core/drop_layout.h"));
}

TEST(Projects, AUnitThatItsOwnCompilerRejectsIsAnError) {
  const TwoUnits program;
  program.writeDatabase(
      "#!/bin/sh\nfor word; do\n"
      "  case $word in *.cu) if grep -q View $word; then echo no views; exit 1; fi"
      "\n  esac\ndone\n");
  const Outcome outcome = program.place.relayout("rewrite -p . --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V04]"));
  EXPECT_THAT(outcome.err, HasSubstr("fall.cu"));
  EXPECT_FALSE(program.place.has("out/src/core/fall.cu"));
  EXPECT_EQ(program.place.read("rejected.log"), "no views\n");
}

TEST(Projects, ACompilerThatRejectsTheOriginalVerifiesNothing) {
  const TwoUnits program;
  program.writeDatabase("#!/bin/sh\nexit 1\n");
  const Outcome outcome = program.place.relayout("optimize -p . --policy nakai -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V05]"));
  EXPECT_THAT(outcome.out, HasSubstr("not verified: 1 copy"));
  program.writeDatabase("#!/bin/sh\nexit 0\n");
  const Outcome accepted = program.place.relayout("verify -p . --rewritten out/rewritten -o again");
  EXPECT_EQ(accepted.exitCode, 0) << accepted.err;
  EXPECT_THAT(accepted.out, HasSubstr("verified: 1 copy"));
  EXPECT_THAT(accepted.out, HasSubstr("3 with the project's compilers"));
}

TEST(Projects, AUnitThatIsNotGivenAndIncludesAChangedHeaderIsNamed) {
  const TwoUnits program;
  program.writeDatabase("#!/bin/sh\nexit 0\n");
  const Outcome outcome =
      program.place.relayout("rewrite -p . src/core/fall.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("main.cpp' is not part of the program"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V06]"));
}

} // namespace
} // namespace relayout::test
