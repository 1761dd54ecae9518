// SPDX-License-Identifier: Apache-2.0
// Lowers a CUDA program to C++ for the CPU executor: reads it, edits it, puts the files together.
#include "relayout/instrument/lowering.h"

#include "lowering_edits.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

/// Points every include of a user file at that file's lowered copy.
void redirectIncludes(const ReadProgram &program) {
  const clang::SourceManager &sources = program.host.unit->sources();
  const SourceSet files = program.host.unit->userSources();
  const auto relativePathOf = [&](const std::string &path) -> std::string {
    for (const SourceText &file : files.files)
      if (file.originalPath == path)
        return file.relativePath;
    return {};
  };
  for (const Inclusion &inclusion : program.host.unit->inclusions()) {
    const clang::FileID file = sources.getFileID(inclusion.name.getBegin());
    const auto entry = sources.getFileEntryRefForID(file);
    const std::string target = relativePathOf(inclusion.path);
    if (!entry || target.empty())
      continue;
    const std::string from = relativePathOf(fs::weakly_canonical(entry->getName().str()).string());
    const std::string text =
        '"' + fs::path(target).lexically_relative(fs::path(from).parent_path()).string() + '"';
    const llvm::StringRef written = clang::Lexer::getSourceText(
        inclusion.name, sources, program.host.unit->ast().getLangOpts());
    if (written != text)
      program.host.edits->replaceCharacters(inclusion.name, text);
  }
}

/// The site table as a raw string, in pieces: compilers limit the length of one.
std::string registration(const trace::SiteTable &table) {
  constexpr std::size_t kPieceBytes = 8000;
  const std::string json = trace::toJson(table);
  std::string delimiter = "sites";
  while (json.find(")" + delimiter + "\"") != std::string::npos)
    delimiter += 's';
  std::string text = "\nnamespace {\nconst ::relayout::probe::Registration relayoutRegistration(";
  for (std::size_t at = 0; at < json.size(); at += kPieceBytes)
    text += fmt::format("\n    R\"{0}({1}){0}\"", delimiter, json.substr(at, kPieceBytes));
  return text + ");\n}\n";
}

} // namespace

Result<LoweredProgram> lowerForHost(const CompileCommand &command, Probes probes) {
  auto read = readProgram(command);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  ReadProgram &program = **read;
  if (probes == Probes::Trace)
    if (auto traceable = checkTraceable(program); !traceable)
      return tl::unexpected(std::move(traceable.error()));
  if (auto lowered = lowerCudaConstructs(program); !lowered)
    return tl::unexpected(std::move(lowered.error()));
  if (probes == Probes::Trace)
    insertProbes(program);
  redirectIncludes(program);
  program.host.edits->keepLines();
  auto sources = program.host.edits->apply();
  if (!sources)
    return tl::unexpected(std::move(sources.error()));

  LoweredProgram lowered{std::move(*sources), std::move(program.model)};
  SourceText &main = lowered.sources.files.front();
  main.relativePath += ".cpp";
  // Lines and file names stay those of the original, in messages and in __FILE__ alike.
  main.text = fmt::format("#include <cuda_runtime.h>\n#line 1 \"{}\"\n{}", command.file, main.text);
  if (probes == Probes::Trace)
    main.text += registration(lowered.model.sites);
  else
    lowered.model.sites = {};
  return lowered;
}

} // namespace relayout::instrument
