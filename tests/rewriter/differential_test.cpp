// SPDX-License-Identifier: Apache-2.0
// Programs before and after, both run on the CPU executor: what they copy back to the host must be
// the same bytes in every layout, and a wrong rewrite must show.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;

/// The program rewritten to a layout, on disk; its main file.
fs::path rewriteTo(const fs::path &source, const std::string &layout, const fs::path &folder) {
  const instrument::CompileCommand command = commandFor(source);
  const Result<Rewrite> result = rewrite(command, planFor(command, layout));
  if (!result) {
    ADD_FAILURE() << render(toDiagnostic(result.error()));
    return {};
  }
  for (const Diagnostic &finding : result->findings)
    EXPECT_EQ(finding.severity, Severity::Warning) << render(finding);
  if (result->refused())
    return {};
  EXPECT_TRUE(instrument::writeSources(result->sources, (folder / "rewritten").string()));
  return folder / "rewritten" / result->sources.files.front().relativePath;
}

struct Program {
  const char *name;
  fs::path source;
  const char *arguments;
  std::vector<const char *> layouts;
  bool printsTimes;
};

std::vector<Program> programs() {
  const fs::path samples = RELAYOUT_SAMPLES;
  return {
      {"Stream",
       folderOf("golden", "soa_stream") / "input.cu",
       "",
       {"Sample soa", "Sample aligned 16", "Sample value gain @16 / time flags / channel",
        "Sample flags channel time gain value", "Sample exploded", "Sample soa tile 32",
        "Sample value gain @16 / flags[] / time channel tile 24 pad 40"},
       false},
      {"Constructs",
       folderOf("golden", "clusters_and_constructs") / "input.cu",
       "",
       {"Body soa", "Body aligned 16", "Body pos mass @16 / v next @16 / hits", "Body exploded",
        "Body soa tile 32", "Body soa tile 1 pad 4",
        "Body pos[] @16 / mass v / next hits @8 tile 100 pad 60"},
       false},
      {"VirtualFunctions",
       folderOf("golden", "virtual_functions") / "input.cu",
       "",
       {"Body soa", "Body aligned 16", "Body soa tile 8"},
       false},
      {"ConvertedOwners",
       folderOf("golden", "converted_owners") / "input.cu",
       "",
       {"Cell soa", "Cell aligned 16", "Cell soa tile 8", "Cell heat flow / age"},
       false},
      {"TemplatesCalledByTemplates",
       folderOf("golden", "templates_called_by_templates") / "input.cu",
       "",
       {"Point soa", "Pixel soa", "Point aligned 16\nPixel soa tile 8"},
       false},
      {"FieldsNamedAsMembers",
       folderOf("golden", "fields_named_as_members") / "input.cu",
       "",
       {"Node soa\nCell soa", "Node aligned 16\nCell aligned 16",
        "Node soa tile 8\nCell soa tile 32"},
       false},
      {"BothPasses",
       folderOf("golden", "both_passes") / "input.cu",
       "",
       {"Item soa\nNode_ key left @8 / right", "Item aligned 16\nNode_ aligned 16",
        "Item soa tile 64\nNode_ soa tile 3"},
       false},
      {"ExplodedRows",
       folderOf("golden", "exploded_rows") / "input.cu",
       "",
       {"Row exploded", "Row value[] column[] @16 / diagonal unknown / stencil[]",
        "Row exploded tile 32", "Row exploded pad 128", "Row exploded tile 33 pad 8",
        "Row value[] / column[] / diagonal unknown / stencil"},
       false},
      {"PointersIntoTiles",
       folderOf("golden", "pointers_into_tiles") / "input.cu",
       "",
       {"Point soa tile 8", "Point soa tile 7 pad 4", "Point x y @8 / id / flags tile 5",
        "Point x y @16 / id flags tile 64 pad 100", "Point soa pad 12", "Point soa"},
       false},
      {"Streams",
       folderOf("golden", "streams") / "input.cu",
       "",
       {"Wave:main::a soa\nWave:main::b soa",
        "Wave:main::a soa tile 32 pad 8\nWave:main::b soa tile 32 pad 8",
        "Wave:main::a height speed @8 / kind\nWave:main::b height speed @8 / kind"},
       false},
      {"ClassesAndLambdas",
       folderOf("golden", "classes_and_lambdas") / "input.cu",
       "",
       {"Particle soa", "Particle aligned 32", "Particle x y @8 / kind weight tile 32",
        "Particle soa tile 7 pad 4"},
       false},
      {"TwoLayouts",
       folderOf("golden", "two_layouts") / "input.cu",
       "",
       {"Point:main::streamed soa\nPoint:main::gathered aligned 16\nCell:main::cells exploded tile "
        "32",
        "Point:main::streamed soa tile 8\nPoint:main::gathered soa tile 16\nPoint:main::kept x y / "
        "z weight"},
       false},
      {"ChoicesAndBindings",
       folderOf("golden", "choices_and_bindings") / "input.cu",
       "",
       {"Item soa", "Item value weight @16 / key", "Item soa tile 16 pad 8"},
       false},
      {"TwoNamespaces",
       folderOf("golden", "two_namespaces") / "input.cu",
       "",
       {"Point:coarse::move::a soa\nPoint:fine::move::a soa", "Point soa", "Point soa tile 8"},
       false},
      {"ClassTemplates",
       folderOf("golden", "class_templates") / "input.cu",
       "",
       {"Particle soa\nPoint soa", "Particle speed id kind @16 / at tile 16\nPoint exploded",
        "Particle aligned 32\nPoint soa tile 3 pad 4"},
       false},
      {"ClassTemplatesThatHoldArrays",
       folderOf("golden", "class_templates_that_hold_arrays") / "input.cu",
       "",
       {"Particle soa\nBody soa", "Particle x v @8 / id tile 8\nBody soa tile 16"},
       false},
      {"UntypedFunctions",
       folderOf("golden", "untyped_functions") / "input.cu",
       "",
       {"Body soa\nCell soa", "Body x y @8 / mass kind tile 8", "Body aligned 16\nCell soa tile 4",
        "Cell aligned 16"},
       false},
      {"TemplatesToldByResult",
       folderOf("golden", "templates_told_by_result") / "input.cu",
       "",
       {"Wave soa", "Wave height mark @8 / speed tile 16"},
       false},
      {"TemplatesDeclaredFirst",
       folderOf("golden", "templates_declared_first") / "input.cu",
       "",
       {"Particle soa", "Particle mass x @8 / y vx vy tile 16"},
       false},
      {"PointerFields",
       folderOf("golden", "pointer_fields") / "input.cu",
       "",
       {"Rows soa", "Rows low high @16 / scale shift / marks length", "Rows soa tile 8"},
       false},
      {"HostAndDeviceStructs",
       folderOf("golden", "host_and_device_structs") / "input.cu",
       "",
       {"Grain soa\nfloat2 soa", "Grain soa", "float2 aligned 16",
        "Grain x y @8 / radius kind tile 32\nfloat2 soa tile 4"},
       false},
      {"FunctionsOfBothSides",
       folderOf("golden", "functions_of_both_sides") / "input.cu",
       "",
       {"Color soa", "Color aligned 16", "Color red green @8 / blue tile 32"},
       false},
      {"ElementsOrObjects",
       folderOf("golden", "elements_or_objects") / "input.cu",
       "",
       {"Body soa", "Body aligned 32", "Body x y @8 / mass hits tile 32"},
       false},
      {"ReferencesToElementsOrObjects",
       folderOf("golden", "references_to_elements_or_objects") / "input.cu",
       "",
       {"Body soa", "Body x y @8 / mass hits tile 32"},
       false},
      {"MethodsOnElementsOrObjects",
       folderOf("golden", "methods_on_elements_or_objects") / "input.cu",
       "",
       {"Body soa", "Body x y @8 / mass hits tile 32"},
       false},
      {"MemoryOfPointers",
       folderOf("golden", "memory_of_pointers") / "input.cu",
       "",
       {"Item soa", "Item x kind @8 / y", "Item soa tile 16"},
       false},
      {"MemoryWithoutAType",
       folderOf("golden", "memory_without_a_type") / "input.cu",
       "",
       {"Body soa\nfloat3 soa", "Body soa", "float3 aligned 16", "Body x y @8 / z mass tile 32"},
       false},
      {"MemoryOfNumbers",
       folderOf("golden", "memory_of_numbers") / "input.cu",
       "",
       {"Body:main::d_p soa\nfloat4 soa", "Body:main::d_p soa", "float4 aligned 16",
        "Body:main::d_p x y @8 / z vx vy vz tile 32"},
       false},
      {"UnusedStartValues",
       folderOf("golden", "unused_start_values") / "input.cu",
       "",
       {"Particle soa", "Particle x y @8 / vx vy tile 16"},
       false},
      {"ArraysInVariables",
       folderOf("golden", "arrays_in_variables") / "input.cu",
       "",
       {"Sphere soa", "Sphere x y @8 / z r tile 16"},
       false},
      {"SymbolCopies",
       folderOf("golden", "symbol_copies") / "input.cu",
       "",
       {"Point soa", "Point x y @8 / group", "Point soa tile 2"},
       false},
      {"CopiedStructs",
       folderOf("golden", "copied_structs") / "input.cu",
       "",
       {"Nuclide soa", "Nuclide soa tile 8", "Nuclide energy total @16 / elastic"},
       false},
      {"ConstantStructs",
       folderOf("golden", "constant_structs") / "input.cu",
       "",
       {"Cell soa", "Cell aligned 16", "Cell soa tile 8"},
       false},
      {"MacroNames",
       folderOf("golden", "macro_names") / "input.cu",
       "",
       {"Wave soa", "Wave soa tile 8", "Wave height speed @16 / mark"},
       false},
      {"NonAsciiNames",
       folderOf("golden", "non_ascii_names") / "input.cu",
       "",
       {"Size soa", "Size aligned 8"},
       false},
      {"AlignedFields",
       folderOf("golden", "aligned_fields") / "input.cu",
       "",
       {"Body soa", "Body exploded", "Body soa tile 4",
        "Body mass mark @32 / velocity[] / hits / place"},
       false},
      {"VectorTypes",
       folderOf("golden", "vector_types") / "input.cu",
       "",
       {"float3 soa\nfloat4 x y z @16 / w\nfloat2 soa tile 32",
        "float3 aligned 16\nfloat4 soa\nfloat2 soa",
        "float3 x z @8 / y tile 24 pad 12\nfloat4 soa tile 32\nfloat2 aligned 32"},
       false},
      {"ChangedElements",
       folderOf("golden", "changed_elements") / "input.cu",
       "",
       {"Particle soa\nVec3 soa", "Particle aligned 16\nVec3 aligned 16",
        "Particle pos mass @16 / vel hits tile 32\nVec3 soa tile 8"},
       false},
      {"NamedValues",
       folderOf("golden", "named_values") / "input.cu",
       "",
       {"Particle soa", "Particle x id @8 / y tile 8"},
       false},
      {"MembersWithoutNames",
       folderOf("golden", "members_without_names") / "input.cu",
       "",
       {"Vec soa\nCell soa", "Vec aligned 16\nCell aligned 16",
        "Vec soa tile 8\nCell value heat_count @8 / kind_age marks tile 16"},
       false},
      {"AccessedFields",
       folderOf("golden", "accessed_fields") / "input.cu",
       "",
       {"Color soa\nCell soa", "Color aligned 16\nCell aligned 16",
        "Color soa tile 8\nCell x kind_ @8 / y marks_ tile 16"},
       false},
      {"ValuesOrElements",
       folderOf("golden", "values_or_elements") / "input.cu",
       "",
       {"Ray soa\nVec soa", "Ray aligned 16\nVec aligned 16",
        "Ray origin_ length_ @16 / direction_ hops tile 16\nVec soa tile 8"},
       false},
      {"NumbersOfLibraries",
       folderOf("golden", "numbers_of_libraries") / "input.cu",
       "",
       {"__half:main::in aligned 0 order 6 1,0\n__half:main::out aligned 0 order 6 1,0",
        "__half2 aligned 0 order 4 1,0\n__nv_bfloat16 aligned 0 order 8 1,0"},
       false},
      {"Coordinates",
       folderOf("golden", "coordinates") / "input.cu",
       "13 4 6",
       {"double:main::u aligned 0 order 5,7 2,1,0 texts nz,ny\nfloat:main::f aligned 0 order 5 1,0",
        "double:main::u aligned 0 order 5,7 1,2,0 texts nz,ny",
        "double:main::u aligned 0 order 5,7 2,1,0 texts nz,ny multiples 8,3,16",
        "float:main::f aligned 0 order 5 1,0 multiples 1,8",
        "double:main::u aligned 0 order 5,7 0,1,2 texts nz,ny multiples 16,1,1",
        "double:main::u aligned 0 order 5,7 0,2,1 texts nz,-", // an extent that it has not
        "double:main::u aligned 0 order 7 1,0 texts ny"},
       false},
      // Copies go in tiles of more lines than these extents leave a thread elements for.
      {"ElementsInManyTiles",
       folderOf("golden", "coordinates") / "input.cu",
       "23 13 9",
       {"double:main::u aligned 0 order 3 1,0\nfloat:main::f aligned 0 order 5 1,0",
        "double:main::u aligned 0 order 11 1,0\nfloat:main::f aligned 0 order 3 1,0",
        "double:main::u aligned 0 order 32 1,0\nfloat:main::f aligned 0 order 11 1,0",
        "double:main::u aligned 0 order 40 1,0\nfloat:main::f aligned 0 order 13 1,0"},
       false},
      // Tiles that are in the array as a whole, and others.
      {"ElementsInWholeTiles",
       folderOf("golden", "coordinates") / "input.cu",
       "131 13 9",
       {"double:main::u aligned 0 order 96 1,0\nfloat:main::f aligned 0 order 70 1,0",
        "double:main::u aligned 0 order 64,3 2,0,1\nfloat:main::f aligned 0 order 130 1,0",
        "double:main::u aligned 0 order 33,2 1,2,0\nfloat:main::f aligned 0 order 64 1,0"},
       false},
      {"PointersToRows",
       folderOf("golden", "pointers_to_rows") / "input.cu",
       "12",
       {"double:main::acceleration aligned 0 order 3,24 2,0,1\n"
        "double:main::u aligned 0 order 10,6 2,1,0\nfloat:main::a aligned 0 order 32 1,0",
        "double:main::u aligned 0 order 10,6 2,1,0 multiples 1,4,16",
        "float:main::a aligned 0 order 32 1,0 multiples 40,7",
        "double:main::where aligned 0 order 3 1,0\ndouble:main::velocity aligned 0 order 3 1,0",
        // Extents that are none of the rows', and a name for one that is.
        "double:main::where aligned 0 order 4 1,0\ndouble:main::u aligned 0 order 5,4 0,2,1",
        "double:main::u aligned 0 order 10,6 1,2,0 texts -,nx\nfloat:main::a aligned 0 order 8,4 "
        "1,0,2"},
       false},
      {"DeviceVectors",
       folderOf("golden", "device_vectors") / "input.cu",
       "",
       {"Particle soa", "Particle x y @8 / kind mass tile 7 pad 4"},
       false},
      {"DeviceVectorsInClasses",
       folderOf("golden", "device_vectors_in_classes") / "input.cu",
       "",
       {"Body soa", "Body x v @8 / kind tile 5"},
       false},
      {"DeviceVectorsAsParameters",
       folderOf("golden", "device_vectors_as_parameters") / "input.cu",
       "",
       {"Cell soa\nfloat3 soa", "Cell heat flow @8 / kind tile 8"},
       false},
      {"AlignedDeviceVectors",
       folderOf("golden", "aligned_device_vectors") / "input.cu",
       "",
       {"Point aligned 16", "Point soa"},
       false},
      {"OutParameters",
       folderOf("golden", "out_parameters") / "input.cu",
       "",
       {"Cell soa", "Cell soa tile 16"},
       false},
      {"PrivateMembers",
       folderOf("golden", "private_members") / "input.cu",
       "",
       {"Particle soa\nIon soa", "Particle exploded\nIon soa tile 16",
        "Particle x_ v_ @8 / tag_ tile 32\nIon aligned 16"},
       false},
      {"BaseClasses",
       folderOf("golden", "base_classes") / "input.cu",
       "",
       {"Particle soa\nSphere soa", "Particle exploded\nSphere aligned 16",
        "Particle x vx @8 / y mass / id vy tag tile 32\nSphere radius center @16 / material_ tile "
        "8"},
       false},
      {"FieldPointers",
       folderOf("golden", "field_pointers") / "input.cu",
       "",
       {"Atom soa\nNode soa", "Atom aligned 16\nNode aligned 32",
        "Atom at velocity @8 / charge / kind frame tile 32\nNode soa tile 16"},
       false},
      {"NestedClasses",
       folderOf("golden", "nested_classes") / "input.cu",
       "",
       {"Cell soa\nMoth soa\nFlower soa", "Cell exploded\nMoth aligned 8\nFlower soa tile 8",
        "Cell density kind @8 / speed side tile 16\nFlower aligned 32"},
       false},
      {"NestedNamesWithKeywords",
       folderOf("golden", "nested_names_with_keywords") / "input.cu",
       "",
       {"Cell soa", "Cell heat kind @8 / flow tile 8"},
       false},
      {"ExchangedPointers",
       folderOf("golden", "exchanged_pointers") / "input.cu",
       "",
       {"Particle soa", "Particle x id @8 / v tile 16"},
       false},
      {"UnnamedTypes",
       folderOf("golden", "unnamed_types") / "input.cu",
       "",
       {"Cell soa", "Cell exploded", "Cell soa tile 8", "Cell heat kind @16 / flow marks / code"},
       false},
      {"TemplatesOverRecords",
       folderOf("golden", "templates_over_records") / "input.cu",
       "",
       {"Particle soa", "Particle aligned 16", "Particle soa tile 16"},
       false},
      {"ManagedMemory",
       folderOf("golden", "managed_memory") / "input.cu",
       "",
       {"Body soa", "Body aligned 32", "Body soa tile 32", "Body x mass @16 / y hits tile 7 pad 8"},
       false},
      {"PrintedElements",
       folderOf("golden", "printed_elements") / "input.cu",
       "",
       {"Point soa", "Point aligned 16", "Point soa tile 32"},
       false},
      {"MappedMemory",
       folderOf("golden", "mapped_memory") / "input.cu",
       "",
       {"Sample soa", "Sample soa tile 16", "Sample value gain @8 / time"},
       false},
      {"OneTokenMacros",
       folderOf("golden", "one_token_macros") / "input.cu",
       "",
       {"Body soa\nfloat2 soa", "Body soa tile 8\nfloat2 aligned 16"},
       false},
      {"Features",
       folderOf("programs", "features.cu"),
       "",
       {"Body:main::a soa", "Body:main::a aligned 32",
        "Body:main::a x y z mass @16 / hits tile 48"},
       false},
      {"Idw",
       samples / "idw" / "idw.cu",
       "--stations 300 --queries 500 --repeats 1 --check",
       {"Station soa\nQuery soa", "Station x y temperature @16 / altitude pressure humidity "
                                  "windSpeed id @16\nQuery aligned 16"},
       true},
      {"Sph",
       samples / "sph" / "sph.cu",
       "--side 6 --steps 3 --check",
       {"Particle soa", "Particle aligned 16",
        "Particle px py pz density @16 / vx vy vz pressure @16 / ax ay az", "Particle soa tile 32"},
       true},
  };
}

class Differential : public testing::TestWithParam<Program> {};

TEST_P(Differential, CopiesTheSameBytesInEveryLayout) {
  const Program &program = GetParam();
  if (lacksThrust(program.source))
    GTEST_SKIP() << "no Thrust here: '" RELAYOUT_CCCL "' is missing";
  const fs::path scratch = scratchFolder();
  const Outcome before = runOnCpu(program.source, scratch / "before", program.arguments);
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_FALSE(before.copies.empty());
  EXPECT_GT(before.copiedBytes, 0u);
  int number = 0;
  for (const char *layout : program.layouts) {
    const fs::path folder = scratch / std::to_string(number++);
    const fs::path rewritten = rewriteTo(program.source, layout, folder);
    ASSERT_FALSE(rewritten.empty()) << layout;
    const Outcome after = runOnCpu(rewritten, folder, program.arguments);
    EXPECT_EQ(after.code, before.code) << layout << after.output;
    EXPECT_EQ(after.copies, before.copies) << layout;
    if (!program.printsTimes) {
      EXPECT_EQ(after.output, before.output) << layout;
    }
  }
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Programs, Differential, testing::ValuesIn(programs()),
                         [](const auto &chosen) { return std::string(chosen.param.name); });

/// One wrong spot in the rewritten program or its header.
struct Fault {
  const char *name;
  const char *file;
  const char *right;
  const char *wrong;
};

class WrongRewrite : public testing::TestWithParam<Fault> {};

TEST_P(WrongRewrite, Shows) {
  const Fault &fault = GetParam();
  const fs::path scratch = scratchFolder();
  const fs::path source = folderOf("golden", "soa_stream") / "input.cu";
  const Outcome before = runOnCpu(source, scratch / "before", "");
  const fs::path rewritten = rewriteTo(source, "Sample soa", scratch);
  const fs::path damaged = rewritten.parent_path() / fault.file;
  std::string text = readText(damaged);
  const std::size_t at = text.find(fault.right);
  ASSERT_NE(at, std::string::npos);
  writeText(damaged, text.replace(at, std::string(fault.right).size(), fault.wrong));
  const Outcome after = runOnCpu(rewritten, scratch / "after", "");
  EXPECT_NE(after.copies, before.copies);
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, WrongRewrite,
    testing::Values(Fault{"FieldsSwappedInStore", "sample_layout.h", "plane1_[i] = value.gain",
                          "plane1_[i] = value.value"},
                    Fault{"PlanesOverlap", "relayout_memory.h",
                          "address += (count * sizeof(T) + 255) / 256 * 256;",
                          "address += count * sizeof(T) / 2;"},
                    Fault{"OtherElement", "input.cu", "samples.gain(i)", "samples.gain(i + 1)"},
                    Fault{"OtherField", "input.cu", "samples.value(i) *", "samples.gain(i) *"}),
    [](const auto &chosen) { return std::string(chosen.param.name); });

} // namespace
} // namespace relayout::rewriter::test
