// SPDX-License-Identifier: Apache-2.0
// Which files a program is made of, without a compiler.
#include "stages/included_files.h"

#include "processes/files.h"

#include <regex>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> includeFolders(const std::vector<std::string> &flags) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string option : {"-I", "-iquote", "-isystem"}) {
      if (!flags[i].starts_with(option))
        continue;
      if (flags[i].size() > option.size())
        folders.emplace_back(flags[i].substr(option.size()));
      else if (i + 1 < flags.size())
        folders.emplace_back(flags[i + 1]);
    }
  return folders;
}

} // namespace

std::set<fs::path> filesOf(const std::vector<std::string> &sources,
                           const std::vector<std::string> &flags) {
  static const std::regex kInclude(R"(^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"])",
                                   std::regex::ECMAScript | std::regex::multiline);
  const std::vector<fs::path> folders = includeFolders(flags);
  std::set<fs::path> files;
  std::vector<fs::path> left(sources.begin(), sources.end());
  while (!left.empty()) {
    const fs::path file = left.back().lexically_normal();
    left.pop_back();
    std::error_code status;
    if (!fs::is_regular_file(file, status) || !files.insert(file).second)
      continue;
    const std::string text = readFile(file.string()).value_or("");
    for (std::sregex_iterator match(text.begin(), text.end(), kInclude), end; match != end;
         ++match) {
      left.push_back(file.parent_path() / (*match)[1].str());
      for (const fs::path &folder : folders)
        left.push_back(folder / (*match)[1].str());
    }
  }
  return files;
}

} // namespace relayout::tool
