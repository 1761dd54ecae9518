// SPDX-License-Identifier: Apache-2.0
// Looks at the statements that stand directly in a switch.
#include "host/switch_scopes.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

const clang::Stmt *behindLabels(const clang::Stmt *statement) {
  while (const auto *label = dyn_cast_or_null<clang::SwitchCase>(statement))
    statement = label->getSubStmt();
  return statement;
}

/// Whether a statement declares a variable with a value.
bool setsVariable(const clang::Stmt *statement) {
  const auto *declaration = dyn_cast_or_null<clang::DeclStmt>(statement);
  return declaration && std::ranges::any_of(declaration->decls(), [](const clang::Decl *declared) {
           const auto *variable = dyn_cast<clang::VarDecl>(declared);
           return variable && variable->hasLocalStorage() && variable->hasInit();
         });
}

bool names(const clang::Stmt *statement, const clang::DeclStmt &declaration) {
  if (!statement)
    return false;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(statement);
      name && std::find(declaration.decl_begin(), declaration.decl_end(), name->getDecl()) !=
                  declaration.decl_end())
    return true;
  return std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return names(child, declaration); });
}

class Switches : public clang::DynamicRecursiveASTVisitor {
public:
  Switches(ParsedUnit &unit, TokenEdits &edits) : unit_(unit), edits_(edits) {}

  bool VisitSwitchStmt(clang::SwitchStmt *choice) override {
    const auto *block = dyn_cast_or_null<clang::CompoundStmt>(choice->getBody());
    const clang::SourceManager &sources = unit_.sources();
    if (!block || block->getLBracLoc().isMacroID() ||
        !unit_.isUserFile(sources.getFileID(block->getLBracLoc())))
      return true;
    for (auto at = block->body_begin(); at != block->body_end();) {
      const auto label = std::find_if(at + 1, block->body_end(), [](const clang::Stmt *one) {
        return isa<clang::SwitchCase>(one);
      });
      const auto first = std::find_if(
          at, label, [](const clang::Stmt *one) { return setsVariable(behindLabels(one)); });
      if (first != label && label != block->body_end())
        close(*behindLabels(*first), label, block->body_end());
      at = label;
    }
    return true;
  }

private:
  void close(const clang::Stmt &declaration, clang::CompoundStmt::const_body_iterator label,
             clang::CompoundStmt::const_body_iterator end) {
    if (std::any_of(label, end, [&](const clang::Stmt *later) {
          return names(later, *clang::cast<clang::DeclStmt>(&declaration));
        }))
      return;
    const auto open = edits_.indexOf(declaration.getBeginLoc());
    const auto behind = edits_.indexOf((*label)->getBeginLoc());
    if (!open || !behind)
      return;
    edits_.insertBefore(*open, "{ ");
    edits_.insertBefore(*behind, "} ");
  }

  ParsedUnit &unit_;
  TokenEdits &edits_;
};

} // namespace

void closeScopesInSwitches(ParsedUnit &unit, TokenEdits &edits) {
  if (unit.ast().getLangOpts().CPlusPlus)
    Switches(unit, edits).TraverseAST(unit.ast());
}

} // namespace relayout::instrument
