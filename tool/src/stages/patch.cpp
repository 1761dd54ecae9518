// SPDX-License-Identifier: Apache-2.0
// Diffs rooted at git's root, and replacements as YAML: see the header.
#include "stages/patch.h"

#include "processes/files.h"

#include "relayout/instrument/text_changes.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

/// The folder whose `.git` is the nearest above; empty where there is none.
fs::path repositoryAround(const fs::path &folder) {
  std::error_code status;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", status))
      return at;
    if (at == at.parent_path())
      break;
  }
  return {};
}

/// In YAML's double quotes.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < ' ')
      out += fmt::format("\\x{:02x}", c);
    else
      out += c;
  }
  return out + '"';
}

} // namespace

std::string sourceRoot(const instrument::SourceSet &sources) {
  const instrument::SourceText &main = sources.files.front();
  return main.originalPath.substr(0, main.originalPath.size() - main.relativePath.size());
}

void keepLineEnds(instrument::SourceSet &sources) {
  for (instrument::SourceText &file : sources.files) {
    const bool isWindows = file.original.find("\r\n") != std::string::npos;
    if (!isWindows || file.text == file.original)
      continue;
    std::string text;
    for (std::size_t i = 0; i < file.text.size(); ++i) {
      if (file.text[i] == '\n' && (i == 0 || file.text[i - 1] != '\r'))
        text += '\r';
      text += file.text[i];
    }
    file.text = std::move(text);
  }
}

std::string patchOf(const instrument::SourceSet &sources) {
  std::error_code status;
  const fs::path root = fs::weakly_canonical(sourceRoot(sources), status);
  const fs::path repository = repositoryAround(root);
  if (repository.empty())
    return unifiedDiff(sources);
  instrument::SourceSet rooted = sources;
  for (instrument::SourceText &file : rooted.files)
    file.relativePath = (root / file.relativePath).lexically_relative(repository).generic_string();
  return unifiedDiff(rooted);
}

Result<void> writeReplacements(const instrument::SourceSet &sources, const std::string &file) {
  std::string text = fmt::format("---\nMainSourceFile: {}\nReplacements:\n",
                                 quoted(sources.files.front().originalPath));
  for (const instrument::SourceText &source : sources.files)
    if (!source.originalPath.empty())
      for (const instrument::TextChange &change :
           instrument::textChanges(source.original, source.text))
        text += fmt::format("  - FilePath: {}\n    Offset: {}\n    Length: {}\n"
                            "    ReplacementText: {}\n",
                            quoted(source.originalPath), change.offset, change.length,
                            quoted(change.text));
  return writeFile(file, text + "...\n");
}

} // namespace relayout::tool
