// SPDX-License-Identifier: Apache-2.0
// What the edited programs for the CPU and for the GPU have in common: includes, the site table.
#include "probes/traced_sources.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::instrument {

namespace fs = std::filesystem;

void redirectIncludes(const ReadUnit &read) {
  const clang::SourceManager &sources = read.unit->sources();
  const SourceSet files = read.unit->userSources();
  const auto relativePathOf = [&](const std::string &path) -> std::string {
    for (const SourceText &file : files.files)
      if (file.originalPath == path)
        return file.relativePath;
    return {};
  };
  for (const Inclusion &inclusion : read.unit->inclusions()) {
    const clang::FileID file = sources.getFileID(inclusion.name.getBegin());
    const auto entry = sources.getFileEntryRefForID(file);
    const std::string target = relativePathOf(inclusion.path);
    if (!entry || target.empty())
      continue;
    const std::string from = relativePathOf(fs::weakly_canonical(entry->getName().str()).string());
    const std::string text =
        '"' + fs::path(target).lexically_relative(fs::path(from).parent_path()).string() + '"';
    const llvm::StringRef written =
        clang::Lexer::getSourceText(inclusion.name, sources, read.unit->ast().getLangOpts());
    if (written != text)
      read.edits->replaceCharacters(inclusion.name, text);
  }
}

std::string behind(const std::string &ours, std::string_view text, const std::string &file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; // only at the very beginning
  if (text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  return fmt::format("{}#line 1 \"{}\"\n{}", ours, file, text);
}

Result<std::string> addEditedUnit(UnitReading &unit, const TextAround &around,
                                  const std::string &folder, SourceSet &sources) {
  redirectIncludes(unit.host);
  unit.host.edits->keepLines();
  auto edited = unit.host.edits->apply();
  if (!edited)
    return tl::unexpected(std::move(edited.error()));
  SourceText &main = edited->files.front();
  main.text = behind(around.before, main.text, unit.command.file) + around.after;
  std::string file = folder + main.relativePath;
  for (SourceText &text : edited->files) {
    text.relativePath = folder + text.relativePath;
    sources.files.push_back(std::move(text));
  }
  return file;
}

std::string registration(const trace::SiteTable &table, const std::string &more) {
  constexpr std::size_t kPieceBytes = 8000;
  const std::string json = trace::toJson(table);
  std::string delimiter = "sites";
  while (json.find(")" + delimiter + "\"") != std::string::npos)
    delimiter += 's';
  std::string text = "\nnamespace {\nconst ::relayout::probe::Registration relayoutRegistration(";
  for (std::size_t at = 0; at < json.size(); at += kPieceBytes)
    text += fmt::format("\n    R\"{0}({1}){0}\"", delimiter, json.substr(at, kPieceBytes));
  return text + more + ");\n}\n";
}

} // namespace relayout::instrument
