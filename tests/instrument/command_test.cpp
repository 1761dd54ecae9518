// SPDX-License-Identifier: Apache-2.0
// Flags of real nvcc command lines.
#include "relayout/instrument/command.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ToClangFlags, KeepsWhatThePreprocessorSees) {
  EXPECT_THAT(toClangFlags({"-I", "a", "-Ib", "-I=c", "-DX", "-DY=2", "-D", "Z=F(1,2)", "-UQ",
                            "-isystem", "d", "-include", "e.h"}),
              ElementsAre("-I", "a", "-I", "b", "-I", "c", "-D", "X", "-D", "Y=2", "-D", "Z=F(1,2)",
                          "-U", "Q", "-isystem", "d", "-include", "e.h"));
}

TEST(ToClangFlags, KnowsTheLongSpellings) {
  EXPECT_THAT(toClangFlags({"--include-path=a,b", "--define-macro", "X=1", "--pre-include=c.h",
                            "--system-include", "d"}),
              ElementsAre("-I", "a", "-I", "b", "-D", "X=1", "-include", "c.h", "-isystem", "d"));
}

// Many a Makefile says -I$(CUDA_HOME)/include, which nvcc does not need.
TEST(LanguageFlags, ToolkitsDoNotStandBeforeOurHeaders) {
  const std::string folder = testing::TempDir() + "relayout-toolkit-include";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/cuda_runtime_api.h") << "#error \"the toolkit's\"\n";
  CompileCommand unit;
  unit.language = Language::Cxx;
  unit.flags = {"-I" + folder, "-Iown", "-isystem", folder, "-DN=1"};
  const auto withoutWarnings = [&] {
    std::vector<std::string> flags = languageFlags(unit);
    std::erase_if(flags, [](const std::string &flag) { return flag.starts_with("-Wno-"); });
    return flags;
  };
  EXPECT_EQ(withoutWarnings(), (std::vector<std::string>{"-I", "own", "-D", "N=1"}));
  unit.cudaToolkit = "/opt/cuda"; // where it is read with the toolkit's, they are its own
  EXPECT_EQ(withoutWarnings().size(), 8U);
}

TEST(ToClangFlags, DropsCodeGenerationTogetherWithItsValues) {
  EXPECT_THAT(toClangFlags({"-gencode",
                            "arch=compute_90,code=sm_90",
                            "-arch=sm_90",
                            "-arch",
                            "sm_80",
                            "-ccbin",
                            "g++-12",
                            "-rdc=true",
                            "-rdc",
                            "true",
                            "-O3",
                            "-O",
                            "2",
                            "-lineinfo",
                            "--expt-relaxed-constexpr",
                            "--expt-extended-lambda",
                            "-o",
                            "-Ddecoy",
                            "-x",
                            "cu",
                            "-forward-unknown-to-host-compiler",
                            "--generate-code=arch=compute_90,code=[sm_90]",
                            "-maxrregcount",
                            "32",
                            "--use_fast_math",
                            "-G",
                            "-g",
                            "-c",
                            "-dc",
                            "-t",
                            "4",
                            "-L",
                            "lib",
                            "-lcudart",
                            "-l",
                            "m",
                            "-Xptxas",
                            "-v",
                            "-MF",
                            "-Idecoy"}),
              IsEmpty());
}

TEST(FloatMathOf, FollowsNvccsFlags) {
  EXPECT_EQ(floatMathOf({"-O3", "-Iheaders"}), (FloatMath{true, true, true}));
  for (const char *fast : {"-use_fast_math", "--use_fast_math"})
    EXPECT_EQ(floatMathOf({fast}), (FloatMath{false, false, false}));
  EXPECT_EQ(floatMathOf({"-prec-div=false"}), (FloatMath{false, true, true}));
  EXPECT_EQ(floatMathOf({"--prec-sqrt", "false"}), (FloatMath{true, false, true}));
  EXPECT_EQ(floatMathOf({"-prec-sqrt=true", "--prec-div=true"}), (FloatMath{true, true, true}));
  // What is asked for goes before what -use_fast_math implies, wherever it stands.
  EXPECT_EQ(floatMathOf({"-prec-div=true", "-use_fast_math"}), (FloatMath{true, false, false}));
  EXPECT_EQ(floatMathOf({"-use_fast_math", "-prec-sqrt", "true"}), (FloatMath{false, true, false}));
  // The value of another flag.
  EXPECT_EQ(floatMathOf({"-Xcompiler", "-use_fast_math", "-o", "-use_fast_math"}),
            (FloatMath{true, true, true}));
}

TEST(ToClangFlags, TakesMacrosForTheHostCompiler) {
  EXPECT_THAT(toClangFlags({"-Xcompiler", "-fopenmp,-DFAST,-Wall", "-Xcompiler=-Ihost",
                            "--compiler-options", "-O2"}),
              ElementsAre("-D", "FAST", "-I", "host"));
}

TEST(ToClangFlags, RaisesOldDialectsToWhatTheHeadersNeed) {
  EXPECT_THAT(toClangFlags({"-std", "c++14"}), IsEmpty());
  EXPECT_THAT(toClangFlags({"--std=c++11"}), IsEmpty());
  EXPECT_THAT(toClangFlags({"-std=c++20"}), ElementsAre("-std=gnu++20"));
  EXPECT_THAT(toClangFlags({"--std", "gnu++23"}), ElementsAre("-std=gnu++23"));
}

TEST(ToClangFlags, AFlagAtTheEndWithoutItsValueIsNoCrash) {
  EXPECT_THAT(toClangFlags({"-o"}), IsEmpty());
  EXPECT_THAT(toClangFlags({"-I"}), IsEmpty());
}

} // namespace
} // namespace relayout::instrument
