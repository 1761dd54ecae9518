// SPDX-License-Identifier: Apache-2.0
// Each file of docs/results/ has a row in its README and a script in the tree that writes it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

namespace relayout::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = RELAYOUT_SOURCE_DIR;
const fs::path kResults = kSource / "docs/results";

std::string textOf(const fs::path &file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Scripts by the file that they write, from rows "| `file` | `script` |".
std::map<std::string, std::string> scriptsOfResults() {
  std::map<std::string, std::string> scripts;
  const std::string page = textOf(kResults / "README.md");
  const std::regex row("\\n\\| `([^`]+)` \\| `([^`]+)` \\|");
  for (std::sregex_iterator match(page.begin(), page.end(), row), end; match != end; ++match)
    scripts[(*match)[1]] = (*match)[2];
  return scripts;
}

TEST(Results, AreAllListed) {
  const auto scripts = scriptsOfResults();
  for (const auto &entry : fs::directory_iterator(kResults)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "README.md" || scripts.contains(name)) << name << " has no row";
  }
}

TEST(Results, AreWrittenByTheScriptThatTheirRowNames) {
  const auto scripts = scriptsOfResults();
  ASSERT_FALSE(scripts.empty());
  for (const auto &[file, script] : scripts) {
    EXPECT_TRUE(fs::exists(kResults / file)) << file;
    ASSERT_TRUE(fs::exists(kSource / script)) << script;
    EXPECT_NE(textOf(kSource / script).find(fs::path(file).stem().string()), std::string::npos)
        << script << " does not name " << file;
  }
}

} // namespace
} // namespace relayout::test
