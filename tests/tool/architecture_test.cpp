// SPDX-License-Identifier: Apache-2.0
// Rules of docs/style.md that can be read off the tree: who includes whom, and which codes are
// documented.
#include "relayout/base/diagnostic_codes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace relayout {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = RELAYOUT_SOURCE_DIR;

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

template <class Visit> void forEachSource(const std::string &folder, Visit visit) {
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp"))
      visit(entry.path(), textOf(entry.path()));
  }
}

std::set<std::string> matches(const std::string &text, const std::regex &pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

TEST(Arrows, FoldersIncludeOnlyWhatTheyMayKnow) {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"runtime/base", {"base"}},
      {"runtime/trace", {"base", "trace"}},
      {"runtime/host", {"base", "trace", "host", "half", "random"}},
      {"runtime/device", {"device"}},
      {"runtime/gpu", {"base", "trace", "device", "gpu"}},
      {"analysis", {"base", "trace", "analysis"}},
      {"instrument", {"base", "trace", "instrument"}},
      {"rewriter", {"base", "trace", "analysis", "instrument", "rewriter"}},
      {"tool", {"base", "trace", "analysis", "instrument", "rewriter", "gpu"}}};
  const std::regex include("#include [<\"]relayout/(\\w+)/");
  for (const auto &[folder, mayKnow] : allowed)
    forEachSource(folder, [&](const fs::path &file, const std::string &text) {
      for (const std::string &known : matches(text, include))
        EXPECT_TRUE(mayKnow.contains(known)) << file << " includes relayout/" << known;
    });
}

TEST(Arrows, OnlyInstrumentAndRewriterKnowClang) {
  const std::regex include("#include [<\"](clang|llvm)/");
  for (const char *folder : {"runtime", "analysis", "tool"})
    forEachSource(folder, [&](const fs::path &file, const std::string &text) {
      EXPECT_TRUE(matches(text, include).empty()) << file;
    });
}

TEST(Arrows, SamplesIncludeNothingOfOurs) {
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(kRoot / "samples")) {
    if (entry.path().extension() != ".cu")
      continue;
    EXPECT_EQ(textOf(entry.path()).find("relayout"), std::string::npos) << entry.path();
  }
}

TEST(Diagnostics, EveryCodeIsUsed) {
  std::string sources;
  for (const char *folder : {"runtime", "analysis", "instrument", "rewriter", "tool"})
    forEachSource(folder, [&](const fs::path &, const std::string &text) { sources += text; });
  const std::string table = textOf(kRoot / "runtime/base/include/relayout/base/diagnostics.def");
  const std::set<std::string> names =
      matches(table, std::regex(R"re(DIAGNOSTIC\("RL-\w+", (\w+),)re"));
  EXPECT_GT(names.size(), 80u);
  for (const std::string &name : names)
    EXPECT_NE(sources.find("Code::" + name), std::string::npos) << name;
}

TEST(Diagnostics, EveryCodeHasATest) {
  // What nobody foresaw cannot be produced, and a report beside a trace needs a GPU's counters.
  const std::set<std::string> without = {"InternalError", "NotAGpuReport"};
  std::string tests;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(kRoot / "tests"))
    if (entry.is_regular_file())
      tests += textOf(entry.path());
  const std::string table = textOf(kRoot / "runtime/base/include/relayout/base/diagnostics.def");
  const std::regex row(R"re(DIAGNOSTIC\("(RL-\w+)", (\w+),)re");
  for (std::sregex_iterator found(table.begin(), table.end(), row), end; found != end; ++found)
    EXPECT_TRUE(tests.find((*found)[1]) != std::string::npos ||
                tests.find("Code::" + (*found)[2].str()) != std::string::npos ||
                without.contains((*found)[2]))
        << (*found)[1];
}

TEST(Diagnostics, NoCodeIsSpelledOutsideTheTable) {
  const std::regex spelled("\"(RL-[A-Z][0-9][0-9])");
  for (const char *folder : {"runtime", "analysis", "instrument", "rewriter", "tool"})
    forEachSource(folder, [&](const fs::path &file, const std::string &text) {
      EXPECT_TRUE(matches(text, spelled).empty()) << file;
    });
}

TEST(Diagnostics, ThePageIsThatOfTheTable) {
  const std::string page = textOf(kRoot / "docs/diagnostics.md");
  for (const DiagnosticEntry &entry : diagnosticEntries()) {
    EXPECT_NE(page.find(std::string("## ") + entry.name + ": " + entry.title), std::string::npos)
        << entry.name << "; run cmake --build BUILD --target diagnostics_page";
    EXPECT_NE(page.find(entry.explanation), std::string::npos) << entry.name;
  }
}

} // namespace
} // namespace relayout
