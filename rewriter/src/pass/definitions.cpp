// SPDX-License-Identifier: Apache-2.0
// Reads which of the user's files a unit reads, and in which order.
#include "pass/definitions.h"

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/DeclCXX.h>

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

namespace {

/// Adds the files of what is declared in a scope, if another file's braces are around it.
void addFilesInBraces(instrument::ParsedUnit &unit, const clang::DeclContext &scope,
                      std::set<clang::FileID> around, std::set<std::string> &files) {
  const auto fileOf = [&](clang::SourceLocation place) {
    return unit.sources().getFileID(unit.sources().getExpansionLoc(place));
  };
  const auto *linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(&scope);
  if (linkage && linkage->hasBraces() && linkage->getLanguage() == clang::LinkageSpecLanguageIDs::C)
    around.insert(fileOf(linkage->getExternLoc()));
  for (const clang::Decl *declaration : scope.decls()) {
    const clang::FileID file = fileOf(declaration->getLocation());
    if (unit.isUserFile(file) && around.size() > (around.contains(file) ? 1u : 0u))
      files.insert(unit.pathOf(file));
    if (llvm::isa<clang::LinkageSpecDecl, clang::NamespaceDecl>(declaration))
      addFilesInBraces(unit, *llvm::cast<clang::DeclContext>(declaration), around, files);
  }
}

} // namespace

std::set<std::string> filesInBracesOfC(instrument::ParsedUnit &unit) {
  std::set<std::string> files;
  addFilesInBraces(unit, *unit.ast().getTranslationUnitDecl(), {}, files);
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
