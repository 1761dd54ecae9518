// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which parts of a function may stand in the program twice.
#include "gpu/untraced_copies.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <ranges>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

bool mayStandTwice(const clang::Decl *declaration) {
  if (const auto *variable = dyn_cast<clang::VarDecl>(declaration))
    return variable->hasLocalStorage() && !variable->hasAttr<clang::CUDASharedAttr>();
  return isa<clang::TypedefNameDecl, clang::UsingDecl, clang::UsingDirectiveDecl,
             clang::NamespaceAliasDecl, clang::StaticAssertDecl, clang::EmptyDecl>(declaration);
}

/// \param isInSwitch  in one that is part of what is to stand twice
bool mayStandTwice(const clang::Stmt *statement, bool isInSwitch = false) {
  if (!statement)
    return true;
  isInSwitch |= isa<clang::SwitchStmt>(statement);
  if (isa<clang::SwitchCase>(statement) && !isInSwitch)
    return false;
  if (isa<clang::LabelStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::AsmStmt,
          clang::LambdaExpr, clang::StmtExpr>(statement))
    return false;
  if (const auto *made = dyn_cast<clang::DeclStmt>(statement);
      made && !std::ranges::all_of(made->decls(), [](const clang::Decl *declaration) {
        return mayStandTwice(declaration);
      }))
    return false;
  return std::ranges::all_of(statement->children(), [&](const clang::Stmt *child) {
    return mayStandTwice(child, isInSwitch);
  });
}

class PartFinder {
public:
  explicit PartFinder(ReadUnit &unit) : unit_(unit) {}

  std::vector<TokenRange> find(const clang::CompoundStmt *body) {
    const auto fromBack = std::views::reverse(body->body());
    const auto odd = std::ranges::find_if_not(
        fromBack, [](const clang::Stmt *statement) { return mayStandTwice(statement); });
    auto tail = odd.base();
    const auto range =
        tail == body->body_end() ? std::nullopt : wholeRange(*tail, *(body->body_end() - 1));
    if (!range)
      tail = body->body_end();
    for (const clang::Stmt *statement : std::ranges::subrange(body->body_begin(), tail))
      findLoops(statement);
    if (range)
      found_.push_back(*range);
    return std::move(found_);
  }

private:
  /// The outermost loops that can be repeated.
  void findLoops(const clang::Stmt *statement) {
    if (!statement || isa<clang::LambdaExpr>(statement))
      return;
    // A pragma before a loop cannot be told from what stands around it.
    if (const auto *attributed = dyn_cast<clang::AttributedStmt>(statement)) {
      for (const clang::Stmt *child : attributed->getSubStmt()->children())
        findLoops(child);
      return;
    }
    if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement) &&
        mayStandTwice(statement))
      if (const auto range = wholeRange(statement, statement)) {
        found_.push_back(*range);
        return;
      }
    for (const clang::Stmt *child : statement->children())
      findLoops(child);
  }

  [[nodiscard]] std::optional<TokenRange> wholeRange(const clang::Stmt *first,
                                                     const clang::Stmt *last) const {
    const auto begin = tokensOf(*unit_.edits, first);
    const auto end = tokensOf(*unit_.edits, last);
    if (!begin || !end || !isPieceOfFile(unit_, {begin->first, end->last}))
      return std::nullopt;
    return TokenRange{begin->first, end->last};
  }

  ReadUnit &unit_;
  std::vector<TokenRange> found_;
};

} // namespace

bool keepsDirectivesWhole(llvm::StringRef text) {
  int depth = 0;
  bool isFirst = true; // begins behind what may stand before the text
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    text = rest;
    llvm::StringRef directive = line.ltrim();
    if (std::exchange(isFirst, false) || !directive.consume_front("#"))
      continue;
    directive = directive.ltrim().take_while(llvm::isAlpha);
    if (directive == "if" || directive == "ifdef" || directive == "ifndef")
      ++depth;
    else if (directive == "endif")
      --depth;
    else if (directive.starts_with("el") ? depth == 0 : directive != "pragma")
      return false;
    if (depth < 0)
      return false;
  }
  return depth == 0;
}

bool isPieceOfFile(ReadUnit &unit, const TokenRange &range) {
  const clang::SourceManager &sources = unit.unit->sources();
  const clang::SourceLocation from = unit.edits->token(range.first).getLocation();
  const clang::SourceLocation to = unit.edits->token(range.last).getEndLoc();
  return from.isFileID() && to.isFileID() && sources.getFileID(from) == sources.getFileID(to) &&
         keepsDirectivesWhole(
             clang::Lexer::getSourceText(clang::CharSourceRange::getCharRange(from, to), sources,
                                         unit.unit->ast().getLangOpts()));
}

std::vector<TokenRange> repeatableParts(ReadUnit &unit, const clang::FunctionDecl *function) {
  return PartFinder(unit).find(cast<clang::CompoundStmt>(function->getBody()));
}

} // namespace relayout::instrument
