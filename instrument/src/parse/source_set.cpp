// SPDX-License-Identifier: Apache-2.0
// Shows edited sources as a diff and writes them, all or none.
#include "relayout/instrument/source_set.h"

#include "relayout/instrument/text_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <unistd.h>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;

std::string rangeText(std::size_t start, std::size_t count) {
  // An empty range names the line before it, as diff does.
  const std::size_t line = count == 0 ? start : start + 1;
  return count == 1 ? fmt::format("{}", line) : fmt::format("{},{}", line, count);
}

std::string hunks(const Lines &before, const Lines &after, const std::vector<LineOp> &script) {
  std::string out;
  std::size_t oldLine = 0;
  std::size_t newLine = 0;
  std::size_t i = 0;
  while (i < script.size()) {
    std::size_t change = i;
    while (change < script.size() && script[change] == LineOp::Keep)
      ++change;
    if (change == script.size())
      break;
    const std::size_t start = change - std::min(kContext, change - i);
    oldLine += start - i;
    newLine += start - i;
    std::size_t end = change;
    for (std::size_t kept = 0, j = change; j < script.size() && kept <= 2 * kContext; ++j) {
      kept = script[j] == LineOp::Keep ? kept + 1 : 0;
      if (kept == 0)
        end = j + 1;
    }
    end = std::min(end + kContext, script.size());
    std::string body;
    const std::size_t oldStart = oldLine;
    const std::size_t newStart = newLine;
    for (i = start; i < end; ++i) {
      const std::string_view line = script[i] == LineOp::Add ? after[newLine] : before[oldLine];
      body += static_cast<char>(script[i]);
      body += line;
      if (!line.ends_with('\n'))
        body += "\n\\ No newline at end of file\n";
      oldLine += script[i] != LineOp::Add;
      newLine += script[i] != LineOp::Remove;
    }
    out += fmt::format("@@ -{} +{} @@\n", rangeText(oldStart, oldLine - oldStart),
                       rangeText(newStart, newLine - newStart));
    out += body;
  }
  return out;
}

/// True for a path that stays below the folder it is joined to.
bool staysBelow(const fs::path &relative) {
  if (relative.empty() || relative.is_absolute() || !relative.has_filename())
    return false;
  return std::ranges::none_of(relative, [](const fs::path &part) { return part == ".."; });
}

} // namespace

void placeBelowCommonFolder(SourceSet &set) {
  fs::path root;
  for (const SourceText &file : set.files) {
    if (file.originalPath.empty())
      continue;
    if (root.empty())
      root = fs::path(file.originalPath).parent_path();
    while (fs::path(file.originalPath).lexically_relative(root).string().starts_with(".."))
      root = root.parent_path();
  }
  for (SourceText &file : set.files)
    if (!file.originalPath.empty())
      file.relativePath = fs::path(file.originalPath).lexically_relative(root).string();
}

std::string unifiedDiff(const SourceSet &set) {
  std::string out;
  for (const SourceText &file : set.files) {
    if (file.text == file.original)
      continue;
    const bool generated = file.originalPath.empty();
    const Lines before = splitLines(file.original);
    const Lines after = splitLines(file.text);
    out +=
        generated ? std::string("--- /dev/null\n") : fmt::format("--- a/{}\n", file.relativePath);
    out += fmt::format("+++ b/{}\n", file.relativePath);
    out += hunks(before, after, editScript(before, after));
  }
  return out;
}

namespace {

/// The files that the set was made from, without links in their paths.
std::set<fs::path> originalsOf(const SourceSet &set) {
  std::set<fs::path> originals;
  for (const SourceText &file : set.files)
    if (std::error_code missing; !file.originalPath.empty())
      originals.insert(fs::weakly_canonical(file.originalPath, missing));
  return originals;
}

} // namespace

Result<void> writeSources(const SourceSet &set, const std::string &folder) {
  const std::set<fs::path> originals = originalsOf(set);
  std::vector<std::pair<fs::path, fs::path>> written;
  auto giveUp = [&](const fs::path &path, const std::string &why) {
    std::error_code ignored;
    for (const auto &[temporary, final] : written)
      fs::remove(temporary, ignored);
    return fail(Code::FileUnwritable, fmt::format("cannot write '{}': {}", path.string(), why));
  };
  for (const SourceText &file : set.files) {
    if (!staysBelow(file.relativePath))
      return giveUp(file.relativePath, "the path leaves the output folder");
    const fs::path path = fs::path(folder) / file.relativePath;
    std::error_code status;
    fs::create_directories(path.parent_path(), status);
    if (status)
      return giveUp(path, status.message());
    if (fs::is_directory(path, status))
      return giveUp(path, "a folder stands there");
    if (originals.contains(fs::weakly_canonical(path, status)))
      return giveUp(path, "it is the program's own source; name another folder, or let 'relayout "
                          "rewrite --write' change files in place, which 'relayout undo' restores");
    const fs::path temporary = path.string() + fmt::format(".{}.part", getpid());
    written.emplace_back(temporary, path);
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(file.text.data(), static_cast<std::streamsize>(file.text.size()));
    out.close();
    if (!out)
      return giveUp(path, "no permission, or no space left");
  }
  for (const auto &[temporary, path] : written) {
    std::error_code status;
    fs::rename(temporary, path, status);
    if (status)
      return giveUp(path, status.message());
  }
  return {};
}

} // namespace relayout::instrument
