// SPDX-License-Identifier: Apache-2.0
// Reads CMakeFiles/NAME.dir/link.txt, which make runs, and build.ninja.
#include "parse/linked_targets.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// What one link makes, and of what.
struct Link {
  std::set<std::string> made;    ///< absolute paths
  std::set<std::string> objects; ///< targets that compile them
  std::set<std::string> libraries;
};
using Links = std::map<std::string, Link>; ///< by target

bool isLibrary(const std::string &word) {
  const std::string name = fs::path(word).filename().string();
  return name.starts_with("lib") &&
         (name.ends_with(".a") || name.ends_with(".so") || name.find(".so.") != std::string::npos);
}

std::string absoluteIn(const fs::path &folder, const std::string &path) {
  return (folder / path).lexically_normal().string();
}

void addInput(const fs::path &folder, const std::string &word, Link &link) {
  if (const std::string target = targetOf(word); !target.empty() && word.ends_with(".o"))
    link.objects.insert(target);
  else if (isLibrary(word))
    link.libraries.insert(absoluteIn(folder, word));
}

/// Of make: a line for each command, `c++ a.o libb.a -o x`, `ar qc libb.a b.o`.
void addLinkText(const fs::path &folder, const std::string &target, Links &links) {
  std::ifstream file(folder / "CMakeFiles" / (target + ".dir") / "link.txt");
  for (std::string line; std::getline(file, line);) {
    Words words;
    std::istringstream text(line);
    for (std::string word; text >> word;)
      words.push_back(std::move(word));
    words = withResponseFiles(words, folder.string());
    Link &link = links[target];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool isMade = words[i - 1] == "-o" || (i == 2 && words[0].ends_with("ar"));
      if (isMade)
        link.made.insert(absoluteIn(folder, words[i]));
      else
        addInput(folder, words[i], link);
    }
  }
}

/// The words of a statement of ninja's, whose spaces inside a path are escaped.
Words wordsOf(std::string_view statement) {
  Words words;
  std::string word;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const char c = statement[i];
    if (c == '$' && i + 1 < statement.size()) {
      word += statement[++i];
    } else if (c == ' ' || c == ':') {
      if (!word.empty())
        words.push_back(std::exchange(word, {}));
      if (c == ':')
        words.emplace_back(":");
    } else {
      word += c;
    }
  }
  if (!word.empty())
    words.push_back(std::move(word));
  return words;
}

/// `build libb.a: CXX_STATIC_LIBRARY_LINKER__b_Debug b.o | liba.a || …`
void addNinja(const fs::path &folder, const std::set<std::string> &targets, Links &links) {
  constexpr std::string_view kBuild = "build ", kLinker = "_LINKER__";
  std::ifstream file(folder / "build.ninja");
  for (std::string line, more; std::getline(file, line);) {
    while (line.ends_with('$') && std::getline(file, more)) {
      line.pop_back();
      line += more;
    }
    if (!line.starts_with(kBuild))
      continue;
    const Words words = wordsOf(std::string_view(line).substr(kBuild.size()));
    const auto colon = std::ranges::find(words, ":");
    const std::size_t name = colon == words.end() || colon + 1 == words.end()
                                 ? std::string::npos
                                 : (colon + 1)->find(kLinker);
    if (name == std::string::npos)
      continue;
    const std::string rule = (colon + 1)->substr(name + kLinker.size());
    std::string target; // the longest name, which the configuration stands behind
    for (const std::string &known : targets)
      if (rule.starts_with(known + "_") && known.size() > target.size())
        target = known;
    if (target.empty())
      continue;
    Link &link = links[target];
    for (auto word = words.begin(); word != colon; ++word)
      link.made.insert(absoluteIn(folder, *word));
    for (auto word = colon + 2; word != words.end() && *word != "||"; ++word)
      addInput(folder, *word, link);
  }
}

Links linksOf(const CompileDatabase &database) {
  Links links;
  std::set<std::pair<std::string, std::string>> seen;
  for (const DatabaseEntry &entry : database.entries)
    if (!entry.target.empty() && seen.emplace(entry.directory, entry.target).second)
      addLinkText(entry.directory, entry.target, links);
  addNinja(fs::path(database.path).parent_path(), database.targets(), links);
  return links;
}

bool isProgram(const Link &link) {
  return !link.objects.empty() && std::ranges::none_of(link.made, isLibrary);
}

} // namespace

std::set<std::string> programsOf(const CompileDatabase &database) {
  std::set<std::string> programs;
  for (const auto &[target, link] : linksOf(database))
    if (isProgram(link))
      programs.insert(target);
  return programs;
}

std::string targetOf(const std::string &object) {
  for (const fs::path &part : fs::path(object))
    if (part.extension() == ".dir")
      return part.stem().string();
  return {};
}

std::set<std::string> withLibraries(const CompileDatabase &database,
                                    const std::vector<std::string> &targets) {
  const Links links = linksOf(database);
  std::map<std::string, std::string> makers; // by path
  for (const auto &[target, link] : links)
    for (const std::string &path : link.made)
      makers.emplace(path, target);
  std::set<std::string> all(targets.begin(), targets.end());
  Words open = targets;
  while (!open.empty()) {
    const auto link = links.find(open.back());
    open.pop_back();
    if (link == links.end())
      continue;
    std::set<std::string> inputs = link->second.objects;
    for (const std::string &library : link->second.libraries)
      if (const auto maker = makers.find(library); maker != makers.end())
        inputs.insert(maker->second);
    for (const std::string &input : inputs)
      if (all.insert(input).second)
        open.push_back(input);
  }
  return all;
}

} // namespace relayout::instrument
