// SPDX-License-Identifier: Apache-2.0
// Which part of the file system the edited copy of a program mirrors.
#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

#include <filesystem>
#include <set>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

/// An include as its file has it.
struct Edge {
  std::string from, to;
  fs::path folder;       ///< that the name starts in; empty: not to be told
  bool isBeside = false; ///< the name starts in the includer's own folder
};

std::vector<Edge> edgesOf(const std::vector<ParsedUnit *> &units) {
  std::vector<Edge> edges;
  for (ParsedUnit *unit : units)
    for (const Inclusion &inclusion : unit->inclusions()) {
      const clang::SourceManager &sources = unit->sources();
      const clang::FileID file =
          sources.getFileID(sources.getExpansionLoc(inclusion.name.getBegin()));
      const llvm::StringRef quoted =
          clang::Lexer::getSourceText(inclusion.name, sources, unit->ast().getLangOpts());
      Edge &edge = edges.emplace_back(Edge{unit->pathOf(file), inclusion.path, {}, false});
      if (quoted.size() <= 2)
        continue;
      const fs::path written = quoted.drop_front().drop_back().str();
      const fs::path beside = fs::path(edge.from).parent_path() / written;
      edge.isBeside = beside.lexically_normal() == edge.to;
      const std::string name = written.lexically_normal().string();
      if (llvm::StringRef(edge.to).ends_with("/" + name))
        edge.folder = edge.to.substr(0, edge.to.size() - name.size() - 1);
    }
  return edges;
}

/// The units' main files, what is edited, all that includes one of these, and what these find
/// beside themselves.
std::set<std::string> reachedFiles(const SourceSet &sources, const std::vector<Edge> &edges,
                                   const std::vector<ParsedUnit *> &units) {
  std::set<std::string> reached;
  for (ParsedUnit *unit : units)
    reached.insert(unit->pathOf(unit->sources().getMainFileID()));
  for (const SourceText &file : sources.files)
    if (!file.originalPath.empty() && file.text != file.original)
      reached.insert(file.originalPath);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Edge &edge : edges)
      if (reached.contains(edge.to))
        isNew |= reached.insert(edge.from).second;
      else if (reached.contains(edge.from) && edge.isBeside)
        isNew |= reached.insert(edge.to).second;
  }
  return reached;
}

bool isBelow(const fs::path &path, const fs::path &folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

} // namespace

void keepReached(SourceSet &sources, const std::vector<ParsedUnit *> &units) {
  if (sources.files.empty())
    return;
  const SourceText &first = sources.files.front();
  const fs::path before =
      first.originalPath.substr(0, first.originalPath.size() - first.relativePath.size());
  const std::vector<Edge> edges = edgesOf(units);
  const std::set<std::string> reached = reachedFiles(sources, edges, units);
  fs::path root = fs::path(first.originalPath).parent_path();
  const auto include = [&](const fs::path &path) {
    while (root != root.root_path() && path != root && !isBelow(path, root))
      root = root.parent_path();
  };
  for (const std::string &file : reached)
    include(file);
  for (const Edge &edge : edges)
    if (reached.contains(edge.to) && !edge.folder.empty())
      include(edge.folder);
  std::erase_if(sources.files, [&](const SourceText &file) {
    return !file.originalPath.empty() && !isBelow(file.originalPath, root);
  });
  for (SourceText &file : sources.files) {
    const fs::path path =
        file.originalPath.empty() ? before / file.relativePath : fs::path(file.originalPath);
    file.relativePath = path.lexically_relative(root).string();
  }
}

} // namespace relayout::instrument
