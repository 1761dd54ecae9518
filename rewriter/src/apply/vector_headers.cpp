// SPDX-License-Identifier: Apache-2.0
// Includes headers behind the directives at the start of a file.
#include "apply/vector_headers.h"

#include "edits/leading_directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace relayout::rewriter {

namespace fs = std::filesystem;

void noteVectorHeaders(const Program &program, VectorIncludes &includes) {
  for (const auto &[target, files] : program.editedFiles)
    if (target->shape.isVectorType)
      for (const std::string &file : files)
        includes[file].insert(target->names.file);
}

void placeVectorHeaders(const instrument::SourceSet &sources, const VectorIncludes &includes,
                        HeaderFolders &folders) {
  for (const instrument::SourceText &file : sources.files)
    if (const auto headers = includes.find(file.originalPath); headers != includes.end())
      for (const std::string &header : headers->second)
        folders.try_emplace(header, fs::path(file.originalPath).parent_path().string());
}

void includeVectorHeaders(const instrument::SourceSet &sources, const VectorIncludes &includes,
                          const HeaderFolders &folders, EditSet &edits) {
  for (const instrument::SourceText &file : sources.files) {
    const auto headers = includes.find(file.originalPath);
    if (headers == includes.end())
      continue;
    const fs::path folder = fs::path(file.originalPath).parent_path();
    std::string lines;
    for (const std::string &header : headers->second)
      lines +=
          fmt::format("#include \"{}\"\n",
                      (fs::path(folders.at(header)) / header).lexically_relative(folder).string());
    const unsigned offset = leadingDirectives(file.text).end;
    const std::size_t line = offset < 2 ? 0 : file.text.rfind('\n', offset - 2) + 1;
    if (file.text.substr(line, offset - line).find('<') != std::string::npos)
      lines.insert(0, "\n"); // not among the system's
    (void)edits.add({file.originalPath, offset},
                    {{{{file.originalPath, offset}, offset}, lines, {0, 0}}});
  }
}

} // namespace relayout::rewriter
