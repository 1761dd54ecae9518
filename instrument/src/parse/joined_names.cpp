// SPDX-License-Identifier: Apache-2.0
// Whether several source files mean the same when they are read as one.
#include "parse/joined_names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

class NameCheck : public clang::RecursiveASTVisitor<NameCheck> {
public:
  NameCheck(ParsedUnit &unit, const CompileCommand &command) : unit_(unit) {
    paths_.insert(fs::weakly_canonical(command.file).string());
    for (const std::string &file : command.more)
      paths_.insert(fs::weakly_canonical(file).string());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) {
    return check(name->getDecl(), name->getLocation());
  }
  bool VisitTagTypeLoc(clang::TagTypeLoc type) { return check(type.getDecl(), type.getNameLoc()); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) {
    return check(type.getDecl(), type.getNameLoc());
  }

  /// CUDA may tell a host from a device function of the same name and parameters; the CPU cannot.
  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    const std::string &home = fileOf(function->getLocation());
    if (home.empty() || !function->getDeclContext()->isFileContext())
      return true;
    for (const clang::NamedDecl *other :
         function->getDeclContext()->lookup(function->getDeclName())) {
      const auto *same = llvm::dyn_cast<clang::FunctionDecl>(other);
      if (!same || same->getCanonicalDecl() == function->getCanonicalDecl() ||
          !unit_.ast().hasSameType(same->getType(), function->getType()) ||
          fileOf(same->getLocation()).empty() || fileOf(same->getLocation()) == home ||
          !unit_.sources().isBeforeInTranslationUnit(same->getLocation(), function->getLocation()))
        continue;
      failure = Error{Code::FilesDoNotJoin,
                      fmt::format("'{}' is one function in '{}' and another here: the files cannot "
                                  "be read as one program",
                                  function->getNameAsString(),
                                  fs::path(fileOf(same->getLocation())).filename().string()),
                      unit_.place(function->getLocation()),
                      {{unit_.place(same->getLocation()), "give one of the two another name"}}};
      return false;
    }
    return true;
  }

  std::optional<Error> failure;

private:
  /// The source file a place is in; empty for headers.
  const std::string &fileOf(clang::SourceLocation location) {
    static const std::string kHeader;
    if (location.isInvalid())
      return kHeader;
    const clang::SourceManager &sources = unit_.sources();
    const clang::FileID file = sources.getFileID(sources.getExpansionLoc(location));
    const auto [entry, isNew] = files_.try_emplace(file);
    if (isNew)
      if (const auto name = sources.getFileEntryRefForID(file)) {
        std::string path = fs::weakly_canonical(name->getName().str()).string();
        if (paths_.contains(path))
          entry->second = std::move(path);
      }
    return entry->second;
  }

  bool check(const clang::NamedDecl *declaration, clang::SourceLocation where) {
    const std::string &user = fileOf(where);
    if (user.empty())
      return true;
    for (const clang::Decl *same : declaration->redecls())
      if (const std::string &home = fileOf(same->getLocation()); home.empty() || home == user)
        return true;
    failure =
        Error{Code::FilesDoNotJoin,
              fmt::format("'{}' is used here and declared only in '{}': the files cannot be "
                          "read as one program",
                          declaration->getNameAsString(),
                          fs::path(fileOf(declaration->getLocation())).filename().string()),
              unit_.place(where),
              {{unit_.place(declaration->getLocation()),
                "declared here; give one of the two another name, or declare it in a header"}}};
    return false;
  }

  ParsedUnit &unit_;
  std::set<std::string> paths_;
  std::map<clang::FileID, std::string> files_;
};

} // namespace

Result<void> checkJoined(ParsedUnit &unit, const CompileCommand &command) {
  if (command.more.empty())
    return {};
  NameCheck check(unit, command);
  check.TraverseAST(unit.ast());
  if (check.failure)
    return tl::unexpected(std::move(*check.failure));
  return {};
}

} // namespace relayout::instrument
