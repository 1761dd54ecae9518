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

/// Whether a statement declares a variable with a value, which no label may jump over.
bool setsVariable(const clang::Stmt *statement) {
  const auto *declaration = dyn_cast_or_null<clang::DeclStmt>(statement);
  return declaration && std::ranges::any_of(declaration->decls(), [](const clang::Decl *declared) {
           const auto *variable = dyn_cast<clang::VarDecl>(declared);
           const auto *made = variable && variable->hasInit()
                                  ? dyn_cast<clang::CXXConstructExpr>(variable->getInit())
                                  : nullptr;
           return variable && variable->hasLocalStorage() && variable->hasInit() &&
                  !(made && made->getConstructor()->isTrivial() && made->getNumArgs() == 0);
         });
}

bool names(const clang::Stmt *statement, const clang::Decl *declared) {
  if (!statement)
    return false;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(statement);
      name && name->getDecl() == declared)
    return true;
  return std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return names(child, declared); });
}

using Statements = llvm::ArrayRef<clang::Stmt *>;

/// Whether what the statements declare is variables, of which those behind name none.
bool mayBeEnclosed(Statements statements, Statements behind) {
  return std::ranges::all_of(statements, [&](const clang::Stmt *statement) {
    const auto *declaration = dyn_cast_or_null<clang::DeclStmt>(behindLabels(statement));
    return !declaration ||
           std::ranges::all_of(declaration->decls(), [&](const clang::Decl *declared) {
             return isa<clang::VarDecl>(declared) &&
                    std::ranges::none_of(
                        behind, [&](const clang::Stmt *later) { return names(later, declared); });
           });
  });
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
    Statements rest(block->body_begin(), block->size());
    while (!rest.empty()) {
      const Statements section = rest.slice(
          0, 1 + rest.drop_front()
                     .take_until([](const clang::Stmt *one) { return isa<clang::SwitchCase>(one); })
                     .size());
      rest = rest.drop_front(section.size());
      const auto first = std::ranges::find_if(
          section, [](const clang::Stmt *one) { return setsVariable(behindLabels(one)); });
      if (first != section.end() && !rest.empty() &&
          mayBeEnclosed(section.drop_front(first - section.begin()), rest))
        enclose(*behindLabels(*first), *rest.front());
    }
    return true;
  }

private:
  void enclose(const clang::Stmt &first, const clang::Stmt &behind) {
    const auto open = edits_.indexOf(first.getBeginLoc());
    const auto close = edits_.indexOf(behind.getBeginLoc());
    if (!open || !close)
      return;
    edits_.insertBefore(*open, "{ ");
    edits_.insertBefore(*close, "} ");
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
