// SPDX-License-Identifier: Apache-2.0
// Edits by token, in files and inside macros.
#include "program_text.h"

#include "relayout/instrument/clang/token_edits.h"

#include <gmock/gmock.h>

#include <map>

namespace relayout::instrument {
namespace {

class Edited {
public:
  explicit Edited(const std::string &text) : program(text) {
    auto parsed = parse(program.command, Pass::Host);
    if (!parsed)
      ADD_FAILURE() << render(toDiagnostic(parsed.error()));
    unit = std::move(*parsed);
    edits = std::make_unique<TokenEdits>(*unit);
  }

  /// The n-th token with this spelling, from 0.
  TokenEdits::Index find(const std::string &spelling, int n = 0) {
    for (TokenEdits::Index i = 0; i < edits->size(); ++i)
      if (edits->text(i, i) == spelling && n-- == 0)
        return i;
    ADD_FAILURE() << "no token " << spelling;
    return 0;
  }

  std::string result() {
    auto set = edits->apply();
    return set ? set->files.front().text : codeName(set.error().code);
  }

  ProgramText program;
  std::unique_ptr<ParsedUnit> unit;
  std::unique_ptr<TokenEdits> edits;
};

TEST(TokenEdits, WhatIsNotEditedStaysByteForByte) {
  const std::string text = "#define A(x) ((x)+1)\nint  a = A( 2 ); // kept\n\tint b;\n";
  Edited edited(text);
  EXPECT_EQ(edited.result(), text);
}

TEST(TokenEdits, WrapsNestByTheirRanges) {
  Edited edited("int a = 1+2;\n");
  const auto one = edited.find("1");
  const auto two = edited.find("2");
  edited.edits->wrap(one, one, "<", ">");
  edited.edits->wrap(one, two, "(", ")");
  edited.edits->wrap(two, two, "[", "]");
  edited.edits->wrap(one, two, "{", "}");
  EXPECT_EQ(edited.result(), "int a = ({<1>+[2]});\n");
}

TEST(TokenEdits, AnArgumentUsedTwiceIsEditedWhereItIsMeant) {
  Edited edited("#define SQUARE(x) ((x) * (x))\nint v;\nint a = SQUARE(v); int b = SQUARE(v);\n");
  const auto second = edited.find("v", 2);
  edited.edits->wrap(second, second, "f(", ")");
  EXPECT_EQ(edited.result(), "#define SQUARE(x) ((x) * (x))\nint v;\n"
                             "int a = ((v) * (f(v))); int b = SQUARE(v);\n");
}

TEST(TokenEdits, NestedMacrosOpenAsFarAsTheOutermost) {
  Edited edited("#define INNER(x) x + 1\n#define OUTER(x) -INNER(x) - -x\nint a = OUTER(5) ;\n");
  const auto five = edited.find("5");
  edited.edits->insertBefore(five, "2*");
  EXPECT_EQ(edited.result().substr(edited.result().find("int a")), "int a = -2*5 + 1 - -5 ;\n");
}

TEST(TokenEdits, PastedTokensPrintAsOne) {
  Edited edited("#define NAME(a, b) int a##b = 3\nNAME(x, y);\n");
  const auto three = edited.find("3");
  edited.edits->wrap(three, three, "(", ")");
  EXPECT_EQ(edited.result(), "#define NAME(a, b) int a##b = 3\nint xy = (3);\n");
}

TEST(TokenEdits, KeywordsOfTheCudaHeadersKeepTheirNames) {
  Edited edited("#define K(n) __global__ void n() { __shared__ int s; s = 4; }\nK(k)\n");
  const auto four = edited.find("4");
  edited.edits->wrap(four, four, "(", ")");
  EXPECT_EQ(edited.result().substr(edited.result().find("}\n") + 2),
            "__global__ void k() { __shared__ int s; s = (4); }\n");
}

TEST(TokenEdits, AHeadersMacroOfMacrosKeepsItsName) {
  Edited edited("#include <climits>\nint a = INT_MIN, b;\n"); // (-__INT_MAX__ -1)
  edited.edits->wrap(edited.find("INT_MIN", 0), edited.find("INT_MIN", 5), "f(", ")");
  EXPECT_EQ(edited.result(), "#include <climits>\nint a = f( INT_MIN), b;\n");
}

TEST(TokenEdits, ReplacingTakesWhatLiesBetween) {
  Edited edited("int a = 1 /* gone */ + 2; int b = 3;\n");
  const auto one = edited.find("1");
  const auto two = edited.find("2");
  edited.edits->wrap(one, one, "lost(", ")");
  edited.edits->wrap(one, two, "f(", ")");
  edited.edits->replace(one, two, "x");
  EXPECT_EQ(edited.result(), "int a = f(x); int b = 3;\n");
}

TEST(TokenEdits, AColonStaysApartFromAScope) {
  Edited edited("int f(int a) { switch (a) { case 1:return 2; default:; } return 3; }\n");
  const auto first = edited.find("return");
  edited.edits->replace(first, first, "::g(); return");
  EXPECT_EQ(edited.result(),
            "int f(int a) { switch (a) { case 1: ::g(); return 2; default:; } return 3; }\n");
}

TEST(TokenEdits, ReplacingHalfOfAMacroOpensIt) {
  Edited edited("#define TWO 1 + 2\nint a = TWO + 3;\n");
  edited.edits->replace(edited.find("2"), edited.find("3"), "x");
  EXPECT_EQ(edited.result(), "#define TWO 1 + 2\nint a = 1 + x;\n");
}

TEST(TokenEdits, LinesStayInPlaceOnRequest) {
  Edited edited("#define ID(x) x\nint a = ID(1 +\n  2 +\n  3); int b = __LINE__;\n");
  edited.edits->insertBefore(edited.find("2"), "-");
  edited.edits->keepLines();
  EXPECT_EQ(edited.result(), "#define ID(x) x\nint a = 1 + -2 + 3\n\n; int b = __LINE__;\n");
}

TEST(TokenEdits, AListOfMembersIsAFileForEachOfItsMeanings) {
  ProgramText program("#define M(t, n) t n;\nstruct S {\n#include \"x.inc\"\n};\n#undef M\n"
                      "#define M(t, n)\n#include \"x.inc\"\n#undef M\n"
                      "#define M(t, n) sum += s.n;\n"
                      "int of(S s) {\nint sum = 0;\n#include \"x.inc\"\nreturn sum; }\n");
  program.add("x.inc", "M(int, a)\nM(long, b)\n");
  auto unit = parse(program.command, Pass::Host);
  ASSERT_TRUE(unit.has_value());
  TokenEdits edits(**unit);
  for (TokenEdits::Index i = 0; i < edits.size(); ++i)
    if (edits.text(i, i) == "+=")
      edits.replace(i, i, "-=");
  const auto set = edits.apply();
  ASSERT_TRUE(set.has_value());
  std::map<std::string, std::string> textOf;
  for (const SourceText &file : set->files)
    textOf[file.relativePath] = file.text;
  EXPECT_THAT(textOf, testing::SizeIs(3));
  EXPECT_EQ(textOf["x.inc"], "sum -= s.a;\nsum -= s.b;\n");
  EXPECT_EQ(textOf["x.inc.2"], "M(int, a)\nM(long, b)\n");
  EXPECT_EQ(textOf["program.cu"],
            "#define M(t, n) t n;\nstruct S {\n#include \"x.inc.2\"\n};\n#undef M\n"
            "#define M(t, n)\n#include \"x.inc.2\"\n#undef M\n"
            "#define M(t, n) sum += s.n;\n"
            "int of(S s) {\nint sum = 0;\n#include \"x.inc\"\nreturn sum; }\n");
}

TEST(TokenEdits, AHeaderThatMeansTwoThingsByAMacrosNameIsReported) {
  ProgramText program("#define X \"x.inc\"\n#define T int\n#define N a\n#include X\n#undef N\n"
                      "#define N b\n#include X\n");
  program.add("x.inc", "T N = 1;\n");
  auto unit = parse(program.command, Pass::Host);
  ASSERT_TRUE(unit.has_value());
  TokenEdits edits(**unit);
  edits.insertBefore(0, "static ");
  const auto set = edits.apply();
  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().code, Code::HeaderMeansSeveral);
}

TEST(TokenEdits, AGuardMayFollowOtherText) {
  ProgramText program("#include \"x.inc\"\n#include \"x.inc\"\n");
  program.add("x.inc", "extern int a;\n#ifndef X\n#define X\nint b = 1;\n#endif\n");
  auto unit = parse(program.command, Pass::Host);
  ASSERT_TRUE(unit.has_value());
  TokenEdits edits(**unit);
  edits.insertBefore(4, "static ");
  const auto set = edits.apply();
  ASSERT_TRUE(set.has_value());
  ASSERT_EQ(set->files.size(), 2u);
  const bool isFirst = set->files[0].text.find("extern") != std::string::npos;
  EXPECT_EQ(set->files[isFirst ? 0 : 1].text,
            "extern int a;\n#ifndef X\n#define X\nstatic int b = 1;\n#endif\n");
}

} // namespace
} // namespace relayout::instrument
