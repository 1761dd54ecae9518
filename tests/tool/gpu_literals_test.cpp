// SPDX-License-Identifier: Apache-2.0
// Numbers that describe a GPU or a compiler stand in analysis/gpu and analysis/compiler_model
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::test {
namespace {

namespace fs = std::filesystem;

/// Sizes of the replay's and the search's own tables and samples, and of words of the machine that
/// relayout runs on: none is a property of a GPU or of a compiler.
const std::set<std::string> kOwnConstants{
    // the replay's tables, hashes and address space
    "kArrayShift",
    "kMostGranules",
    "kRecent",
    "kPageShift",
    "kPointsInBlock",
    "kSampled",
    "kFewestVisited",
    "kKnownBits",
    "kMostBits",
    "kKnown",
    "kLeastMultiples",
    "kFar",
    "kDensityClasses",
    "kFixedWordBytes",
    "kMostSites",
    "kApart",
    "kWarpBits",
    // how CUDA C++ and its builds are written
    "kBrackets",
    "kKernel", // and where its arguments stand
    "kWordsToCompiler",
    "kBehindTheValues", // places of arguments of Thrust's algorithms
    "kBeforeThePredicate",
    "kArgumentsOfCopy",
    "kCallee", // arguments of a diagnostic of Clang's
    "kCaller",
    "kNamedFiles",
    "kMostInlined",
    "kMostVersions",
    "kStatements",
    "kRounds",
    "kMostSteps",
    // fixed points
    "kHalvings",
    "kLoadSteps",
    // how much is sampled, decoded and replayed at once
    "kAtEnd",
    "kReplaySms",
    "kBatchWaveBytes",
    "maxWaveBytes",
    "maxBundles",
    "searchBundles",
    // the search: what is tried, for which run, how it is told
    "kExhaustiveParts",
    "kFinalists",
    "kMainPart",
    "kMostPlanes",
    "kLargestNumber",
    "kMostNotes",
    "kMostOrders",
    "kShortTime",
    "kCoarseAccesses",
    "kCoarseBundles",
    "kFewestCandidates",
    "kSmallestPart",
    "kLeastSampled",
    "kTimesL2",
    "kLaunches",
    "kTiledExtents",
    "kSmallestTile",
    "kLeastPart",
    "kLeastOfExtents",
    "kComparedAccesses",
    "kWindow",
    // how the source is read, and how probes are written
    "kWordBytes",
    "kMostBytes",
    "kMostTrips",
    "kIntBits",
    "kDeepestCall",
    "kDeepest",
    "kMostFactors",
    "kMostNames",
    "kLargestShift",
    "kLargestConstant",
    "kMostTerms",
    "kMostConstants",
    "kMostCounters",
    "kContext",
    "kPieceBytes",
    "kShown",
    "kMostEdits",
    "kMostSpans",
    // limits of the language for kernels, whichever GPU there is
    "kParameterBytes",
    "kSharedBytes",
};

/// Without the code that is written into other programs, line ends kept.
std::string withoutRawStrings(const std::string &text) {
  static const std::regex kOpening(R"re(R"(\w*)\()re");
  std::string rest = text;
  std::string kept;
  for (std::smatch opening; std::regex_search(rest, opening, kOpening);) {
    const std::string closing = ")" + opening[1].str() + "\"";
    kept += opening.prefix();
    const std::string inside = opening.suffix();
    const std::size_t end = std::min(inside.find(closing), inside.size());
    kept.append(static_cast<std::size_t>(std::count(
                    inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                '\n');
    rest = inside.substr(std::min(end + closing.size(), inside.size()));
  }
  return kept + rest;
}

/// Comments, texts and preprocessor lines left out, line ends kept.
std::string codeOf(const fs::path &file) {
  std::ifstream in(file);
  const std::string text = withoutRawStrings({std::istreambuf_iterator<char>(in), {}});
  static const std::regex kNoCode(R"re(//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)')re");
  std::string code;
  bool startsLine = true;
  bool isDirective = false;
  std::string without;
  std::regex_replace(std::back_inserter(without), text.begin(), text.end(), kNoCode, " ");
  for (const char c : without) {
    isDirective = c != '\n' && (isDirective || (startsLine && c == '#'));
    startsLine = c == '\n' || (startsLine && std::isspace(static_cast<unsigned char>(c)) != 0);
    code += isDirective ? ' ' : c;
  }
  return code;
}

bool isStructural(std::string_view number) {
  constexpr std::size_t kHashDigits = 10; // multipliers that mix bits
  if (number.starts_with("0x"))
    return number.size() >= kHashDigits;
  const double value = std::stod(std::string(number));
  return value == 0 || value == 1 || value == 2;
}

/// The name that is defined where a number stands: the one before the first `=` or `{`.
std::string definedAt(const std::string &code, std::size_t at) {
  std::size_t start = at;
  while (
      start > 0 && code[start - 1] != ';' &&
      !(code[start - 1] == '\n' && start > 1 && (code[start - 2] == '{' || code[start - 2] == '}')))
    --start;
  static const std::regex kDefinition(R"re((\w+)(?:\[\])?\s*[={])re");
  std::smatch name;
  const std::string statement = code.substr(start, at - start);
  return std::regex_search(statement, name, kDefinition) ? name[1].str() : "";
}

/// "file:line: number" of each.
std::vector<std::string> strayLiterals(const fs::path &file) {
  const std::string code = codeOf(file);
  static const std::regex kNumber(R"re(\b(0[xX][0-9a-fA-F']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?))re");
  std::vector<std::string> found;
  for (std::sregex_iterator match(code.begin(), code.end(), kNumber), end; match != end; ++match) {
    const auto at = static_cast<std::size_t>(match->position());
    std::string number = match->str();
    std::erase(number, '\'');
    if (isStructural(number))
      continue;
    const std::size_t before = code.find_last_not_of(" \n", at == 0 ? 0 : at - 1);
    const bool isShift =
        before != std::string::npos && before > 0 && code[before] == '>' && code[before - 1] == '>';
    const bool isPercent = number == "100" && code.compare(at + number.size(), 2, " *") == 0;
    const std::string_view front = std::string_view(code).substr(0, before + 1);
    const bool isCapacity = front.ends_with("SmallString<") || front.ends_with("SmallVector<");
    if (isShift || isPercent || isCapacity || kOwnConstants.contains(definedAt(code, at)))
      continue;
    found.push_back(
        file.filename().string() + ":" +
        std::to_string(1 + std::count(code.begin(), code.begin() + match->position(), '\n')) +
        ": " + match->str());
  }
  return found;
}

TEST(GpuLiterals, OfGpusAndCompilersStandInTheirFoldersAlone) {
  const fs::path root = RELAYOUT_SOURCE_DIR;
  std::size_t files = 0;
  for (const char *folder : {"analysis/src/replay", "analysis/include/relayout/analysis/replay",
                             "instrument/src", "instrument/include"})
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp")
        continue;
      ++files;
      for (const std::string &literal : strayLiterals(entry.path()))
        ADD_FAILURE() << literal
                      << " belongs into analysis/gpu or analysis/compiler_model, with its origin";
    }
  EXPECT_GT(files, 100u);
}

TEST(GpuLiterals, AreFound) {
  const fs::path file = fs::path(testing::TempDir()) / "relayout_literals.cpp";
  std::ofstream(file) << "#include <x32>\n"
                         "constexpr double kGpcs = 8; // of 9\n"
                         "constexpr int kKnown = 512;\n"
                         "f(x >> 7, 100 * y, 0x9e3779b97f4a7c15u, \"16\", 2 * x1 + 0.75);\n";
  EXPECT_EQ(strayLiterals(file), (std::vector<std::string>{"relayout_literals.cpp:2: 8",
                                                           "relayout_literals.cpp:4: 0.75"}));
  fs::remove(file);
}

} // namespace
} // namespace relayout::test
