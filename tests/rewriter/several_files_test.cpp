// SPDX-License-Identifier: Apache-2.0
// Programs of several units: groups reach across them, a shared header is edited once, and names
// that units have for themselves stay apart.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::vector<fs::path> filesIn(const fs::path &folder, const std::vector<std::string> &names) {
  std::vector<fs::path> files;
  for (const std::string &name : names)
    files.push_back(folder / name);
  return files;
}

const std::vector<std::string> kNames = {"main.cu", "kernels.cu", "steps.cu"};

/// Rewrites a program, and compares what it copies back and prints on the CPU.
void compareRewritten(const std::string &name, const std::vector<std::string> &files,
                      const std::string &layouts, const fs::path &scratch, bool mayWarn = false) {
  const instrument::ParsedProgram program = programOf(filesIn(folderOf("programs", name), files));
  const Result<Rewrite> result = rewrite(program, planFor(program, layouts));
  ASSERT_TRUE(result) << result.error().text;
  for (const Diagnostic &finding : result->findings)
    EXPECT_TRUE(mayWarn && finding.severity != Severity::Error) << render(finding);
  ASSERT_TRUE(instrument::writeSources(result->sources, (scratch / "rewritten").string()));

  const Outcome before = runOnCpu(program, scratch / "before", "");
  const Outcome after =
      runOnCpu(programOf(filesIn(scratch / "rewritten", files)), scratch / "after", "");
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_GT(before.copiedBytes, 0u);
  EXPECT_EQ(after.copies, before.copies);
  EXPECT_EQ(after.output, before.output);
}

class SeveralFiles : public testing::TestWithParam<const char *> {};

TEST_P(SeveralFiles, AreRewrittenAsOneProgram) {
  const fs::path scratch = scratchFolder();
  compareRewritten("several", kNames, GetParam(), scratch, /*mayWarn=*/true);
  EXPECT_THAT(readText(scratch / "rewritten" / "main.cu"), Not(HasSubstr("kernels.cu")));
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Layouts, SeveralFiles,
                         testing::Values("Particle exploded\nField soa",
                                         "Particle x y @8 / mass cell tile 32\nField aligned 8"));

TEST(SeveralFiles, StillCompileEachByItself) {
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc").output.empty())
    GTEST_SKIP() << "no nvcc here";
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram program =
      programOf(filesIn(folderOf("programs", "several"), kNames));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Particle exploded\nField soa"));
  ASSERT_TRUE(result && !result->refused());
  ASSERT_TRUE(instrument::writeSources(result->sources, scratch.string()));
  std::string line = "cd " + scratch.string() +
                     " && PATH=$PATH:" RELAYOUT_CUDA_ROOT
                     "/bin nvcc -std=c++14 -arch=sm_90 -rdc=true "
                     "-o program";
  for (const std::string &name : kNames)
    line += " " + name;
  const Ran ran = shell(line);
  EXPECT_EQ(ran.code, 0) << ran.output;
  fs::remove_all(scratch);
}

TEST(SeveralFiles, NeedTheirPlanForAllOfThem) {
  const fs::path folder = folderOf("programs", "several");
  const instrument::ParsedProgram all = programOf(filesIn(folder, kNames));
  const Result<Rewrite> result =
      rewrite(programOf(filesIn(folder, {"main.cu", "kernels.cu"})), planFor(all, "Field soa"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::PlanOfOtherProgram);
}

/// Host C++ calls copies that launch kernels, and includes the header where CUDA's are missing.
class HostCopies : public testing::TestWithParam<const char *> {};

const std::vector<std::string> kHostNames = {"main.cpp", "kernels.cu", "print.cpp"};

TEST_P(HostCopies, AreInTheCudaUnits) {
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram program =
      programOf(filesIn(folderOf("programs", "host_copies"), kHostNames));
  const Result<Rewrite> result = rewrite(program, planFor(program, GetParam()));
  ASSERT_TRUE(result) << result.error().text;
  for (const Diagnostic &finding : result->findings)
    ADD_FAILURE() << render(finding);
  ASSERT_TRUE(instrument::writeSources(result->sources, (scratch / "rewritten").string()));
  const Outcome before = runOnCpu(program, scratch / "before", "");
  const Outcome after =
      runOnCpu(programOf(filesIn(scratch / "rewritten", kHostNames)), scratch / "after", "");
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_GT(before.copiedBytes, 0u);
  EXPECT_EQ(after.copies, before.copies);
  EXPECT_EQ(after.output, before.output);
  fs::remove_all(scratch);
}

TEST_P(HostCopies, LinkWithGccAndNvcc) {
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc g++").code != 0)
    GTEST_SKIP() << "no nvcc, or no g++, here";
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram program =
      programOf(filesIn(folderOf("programs", "host_copies"), kHostNames));
  const Result<Rewrite> result = rewrite(program, planFor(program, GetParam()));
  ASSERT_TRUE(result && !result->refused());
  ASSERT_TRUE(instrument::writeSources(result->sources, scratch.string()));
  const Ran ran = shell("cd " + scratch.string() +
                        " && PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin"
                        " && g++ -Wall -Werror -c print.cpp"
                        " && g++ -Wall -Werror -isystem " RELAYOUT_CUDA_ROOT "/include -c main.cpp"
                        " && nvcc -arch=sm_90 -c kernels.cu"
                        " && nvcc -o program main.o print.o kernels.o");
  EXPECT_EQ(ran.code, 0) << ran.output;
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Layouts, HostCopies,
                         testing::Values("Wave soa", "Wave height speed @8 / phase kind tile 32"));

/// Units that have a name of main.cu's for themselves.
class OwnNames : public testing::TestWithParam<const char *> {};

TEST_P(OwnNames, StayApart) {
  const fs::path scratch = scratchFolder();
  compareRewritten("own_names", {"main.cu", GetParam()}, "R soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / GetParam()), HasSubstr("p.y(threadIdx.x)"));
  fs::remove_all(scratch);
}

// A static function that overloads main.cu's; a host function like a device function of main.cu; a
// macro, a kernel and a __constant__ array of main.cu's names.
INSTANTIATE_TEST_SUITE_P(Units, OwnNames,
                         testing::Values("overload.cu", "host.cu", "constants.cu"));

TEST(SeveralFiles, TakeThePlanOfObjectsThatWereCompiledOneByOne) {
  const fs::path folder = folderOf("programs", "several");
  const instrument::ParsedProgram all = programOf(filesIn(folder, kNames));
  analysis::Plan joined;
  for (const std::string &name : kNames) {
    const analysis::Plan own = planFor(programOf({folder / name}), "Field soa");
    joined.sourceDigest += (joined.sourceDigest.empty() ? "" : " ") + own.sourceDigest;
    joined.decisions.insert(joined.decisions.end(), own.decisions.begin(), own.decisions.end());
  }
  const Result<Rewrite> result = rewrite(all, joined);
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_FALSE(result->refused());
  const Result<Rewrite> whole = rewrite(all, planFor(all, "Field soa"));
  ASSERT_TRUE(whole);
  ASSERT_EQ(result->sources.files.size(), whole->sources.files.size());
  for (std::size_t i = 0; i < whole->sources.files.size(); ++i)
    EXPECT_EQ(result->sources.files[i].text, whole->sources.files[i].text);
  joined.sourceDigest += " 0123456789abcdef0123456789abcdef";
  EXPECT_FALSE(rewrite(all, joined)); // of another program's object
}

TEST(SeveralFiles, MayHaveRecordsOfOneNameWhereTheseAreTheirOwn) {
  const fs::path scratch = scratchFolder();
  compareRewritten("same_record_names", {"main.cu", "hidden.cu"}, "Node soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "hidden_node_layout.h"), HasSubstr("weight"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayAssignMemberByMemberInHostUnits) {
  const instrument::ParsedProgram program =
      programOf(filesIn(folderOf("programs", "assigned_records"), {"kernels.cu", "main.cpp"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Box soa"));
  ASSERT_TRUE(result) << result.error().text;
  for (const Diagnostic &finding : result->findings)
    ADD_FAILURE() << render(finding);
  EXPECT_FALSE(result->refused());
}

// One unit has the kernels' calls of a template's members, the other none.
/// compareRewritten as SoA, and compiles the output where there is nvcc.
void compareAndCompile(const std::string &name, const std::vector<std::string> &files,
                       const std::string &record, const fs::path &scratch) {
  compareRewritten(name, files, record + " soa", scratch);
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc").code != 0)
    return;
  std::string line = "cd " + (scratch / "rewritten").string() +
                     " && PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin nvcc -arch=sm_90 -o program";
  for (const std::string &file : files)
    line += " " + file;
  const Ran ran = shell(line);
  EXPECT_EQ(ran.code, 0) << ran.output;
}

TEST(SeveralFiles, MayIncludeARecordInsideBracesOfExternC) {
  const fs::path scratch = scratchFolder();
  compareAndCompile("c_linkage_around", {"main.cu", "print.cpp"}, "wave", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "wave.h"), HasSubstr("extern \"C++\" {\n"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayIncludeARecordInsideBracesOfExternCInOneUnitAlone) {
  const fs::path scratch = scratchFolder();
  compareAndCompile("c_linkage_in_part", {"main.cu", "pool.cpp"}, "Node", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "node.h"), HasSubstr("extern \"C++\" {\n"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, HaveVectorsOfAHeaderThatOneUnitCopiesToTheHost) {
  if (lacksThrust(folderOf("programs", "vectors_in_a_header") / "swarm.cuh"))
    GTEST_SKIP() << "no Thrust here";
  const fs::path scratch = scratchFolder();
  compareAndCompile("vectors_in_a_header", {"main.cu", "swarm.cu"}, "Bird", scratch);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, HaveVectorsThatSeveralHeadersNameFirst) {
  if (lacksThrust(folderOf("programs", "vectors_of_two_headers") / "sort.h"))
    GTEST_SKIP() << "no Thrust here";
  const fs::path scratch = scratchFolder();
  compareAndCompile("vectors_of_two_headers", {"main.cu", "sort.cu", "swim.cu", "hatch.cpp"},
                    "Fish", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "fish.h"), HasSubstr("class FishDeviceVector"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayOnlyNameARecordThatKeepsItsLayout) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "main.cu", "class Entry;\nvoid fill(Entry *entries, int n);\n"
                                 "Entry *make(int n);\n"
                                 "int main() { Entry *e = make(64); fill(e, 64); }\n");
  for (const char *fields : {"unsigned key;", "unsigned key, value;"}) {
    writeText(scratch / "entry.cu",
              std::string("class Entry { public: ") + fields +
                  " };\n__global__ void set(Entry *e, int n) {\n"
                  "  if (threadIdx.x < n) e[threadIdx.x].key = 1;\n}\n"
                  "Entry *make(int n) { Entry *e; cudaMalloc(&e, n * sizeof(Entry)); return e; }\n"
                  "void fill(Entry *entries, int n) { set<<<1, 64>>>(entries, n); }\n");
    const instrument::ParsedProgram program = programOf(filesIn(scratch, {"entry.cu", "main.cu"}));
    const Result<Rewrite> result = rewrite(program, planFor(program, "Entry soa"));
    ASSERT_TRUE(result) << result.error().text;
    const bool isOfOneField = std::string(fields) == "unsigned key;";
    EXPECT_EQ(result->refused(), !isOfOneField) << fields;
    for (const Diagnostic &finding : result->findings)
      EXPECT_EQ(finding.code, Code::UsedBeforeDefinition) << render(finding);
    EXPECT_EQ(result->findings.empty(), isOfOneField);
  }
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayReadTemplatesAndRecordsInAnyOrder) {
  const fs::path scratch = scratchFolder();
  compareRewritten("orders", {"main.cu", "work.cu"}, "model::Node soa\nLink soa", scratch,
                   /*mayWarn=*/true);
  EXPECT_THAT(readText(scratch / "rewritten" / "gpu.cuh"),
              HasSubstr("#include <vector>\n#include \"types.h\"\n"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, ReadNoHeaderTwiceThatHasNoGuard) {
  const fs::path scratch = scratchFolder();
  for (const char *file : {"gpu.cuh", "types.h", "main.cu", "work.cu"})
    fs::copy(folderOf("programs", "orders") / file, scratch / file);
  std::string types = readText(scratch / "types.h");
  const std::string once = "#pragma once\n";
  types.replace(types.find(once), once.size(), "#ifndef SIZE\n#define SIZE 64\n#endif\n");
  writeText(scratch / "types.h", types);
  const instrument::ParsedProgram program = programOf(filesIn(scratch, {"main.cu", "work.cu"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Link soa"));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_TRUE(result->refused());
  for (const instrument::SourceText &file : result->sources.files)
    EXPECT_EQ(file.text.find("#include \"types.h\"\nnamespace"), std::string::npos);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, SpecializeTemplatesWhereAllThatReadTheRecordKnowThem) {
  const fs::path scratch = scratchFolder();
  compareAndCompile("buffers_of_some_units", {"main.cpp", "render.cu"}, "Pixel", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "render.cu"),
              HasSubstr("#include \"pixel.h\"\n\ntemplate <> class Buffer<Pixel> : public Owner"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayEachDefineWhatIsWrittenOutInAHeader) {
  const fs::path scratch = scratchFolder();
  compareRewritten("header_templates", {"main.cu", "kernels.cu"}, "Particle soa", scratch);
  const std::string header = readText(scratch / "rewritten" / "arrays.h");
  EXPECT_THAT(header, HasSubstr("\ninline Particle *toHost(ConstParticleView from"));
  EXPECT_THAT(header, HasSubstr("\ninline __device__ __noinline__ void move(ParticleView p"));
  EXPECT_THAT(header, HasSubstr("\n__device__ __forceinline__ void slow(ParticleView p"));
  EXPECT_THAT(header, HasSubstr("\nstatic __device__ float place(ParticleView p"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayEachHaveATemplateThatIsWrittenOut) {
  const fs::path scratch = scratchFolder();
  compareRewritten("repeated_templates", {"main.cu", "steps.cu"}, "Cell soa", scratch);
  for (const char *file : {"main.cu", "steps.cu"}) {
    const std::string text = readText(scratch / "rewritten" / file);
    EXPECT_THAT(text, HasSubstr("\ninline void toHost(Cell *to, ConstCellView from, int n) {"));
    EXPECT_THAT(text, HasSubstr("\nstatic __global__ void heat(CellView cells, int n) {"));
  }
  fs::remove_all(scratch);
}

TEST(SeveralFiles, HaveFunctionsForMethodsThatOtherUnitsDefine) {
  const fs::path scratch = scratchFolder();
  compareRewritten("methods_by_unit", {"main.cu", "ball.cu"}, "Ball soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "ball.cuh"),
              HasSubstr("__device__ void stepBall(BallView ball, float dt);"));
  EXPECT_THAT(readText(scratch / "rewritten" / "main.cu"), HasSubstr("stepBall(balls + i, 0.1f);"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, WriteTemplatesOutWithTheMembersOfAllUnits) {
  const fs::path scratch = scratchFolder();
  compareRewritten("members_by_unit", {"main.cu", "compute.cu"}, "float4 soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "array.cuh"),
              HasSubstr("return data + (i * ny + j);"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, GiveFieldsToFunctionsOfOtherUnitsThatKeepNothing) {
  const fs::path scratch = scratchFolder();
  compareRewritten("bodies_by_unit", {"main.cu", "vec.cu"}, "Ball soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "main.cu"), HasSubstr("limit(balls.at(i), 50);"));
  EXPECT_THAT(readText(scratch / "rewritten" / "main.cu"),
              HasSubstr("    Ball element = balls.load(i);\n"
                        "    energy = element.slow(balls.speed(i).length() + 1);\n"
                        "    balls.speed(i) = element.speed;\n"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, DoNotGiveFieldsToFunctionsOfOtherUnitsThatKeepThem) {
  const instrument::ParsedProgram program =
      programOf(filesIn(folderOf("programs", "bodies_by_unit"), {"keeping.cu", "vec.cu"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Ball soa"));
  ASSERT_TRUE(result) << result.error().text;
  ASSERT_TRUE(result->refused());
  EXPECT_EQ(result->findings.front().code, Code::FieldAddressEscapes);
}

TEST(SeveralFiles, SplitFunctionsOfHeadersWhoseMarksHostUnitsDoNotKnow) {
  const fs::path scratch = scratchFolder();
  compareRewritten("both_sides_in_a_header", {"main.cpp", "kernels.cu"}, "Token soa", scratch);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, DeclareCopiesForHostUnitsThatReadTheirCalls) {
  const fs::path scratch = scratchFolder();
  compareRewritten("host_templates", {"main.cpp", "model.cu"}, "Cell soa\nParameters soa", scratch);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, DeclareCopiesOfVectorTypesForHostUnits) {
  const fs::path scratch = scratchFolder();
  compareAndCompile("vector_copies", {"main.cpp", "kernels.cu"}, "float4", scratch);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, TakeMemoryFromAllocatorsOfOtherUnits) {
  const fs::path scratch = scratchFolder();
  compareRewritten("allocator_of_another_unit", {"main.cu", "pool.cu"}, "Entry soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "main.cu"),
              HasSubstr("pool->take(EntryOut(&table, sizeof host), sizeof host);"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, HaveOverloadsForObjectsBesideElementsInTheUnitThatDefinesThem) {
  const fs::path scratch = scratchFolder();
  compareRewritten("elements_or_objects", {"main.cu", "body.cu"}, "Body soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "body.h"),
              HasSubstr("assign(BodyView to, const Body *from);\n"
                        "__device__ void assign(Body *to, const Body *from);"));
  EXPECT_THAT(readText(scratch / "rewritten" / "body.cu"), HasSubstr("void update(Body *b,"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, GiveElementsToMethodsOfOtherUnitsThatDoMore) {
  const fs::path scratch = scratchFolder();
  compareRewritten("bodies_by_unit", {"counting.cu", "vec.cu"}, "Ball soa", scratch);
  EXPECT_THAT(readText(scratch / "rewritten" / "counting.cu"), HasSubstr("Ball(balls"));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, WriteInstancesOutInTheUnitThatDefinesTheTemplate) {
  const fs::path scratch = scratchFolder();
  compareRewritten("instances_of_another_unit", {"main.cu", "memory.cu"}, "Drop soa", scratch);
  const std::string declared = readText(scratch / "rewritten" / "memory.cuh");
  EXPECT_THAT(declared, HasSubstr("T *upload(T *values, int n);\n"
                                  "DropView upload(Drop *values, int n);\n"));
  EXPECT_THAT(declared, HasSubstr("DropView dropZeroed(int n);\n"));
  const std::string defined = readText(scratch / "rewritten" / "memory.cu");
  EXPECT_THAT(defined, HasSubstr("\nDropView upload(Drop *values, int n) {\n"));
  EXPECT_THAT(defined, HasSubstr("template float *upload<float>(float *values, int n);\n"));
  EXPECT_THAT(defined, Not(HasSubstr("template Drop")));
  fs::remove_all(scratch);
}

TEST(SeveralFiles, StillCompileWithInstancesOfAnotherUnit) {
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc").output.empty())
    GTEST_SKIP() << "no nvcc here";
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram program = programOf(
      filesIn(folderOf("programs", "instances_of_another_unit"), {"main.cu", "memory.cu"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Drop soa"));
  ASSERT_TRUE(result && !result->refused());
  ASSERT_TRUE(instrument::writeSources(result->sources, scratch.string()));
  const Ran ran = shell("cd " + scratch.string() +
                        " && PATH=$PATH:" RELAYOUT_CUDA_ROOT
                        "/bin nvcc -arch=sm_90 -rdc=true -o program main.cu memory.cu");
  EXPECT_EQ(ran.code, 0) << ran.output;
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayNotReadATemplateThatOthersOnlyDeclare) {
  const fs::path scratch = scratchFolder();
  for (const char *file : {"drop.cuh", "memory.cuh", "memory.cu", "main.cu"})
    fs::copy(folderOf("programs", "instances_of_another_unit") / file, scratch / file);
  writeText(scratch / "more.cu", "#include \"memory.cu\"\n");
  const instrument::ParsedProgram program =
      programOf(filesIn(scratch, {"main.cu", "memory.cu", "more.cu"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Drop soa"));
  ASSERT_TRUE(result) << result.error().text;
  ASSERT_TRUE(result->refused());
  EXPECT_EQ(result->findings.front().code, Code::TemplateDecidesType);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, AreNotRewrittenInDialectsBeforeCxx11) {
  instrument::Program program = programOf(filesIn(folderOf("programs", "host_copies"), kHostNames));
  const std::string layout = "Wave soa";
  program.units.back().flags.push_back("-std=c++11");
  const Result<Rewrite> newer = rewrite(program, planFor(program, layout));
  ASSERT_TRUE(newer) << newer.error().text;
  EXPECT_FALSE(newer->refused());
  program.units.front().flags.push_back("-std=c++03");
  const Result<Rewrite> older = rewrite(program, planFor(program, layout));
  ASSERT_TRUE(older) << older.error().text;
  ASSERT_TRUE(older->refused());
  EXPECT_THAT(older->findings.back().text, HasSubstr("compiled as C++ of before 2011"));
}

TEST(SeveralFiles, MayNotHaveOtherDefinitionsOfStructsThatGrow) {
  const fs::path folder = folderOf("programs", "structs_defined_twice");
  for (const char *other : {"untyped.cu", "plain.c"}) {
    const instrument::ParsedProgram program = programOf(filesIn(folder, {"kernels.cu", other}));
    const Result<Rewrite> result = rewrite(program, planFor(program, "R soa"));
    ASSERT_TRUE(result) << result.error().text;
    ASSERT_TRUE(result->refused()) << other;
    EXPECT_EQ(result->findings.front().code, Code::DeclarationFixed);
    EXPECT_THAT(result->findings.front().text, HasSubstr("is another struct here")) << other;
  }
  const fs::path scratch = scratchFolder();
  compareRewritten("structs_defined_twice", {"kernels.cu", "same.cu"}, "R soa", scratch);
  fs::remove_all(scratch);
}

TEST(SeveralFiles, MayNotHaveViewsOfOneName) {
  const instrument::ParsedProgram program =
      programOf(filesIn(folderOf("programs", "same_record_names"), {"main.cu", "visible.cu"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "Node soa"));
  ASSERT_TRUE(result) << result.error().text;
  ASSERT_TRUE(result->refused());
  EXPECT_EQ(result->findings.front().code, Code::NameTaken);
}

TEST(SeveralFiles, MayNotShareArraysOfTwoRecords) {
  const fs::path folder = folderOf("programs", "own_names");
  const instrument::ParsedProgram program = programOf(filesIn(folder, {"main.cu", "twice.cu"}));
  const Result<Rewrite> result = rewrite(program, planFor(program, "R soa"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::FilesDoNotJoin) << result.error().text;
  EXPECT_THAT(result.error().where.file, HasSubstr("twice.cu"));
}

} // namespace
} // namespace relayout::rewriter::test
