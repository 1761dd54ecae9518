// SPDX-License-Identifier: Apache-2.0
// Notes in Clang's table of lines what a #line directive would say.
#include "parse/replaced_text.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

constexpr std::string_view kFlag = "--relayout-text=";

void keepPlaces(clang::SourceManager &sources, clang::FileID file, const ReplacedText &replaced) {
  const clang::SrcMgr::CharacteristicKind kind =
      sources.getFileCharacteristic(sources.getLocForStartOfFile(file));
  unsigned line = 1;
  for (std::size_t at = 0; (at = replaced.text.find('\n', at)) != std::string::npos; ++at, ++line)
    if (line < replaced.lines.size() && replaced.lines[line] != replaced.lines[line - 1] + 1)
      sources.AddLineNote(sources.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(at)),
                          replaced.lines[line], /*FilenameID=*/-1, /*IsFileEntry=*/false,
                          /*IsFileExit=*/false, kind);
}

} // namespace

std::vector<ReplacedText> replacedAgain(std::vector<ReplacedText> before,
                                        const std::vector<ReplacedText> &texts) {
  for (ReplacedText text : texts) {
    const auto known = std::ranges::find(before, text.path, &ReplacedText::path);
    if (known == before.end()) {
      before.push_back(std::move(text));
      continue;
    }
    for (unsigned &line : text.lines)
      line = known->lines[std::min<std::size_t>(line, known->lines.size()) - 1];
    *known = std::move(text);
  }
  return before;
}

std::string replacingFlag(const ReplacedText &replaced) {
  return std::string(kFlag) + replaced.path + "\n" + replaced.text;
}

std::optional<std::pair<std::string, std::string>> replacedBy(const std::string &flag) {
  if (!flag.starts_with(kFlag))
    return std::nullopt;
  const std::size_t end = flag.find('\n');
  return std::pair(flag.substr(kFlag.size(), end - kFlag.size()), flag.substr(end + 1));
}

void keepPlaces(ParsedUnit &unit, const std::vector<ReplacedText> &texts) {
  clang::SourceManager &sources = unit.sources();
  for (unsigned i = 0, n = sources.local_sloc_entry_size(); i != n; ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile() || entry.getFile().hasLineDirectives())
      continue;
    const clang::FileID file =
        sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    for (const ReplacedText &replaced : texts)
      if (unit.pathOf(file) == replaced.path)
        keepPlaces(sources, file, replaced);
  }
}

} // namespace relayout::instrument
