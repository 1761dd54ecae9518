// SPDX-License-Identifier: Apache-2.0
// Rules of docs/style.md that can be read off the tree: who includes whom, and which codes are
// documented.
#include "relayout/base/diagnostic_codes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
      {"runtime/host", {"base", "trace", "host", "half", "random", "blas", "sparse"}},
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

/// A folder of a library's sources, and the other folders whose headers it may include.
struct Room {
  std::string name;
  std::set<std::string> mayKnow;
};

const std::set<std::string> kUpToStream = {"layout", "gpu", "compiler_model"};

std::set<std::string> with(std::set<std::string> rooms, const std::vector<std::string> &more) {
  rooms.insert(more.begin(), more.end());
  return rooms;
}

/// By library: the way of the data. To open a room is to add a row.
const std::map<std::string, std::vector<Room>> kRooms = {
    {"analysis",
     {{"layout", {}},
      {"gpu", {}},
      {"compiler_model", {"gpu"}},
      {"plan", {"layout"}},
      {"nakai", {"layout", "plan"}},
      {"replay/stream", kUpToStream},
      {"replay/memory", with(kUpToStream, {"replay/stream"})},
      {"replay/sm", with(kUpToStream, {"replay/stream", "replay/memory"})},
      {"replay/cost", with(kUpToStream, {"replay/stream", "replay/memory", "replay/sm"})},
      {"replay/search",
       with(kUpToStream, {"plan", "replay/stream", "replay/memory", "replay/sm", "replay/cost"})},
      {"replay", with(kUpToStream, {"plan", "replay/stream", "replay/memory", "replay/sm",
                                    "replay/cost", "replay/search"})},
      {"report", with(kUpToStream, {"plan", "nakai", "replay/stream", "replay/memory", "replay/sm",
                                    "replay/cost", "replay/search", "replay"})}}},
    {"instrument",
     {{"clang", {}}, // what rewriter shares of the front end
      {"parse", {"clang"}},
      {"model", {"clang", "parse"}},
      {"structs", {"clang", "parse", "model"}},
      {"probes", {"clang", "parse", "model"}},
      {"host", {"clang", "parse", "model", "probes"}},
      {"gpu", {"clang", "parse", "model", "probes"}}}},
    {"rewriter",
     {{"edits", {}},
      {"header", {"edits"}},
      {"pass", {"edits", "header"}},
      {"legality", {"edits", "header", "pass"}},
      {"coordinates", {"edits", "header", "pass"}},
      {"rules", {"edits", "header", "pass", "legality", "coordinates"}},
      {"rules/constructs", {"edits", "header", "pass", "legality", "coordinates", "rules"}},
      {"apply", {"edits", "header", "pass", "legality", "rules"}},
      {"threads", {"edits", "pass", "legality", "coordinates"}}}},
    {"tool",
     {{"reports", {}},
      {"processes", {"reports"}},
      {"stages", {"reports", "processes"}},
      {"batch", {"reports", "processes", "stages"}},
      {"commands", {"reports", "processes", "stages", "batch"}}}}};

/// "memory" of "replay/memory/traffic.h", whatever stands for the library before it.
std::string folderOf(const std::string &file) {
  const std::size_t end = file.find_last_of('/');
  return end == std::string::npos ? "" : file.substr(0, end);
}

/// What a library's sources include that lies in another of its rooms, as "from -> to (file)".
std::vector<std::string> forbiddenIncludes(const std::string &library,
                                           const std::vector<Room> &rooms) {
  const std::regex include("#include \"(?:relayout/" + library + "/)?([^\"]+)\"");
  std::map<std::string, std::set<std::string>> known;
  for (const Room &room : rooms)
    known[room.name] = room.mayKnow;
  std::vector<std::string> forbidden;
  for (const std::string &root :
       {fmt::format("{}/src", library), fmt::format("{0}/include/relayout/{0}", library)}) {
    if (!fs::exists(kRoot / root))
      continue;
    forEachSource(root, [&](const fs::path &file, const std::string &text) {
      const std::string from = folderOf(fs::relative(file, kRoot / root).generic_string());
      if (from.empty()) // the library's front door knows all rooms
        return;
      EXPECT_TRUE(known.contains(from)) << file << " lies in no room of the table";
      for (const std::string &included : matches(text, include))
        if (const std::string to = folderOf(included);
            known.contains(to) && to != from && !known[from].contains(to))
          forbidden.push_back(fmt::format("{} -> {} ({})", from, to, file.filename().string()));
    });
  }
  return forbidden;
}

TEST(Rooms, IncludeInOneDirection) {
  for (const auto &[library, rooms] : kRooms)
    EXPECT_THAT(forbiddenIncludes(library, rooms), testing::IsEmpty()) << library;
}

TEST(Rooms, TheTableItselfHasOneDirection) {
  for (const auto &[library, rooms] : kRooms) {
    std::set<std::string> before;
    for (const Room &room : rooms) {
      for (const std::string &other : room.mayKnow)
        EXPECT_TRUE(before.contains(other)) << library << ": " << room.name << " -> " << other;
      before.insert(room.name);
    }
  }
}

TEST(Rooms, AnIncludeAgainstTheDirectionIsFound) {
  std::vector<Room> rooms = kRooms.at("analysis");
  for (Room &room : rooms)
    room.mayKnow.erase("layout");
  EXPECT_THAT(forbiddenIncludes("analysis", rooms),
              testing::Contains(testing::HasSubstr("plan -> layout")));
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

TEST(CudaHeaders, MacrosOfProgramsAreSetAsideWhereOurNamesAreLikeThem) {
  const fs::path headers = kRoot / "runtime/host/cuda/relayout";
  const std::set<std::string> aside =
      matches(textOf(headers / "host/macros_aside.h"), std::regex("push_macro\\(\"(\\w+)\"\\)"));
  EXPECT_EQ(aside, matches(textOf(headers / "host/macros_aside.h"), std::regex("#undef (\\w+)")));
  EXPECT_EQ(aside, matches(textOf(headers / "host/macros_back.h"),
                           std::regex("pop_macro\\(\"(\\w+)\"\\)")));
  const std::regex notCode(R"(//[^\n]*|"[^"\n]*"|#\s*(include|pragma|error)[^\n]*)");
  const std::regex name(R"((?:^|[^\w#])([A-Za-z]\b|(?!CU)[A-Z]\w*[a-z]\w*))");
  forEachSource("runtime/host/cuda/relayout", [&](const fs::path &file, const std::string &text) {
    for (const std::string &used : matches(std::regex_replace(text, notCode, " "), name))
      EXPECT_TRUE(aside.contains(used))
          << file << " uses '" << used << "': add it to macros_aside.h and macros_back.h";
  });
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
