// SPDX-License-Identifier: Apache-2.0
// Follows calls from the launches up to `main`.
#include "model/launch_loops.h"

#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A function by its symbol.
struct Caller {
  std::set<std::string> calls;        ///< other functions, outside of loops
  std::set<std::string> callsInLoops; ///< or itself, or names without calling it
  bool launches = false;
  bool launchesInLoop = false;
};

struct Calls {
  std::map<std::string, Caller> callers;
  std::string main;
};

class LaunchFinder : public clang::DynamicRecursiveASTVisitor {
public:
  LaunchFinder(ParsedUnit &unit, Calls &calls) : unit_(unit), calls_(calls) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
        unit_.sources().isInSystemHeader(
            unit_.sources().getExpansionLoc(declaration->getLocation())))
      return true;
    const auto *function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (!function)
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    if (function->isDependentContext()) // its instances are looked at
      return true;
    const std::string symbol = symbolOfFunction(*function);
    if (function->isMain())
      calls_.main = symbol;
    Caller *const around = around_;
    const int loops = loops_;
    around_ = &calls_.callers[symbol];
    loops_ = 0;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = around;
    loops_ = loops;
    return goesOn;
  }

  bool TraverseStmt(clang::Stmt *statement) override {
    // What a lambda or a label leads to may come again.
    const bool mayRepeat =
        statement && isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt,
                         clang::LambdaExpr, clang::LabelStmt>(statement);
    loops_ += mayRepeat ? 1 : 0;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseStmt(statement);
    loops_ -= mayRepeat && !isa<clang::LabelStmt>(statement) ? 1 : 0;
    return goesOn;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *) override {
    noteLaunch();
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts()))
      called_.insert(name);
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (callee && callee->getDeclName().isIdentifier() &&
        (callee->getName().starts_with("cudaLaunch") || callee->getName() == "cudaGraphLaunch"))
      noteLaunch();
    if (callee)
      note(*callee,
           isa<clang::CXXMethodDecl>(callee) && cast<clang::CXXMethodDecl>(callee)->isVirtual());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    note(*made->getConstructor(), false);
    return true;
  }
  /// A function whose address is taken may be called by anybody.
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(name->getDecl());
        function && !called_.contains(name))
      note(*function, true);
    return true;
  }

private:
  [[nodiscard]] std::string symbolOfFunction(const clang::FunctionDecl &function) const {
    return symbolOf(unit_, function.getCanonicalDecl());
  }

  void noteLaunch() {
    if (!around_)
      return;
    around_->launches = true;
    around_->launchesInLoop |= loops_ > 0;
  }

  void note(const clang::FunctionDecl &callee, bool mayRepeat) {
    if (!around_)
      return;
    const std::string symbol = symbolOfFunction(callee);
    const bool isItself = &calls_.callers[symbol] == around_;
    (mayRepeat || isItself || loops_ > 0 ? around_->callsInLoops : around_->calls).insert(symbol);
  }

  ParsedUnit &unit_;
  Calls &calls_;
  std::set<const clang::DeclRefExpr *> called_;
  Caller *around_ = nullptr;
  int loops_ = 0;
};

} // namespace

bool mayRepeatLaunches(const std::vector<ParsedUnit *> &units) {
  Calls calls;
  for (ParsedUnit *unit : units)
    LaunchFinder(*unit, calls).TraverseAST(unit->ast());
  std::map<std::string, bool> reached; ///< true: in a loop
  std::vector<std::pair<std::string, bool>> open = {{calls.main, false}};
  while (!open.empty()) {
    const auto [symbol, isInLoop] = open.back();
    open.pop_back();
    const auto [known, isNew] = reached.try_emplace(symbol, isInLoop);
    if (!isNew && (known->second || !isInLoop))
      continue;
    known->second = isInLoop;
    const Caller &caller = calls.callers[symbol];
    if (caller.launchesInLoop || (caller.launches && isInLoop))
      return true;
    for (const std::string &callee : caller.callsInLoops)
      open.emplace_back(callee, true);
    for (const std::string &callee : caller.calls)
      open.emplace_back(callee, isInLoop);
  }
  // What no call from main leads to is called in a way that is not seen here.
  return std::ranges::any_of(calls.callers, [&](const auto &entry) {
    return entry.second.launches && !reached.contains(entry.first);
  });
}

} // namespace relayout::instrument
