// SPDX-License-Identifier: Apache-2.0
// Which files a unit is made of.
#include "program_text.h"

#include "relayout/instrument/included_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> namesOf(const CompileCommand &unit) {
  std::vector<std::string> names;
  for (const std::filesystem::path &file : includedFiles(unit))
    names.push_back(file.filename());
  return names;
}

TEST(IncludedFiles, AreThoseThatThePreprocessorReads) {
  ProgramText program("#include \"direct.h\"\n"
                      "#include <vector>\n"
                      "#include <cuda_runtime.h>\n"
                      "// #include \"comment.h\"\n"
                      "const char *text = R\"(\n#include \"literal.h\"\n)\";\n"
                      "#ifdef LEFT_OUT\n#include \"left_out.h\"\n#endif\n"
                      "#define NAME \"computed.h\"\n#include NAME\n");
  program.add("direct.h", "#pragma once\n#include \"indirect.h\"\n");
  for (const char *name :
       {"indirect.h", "comment.h", "literal.h", "left_out.h", "computed.h", "never.h"})
    program.add(name, "#pragma once\n");
  EXPECT_THAT(namesOf(program.command),
              ElementsAre("computed.h", "direct.h", "indirect.h", "program.cu"));
  program.command.flags = {"-DLEFT_OUT"};
  EXPECT_THAT(namesOf(program.command),
              ElementsAre("computed.h", "direct.h", "indirect.h", "left_out.h", "program.cu"));
}

TEST(IncludedFiles, AreOfHostAndDevice) {
  ProgramText program("#ifdef __CUDA_ARCH__\n#include \"device.h\"\n#else\n"
                      "#include \"host.h\"\n#endif\n");
  program.add("device.h", "");
  program.add("host.h", "");
  EXPECT_THAT(namesOf(program.command), ElementsAre("device.h", "host.h", "program.cu"));
}

TEST(IncludedFiles, WhatIsNotFoundOrDoesNotParseIsPassed) {
  ProgramText program("#include \"missing.h\"\nint main( {\n#error no\n#include \"found.h\"\n");
  program.add("found.h", "");
  EXPECT_THAT(namesOf(program.command), ElementsAre("found.h", "program.cu"));
  program.command.file += ".gone";
  EXPECT_THAT(namesOf(program.command), IsEmpty());
}

} // namespace
} // namespace relayout::instrument
