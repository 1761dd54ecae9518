// SPDX-License-Identifier: Apache-2.0
// Reads which of the user's files a unit reads, and in which order.
#include "pass/definitions.h"

#include "relayout/instrument/clang/front_end.h"

#include <algorithm>
#include <map>

namespace relayout::rewriter {

std::vector<std::string> filesByEnd(instrument::ParsedUnit &unit) {
  const clang::SourceManager &sources = unit.sources();
  std::map<std::string, clang::SourceLocation> ends; // where each is read first
  for (unsigned i = 0, n = sources.local_sloc_entry_size(); i != n; ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile())
      continue;
    const clang::FileID file =
        sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (unit.isUserFile(file))
      ends.try_emplace(unit.pathOf(file), sources.getLocForEndOfFile(file));
  }
  std::vector<std::string> files;
  for (const auto &[path, end] : ends)
    files.push_back(path);
  std::ranges::sort(files, [&](const std::string &a, const std::string &b) {
    return sources.isBeforeInTranslationUnit(ends.at(a), ends.at(b));
  });
  return files;
}

bool Definitions::areReadTogether(const std::string &file, const std::string &other) const {
  return std::ranges::all_of(files, [&](const std::vector<std::string> &read) {
    return std::ranges::find(read, file) == read.end() ||
           std::ranges::find(read, other) != read.end();
  });
}

bool Definitions::areReadInOneOrder(const std::string &file, const std::string &other) const {
  bool isFirst = false, isSecond = false;
  for (const std::vector<std::string> &read : files) {
    const auto a = std::ranges::find(read, file), b = std::ranges::find(read, other);
    if (a == read.end() || b == read.end())
      continue;
    isFirst |= a < b;
    isSecond |= b < a;
  }
  return !isFirst || !isSecond;
}

} // namespace relayout::rewriter
