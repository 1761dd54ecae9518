// SPDX-License-Identifier: Apache-2.0
// Shows edited sources as a diff and writes them, all or none.
#include "relayout/instrument/source_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string_view>;

/// Lines with their newline, so that a missing one at the end is a difference.
Lines splitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

enum class Op : char { Keep = ' ', Remove = '-', Add = '+' };

/// A shortest edit script (Myers 1986, the greedy form, with its trace kept for the way back).
std::vector<Op> editScript(const Lines &before, const Lines &after) {
  const long n = static_cast<long>(before.size());
  const long m = static_cast<long>(after.size());
  const long most = n + m;
  std::vector<std::vector<long>> trace;
  std::vector<long> reach(2 * most + 2, 0);
  auto at = [&](std::vector<long> &row, long k) -> long & { return row[k + most]; };
  bool done = most == 0;
  for (long d = 0; !done && d <= most; ++d) {
    trace.push_back(std::vector<long>(reach.begin() + (most - d), reach.begin() + (most + d + 1)));
    for (long k = -d; k <= d; k += 2) {
      long x = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1)) ? at(reach, k + 1)
                                                                          : at(reach, k - 1) + 1;
      while (x < n && x - k < m && before[x] == after[x - k])
        ++x;
      at(reach, k) = x;
      if (x >= n && x - k >= m) {
        done = true;
        break;
      }
    }
  }
  std::vector<Op> script;
  long x = n;
  long y = m;
  for (long d = static_cast<long>(trace.size()) - 1; d >= 0; --d) {
    // Row d holds diagonals -d..d as they stood before round d.
    auto past = [&](long k) { return trace[d][k + d]; };
    const long k = x - y;
    long fromK = k;
    if (d > 0)
      fromK = k == -d || (k != d && past(k - 1) < past(k + 1)) ? k + 1 : k - 1;
    const long fromX = d > 0 ? past(fromK) : 0;
    const long fromY = d > 0 ? fromX - fromK : 0;
    while (x > fromX && y > fromY) {
      script.push_back(Op::Keep);
      --x, --y;
    }
    if (d > 0) {
      script.push_back(x == fromX ? Op::Add : Op::Remove);
      x = fromX;
      y = fromY;
    }
  }
  std::ranges::reverse(script);
  return script;
}

constexpr std::size_t kContext = 3;

std::string rangeText(std::size_t start, std::size_t count) {
  // An empty range names the line before it, as diff does.
  const std::size_t line = count == 0 ? start : start + 1;
  return count == 1 ? fmt::format("{}", line) : fmt::format("{},{}", line, count);
}

std::string hunks(const Lines &before, const Lines &after, const std::vector<Op> &script) {
  std::string out;
  std::size_t oldLine = 0;
  std::size_t newLine = 0;
  std::size_t i = 0;
  while (i < script.size()) {
    std::size_t change = i;
    while (change < script.size() && script[change] == Op::Keep)
      ++change;
    if (change == script.size())
      break;
    const std::size_t start = change - std::min(kContext, change - i);
    oldLine += start - i;
    newLine += start - i;
    std::size_t end = change;
    for (std::size_t kept = 0, j = change; j < script.size() && kept <= 2 * kContext; ++j) {
      kept = script[j] == Op::Keep ? kept + 1 : 0;
      if (kept == 0)
        end = j + 1;
    }
    end = std::min(end + kContext, script.size());
    std::string body;
    const std::size_t oldStart = oldLine;
    const std::size_t newStart = newLine;
    for (i = start; i < end; ++i) {
      const std::string_view line = script[i] == Op::Add ? after[newLine] : before[oldLine];
      body += static_cast<char>(script[i]);
      body += line;
      if (!line.ends_with('\n'))
        body += "\n\\ No newline at end of file\n";
      oldLine += script[i] != Op::Add;
      newLine += script[i] != Op::Remove;
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

Result<void> writeSources(const SourceSet &set, const std::string &folder) {
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
