// SPDX-License-Identifier: Apache-2.0
// Finds the live ranges of a variable, each within one block, and which of them share arrays.
#include "structs/split_pointers.h"

#include "structs/object_names.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// From an assignment that is a statement of a block to the next, or to the block's end.
struct LiveRange {
  std::vector<const clang::DeclRefExpr *> names;
  std::set<const clang::ValueDecl *> with; ///< what it is assigned from and to
  bool isFirst = false;                    ///< of the declaration's initial value
};

struct ReusedPointer {
  std::vector<LiveRange> ranges;
  bool isKept = false; ///< it is used in another way
};

const clang::ValueDecl *declarationOf(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    return name->getDecl();
  const auto *member = dyn_cast<clang::MemberExpr>(bare);
  return member ? member->getMemberDecl() : nullptr;
}

/// `x = y;` as a statement.
const clang::BinaryOperator *assignmentIn(const clang::Stmt *statement) {
  const auto *expression = dyn_cast_or_null<clang::Expr>(statement);
  const auto *assignment =
      expression ? dyn_cast<clang::BinaryOperator>(expression->IgnoreParens()) : nullptr;
  return assignment && assignment->getOpcode() == clang::BO_Assign ? assignment : nullptr;
}

/// The ranges of all local pointers of one function.
class LiveRangeVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  explicit LiveRangeVisitor(std::map<const clang::VarDecl *, ReusedPointer> &reused)
      : reused_(reused) {}

  bool TraverseCompoundStmt(clang::CompoundStmt *block) override {
    const std::map<ReusedPointer *, std::size_t> outer = current_;
    for (clang::Stmt *statement : block->body())
      if (!traverseStatement(statement, outer))
        return false;
    // What follows the block may see what it assigned last.
    for (const auto &[pointer, range] : current_)
      if (const auto known = outer.find(pointer); known == outer.end())
        left_[pointer] = true;
    current_ = outer;
    return true;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    ++lambdas_;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    --lambdas_;
    return goesOn;
  }

  /// Its statements follow each other in no one order.
  bool TraverseSwitchStmt(clang::SwitchStmt *choice) override {
    ++switches_;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseSwitchStmt(choice);
    --switches_;
    return goesOn;
  }

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *conversion) override {
    if (conversion->getCastKind() == clang::CK_LValueToRValue)
      if (const auto *name = dyn_cast<clang::DeclRefExpr>(conversion->getSubExpr()->IgnoreParens()))
        read_.insert(name);
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
    if (operation->getOpcode() != clang::BO_Assign)
      return true;
    const auto *from = dyn_cast<clang::DeclRefExpr>(operation->getRHS()->IgnoreParenCasts());
    ReusedPointer *const pointer = from ? reusedAt(*from) : nullptr;
    const clang::ValueDecl *to = declarationOf(*operation->getLHS());
    if (const auto now = current_.find(pointer); pointer && to && now != current_.end())
      pointer->ranges[now->second].with.insert(to);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    ReusedPointer *const pointer = reusedAt(*name);
    if (pointer && switches_ != 0)
      return keep(*pointer);
    if (!pointer || assigned_.contains(name))
      return true;
    const auto now = current_.find(pointer);
    if (now == current_.end() || lambdas_ != 0 || left_[pointer] || !read_.contains(name))
      return keep(*pointer);
    pointer->ranges[now->second].names.push_back(name);
    return true;
  }

  bool VisitGotoStmt(clang::GotoStmt *) override {
    for (auto &[variable, pointer] : reused_)
      pointer.isKept = true;
    return true;
  }

private:
  bool traverseStatement(clang::Stmt *statement,
                         const std::map<ReusedPointer *, std::size_t> &outer) {
    const clang::BinaryOperator *assignment = assignmentIn(statement);
    const auto *to =
        assignment ? dyn_cast<clang::DeclRefExpr>(assignment->getLHS()->IgnoreParens()) : nullptr;
    ReusedPointer *const pointer = to ? reusedAt(*to) : nullptr;
    if (pointer)
      assigned_.insert(to);
    if (!TraverseStmt(statement))
      return false;
    if (pointer)
      open(*pointer, to, assignment->getRHS(), outer);
    if (const auto *declaration = dyn_cast<clang::DeclStmt>(statement))
      for (const clang::Decl *declared : declaration->decls())
        if (const auto *variable = dyn_cast<clang::VarDecl>(declared);
            variable && variable->getInit())
          if (const auto known = reused_.find(variable); known != reused_.end())
            open(known->second, nullptr, variable->getInit(), outer);
    return true;
  }

  /// Inside a block that its last value reaches, an assignment goes on with that range: which of
  /// the two a later use sees depends on the way.
  void open(ReusedPointer &pointer, const clang::DeclRefExpr *name, const clang::Expr *value,
            const std::map<ReusedPointer *, std::size_t> &outer) {
    const auto around = outer.find(&pointer);
    if (around != outer.end()) {
      current_[&pointer] = around->second;
    } else {
      current_[&pointer] = pointer.ranges.size();
      pointer.ranges.push_back({{}, {}, name == nullptr});
      left_[&pointer] = false;
    }
    LiveRange &range = pointer.ranges[current_[&pointer]];
    if (name)
      range.names.push_back(name);
    if (const clang::ValueDecl *from = declarationOf(*value))
      range.with.insert(from);
  }

  static bool keep(ReusedPointer &pointer) {
    pointer.isKept = true;
    return true;
  }

  ReusedPointer *reusedAt(const clang::DeclRefExpr &name) {
    const auto *variable = dyn_cast<clang::VarDecl>(name.getDecl());
    const auto known = variable ? reused_.find(variable) : reused_.end();
    return known == reused_.end() ? nullptr : &known->second;
  }

  std::map<const clang::VarDecl *, ReusedPointer> &reused_;
  std::map<ReusedPointer *, std::size_t> current_; ///< whose range each is in
  std::map<ReusedPointer *, bool> left_;           ///< a block that assigned it has ended
  std::set<const clang::DeclRefExpr *> read_, assigned_;
  unsigned lambdas_ = 0, switches_ = 0; ///< around
};

/// Live ranges that share an array belong together. By the range, the number of its variable; that
/// of the declaration's own value, or else the first, is 0.
std::vector<std::size_t> variablesOf(const std::vector<LiveRange> &ranges) {
  std::vector<std::size_t> of(ranges.size());
  std::iota(of.begin(), of.end(), 0);
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 0; i < of.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const bool isShared = std::ranges::any_of(ranges[i].with, [&](const auto *declaration) {
          return ranges[j].with.contains(declaration);
        });
        if (!isShared || of[i] == of[j])
          continue;
        of[i] = of[j] = std::min(of[i], of[j]);
        changes = true;
      }
  }
  const auto first = std::ranges::find_if(ranges, &LiveRange::isFirst);
  const std::size_t own =
      first == ranges.end() ? 0 : of[static_cast<std::size_t>(first - ranges.begin())];
  std::map<std::size_t, std::size_t> numbers{{own, 0}};
  for (std::size_t &variable : of)
    variable = numbers.try_emplace(variable, numbers.size()).first->second;
  return of;
}

class PointerSplitter : public clang::DynamicRecursiveASTVisitor {
public:
  PointerSplitter(ParsedUnit &unit, const ArrayFlow &flow, const std::set<std::string> *only,
                  SplitText &text, std::vector<SharedHolder> &holders)
      : unit_(unit), flow_(flow), only_(only), text_(text), holders_(holders) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!function->doesThisDeclarationHaveABody() || !isUsers(unit_, *function) ||
        function->isDependentContext() || function->isTemplateInstantiation())
      return true;
    std::map<const clang::VarDecl *, ReusedPointer> reused;
    for (const clang::Decl *declaration : function->decls())
      if (const auto *variable = dyn_cast<clang::VarDecl>(declaration);
          variable && mayBeSplit(*variable))
        reused[variable];
    if (reused.empty())
      return true;
    LiveRangeVisitor(reused).TraverseStmt(function->getBody());
    for (const auto &[variable, pointer] : reused)
      if (!pointer.isKept)
        split(*variable, pointer.ranges);
    return true;
  }

private:
  bool mayBeSplit(const clang::VarDecl &variable) const {
    const trace::Index group = variable.getType()->isPointerType() && variable.isLocalVarDecl() &&
                                       !variable.isStaticLocal()
                                   ? flow_.groupOf(&variable)
                                   : trace::kNone;
    return group != trace::kNone && flow_.groups()[group].origins.areOfBothSides() &&
           (!only_ || only_->contains(ArrayFlow::nameOf(&variable)));
  }

  void split(const clang::VarDecl &variable, const std::vector<LiveRange> &ranges) {
    const std::vector<std::size_t> variables = variablesOf(ranges);
    const std::size_t last = variables.empty() ? 0 : std::ranges::max(variables);
    const auto end = filePlace(unit_, variable.getEndLoc());
    std::vector<std::pair<TypePlace, std::size_t>> places;
    for (std::size_t i = 0; i < ranges.size(); ++i)
      for (const clang::DeclRefExpr *name : ranges[i].names) {
        const auto place = filePlace(unit_, name->getLocation());
        if (!place)
          return;
        places.emplace_back(*place, variables[i]);
      }
    if (last == 0 || !end)
      return;
    const std::string name = variable.getNameAsString();
    std::vector<std::string> names{name};
    std::string declarators;
    for (unsigned number = 2; names.size() <= last; ++number) {
      std::string own = name + std::to_string(number);
      if (isKnownName(own))
        continue;
      declarators += fmt::format(", {}{}", std::string(starsOf(variable), '*'), own);
      names.push_back(std::move(own));
    }
    const unsigned behind =
        end->offset + clang::Lexer::MeasureTokenLength(variable.getEndLoc(), unit_.sources(),
                                                       unit_.ast().getLangOpts());
    text_.insert(end->path, behind, declarators, 0);
    for (const auto &[place, number] : places)
      if (number != 0)
        text_.replace(place.path, place.offset, place.offset + static_cast<unsigned>(name.size()),
                      names[number]);
    const SourcePlace where = unit_.place(variable.getLocation());
    const std::string whole = ArrayFlow::nameOf(&variable);
    holders_.push_back({whole,
                        whole.substr(0, whole.size() - name.size()) + names.back(),
                        where,
                        {name},
                        {},
                        where});
  }

  static unsigned starsOf(const clang::VarDecl &variable) {
    unsigned stars = 0;
    clang::TypeLoc type = variable.getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
    while (const auto pointer = type.getAs<clang::PointerTypeLoc>()) {
      ++stars;
      type = pointer.getPointeeLoc().getUnqualifiedLoc();
    }
    return stars;
  }

  bool isKnownName(const std::string &name) const {
    const clang::IdentifierTable &table = unit_.preprocessor().getIdentifierTable();
    return table.find(name) != table.end();
  }

  ParsedUnit &unit_;
  const ArrayFlow &flow_;
  const std::set<std::string> *only_;
  SplitText &text_;
  std::vector<SharedHolder> &holders_;
};

} // namespace

SplitProgram splitPointers(const std::vector<ParsedUnit *> &units,
                           const std::vector<ArrayFlow> &flows, const std::set<std::string> *only) {
  SplitProgram result;
  SplitText text(units);
  for (std::size_t u = 0; u < units.size(); ++u)
    PointerSplitter(*units[u], flows[u], only, text, result.holders).TraverseAST(units[u]->ast());
  if (!result.holders.empty())
    result.texts = text.texts().value_or(std::vector<ReplacedText>());
  return result;
}

std::set<std::string> usefulPointers(const std::vector<SharedHolder> &variables,
                                     const std::vector<ArrayFlow> &flows) {
  return usefulHolders(variables, flows, [](const SharedHolder &variable, const auto &declaration) {
    const std::string name = ArrayFlow::nameOf(&declaration);
    return name == variable.name || name == variable.deviceName;
  });
}

} // namespace relayout::instrument
