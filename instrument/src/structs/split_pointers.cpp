// SPDX-License-Identifier: Apache-2.0
// Finds the stretches of a block in which a variable holds one value, and which of them have to do
// with the same arrays.
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
struct Stretch {
  std::vector<const clang::DeclRefExpr *> names;
  std::set<const clang::ValueDecl *> with; ///< what it is assigned from and to
  bool isFirst = false;                    ///< of the declaration's initial value
};

struct Spare {
  std::vector<Stretch> stretches;
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

/// The stretches of all local pointers of one function.
class StretchVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  explicit StretchVisitor(std::map<const clang::VarDecl *, Spare> &spares) : spares_(spares) {}

  bool TraverseCompoundStmt(clang::CompoundStmt *block) override {
    const std::map<Spare *, std::size_t> outer = current_;
    for (clang::Stmt *statement : block->body())
      if (!traverseStatement(statement, outer))
        return false;
    // What follows the block may see what it assigned last.
    for (const auto &[spare, stretch] : current_)
      if (const auto known = outer.find(spare); known == outer.end())
        left_[spare] = true;
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
    Spare *const spare = from ? spareOf(*from) : nullptr;
    const clang::ValueDecl *to = declarationOf(*operation->getLHS());
    if (const auto now = current_.find(spare); spare && to && now != current_.end())
      spare->stretches[now->second].with.insert(to);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    Spare *const spare = spareOf(*name);
    if (spare && switches_ != 0)
      return keep(*spare);
    if (!spare || assigned_.contains(name))
      return true;
    const auto now = current_.find(spare);
    if (now == current_.end() || lambdas_ != 0 || left_[spare] || !read_.contains(name))
      return keep(*spare);
    spare->stretches[now->second].names.push_back(name);
    return true;
  }

  bool VisitGotoStmt(clang::GotoStmt *) override {
    for (auto &[variable, spare] : spares_)
      spare.isKept = true;
    return true;
  }

private:
  bool traverseStatement(clang::Stmt *statement, const std::map<Spare *, std::size_t> &outer) {
    const clang::BinaryOperator *assignment = assignmentIn(statement);
    const auto *to =
        assignment ? dyn_cast<clang::DeclRefExpr>(assignment->getLHS()->IgnoreParens()) : nullptr;
    Spare *const spare = to ? spareOf(*to) : nullptr;
    if (spare)
      assigned_.insert(to);
    if (!TraverseStmt(statement))
      return false;
    if (spare)
      open(*spare, to, assignment->getRHS(), outer);
    if (const auto *declaration = dyn_cast<clang::DeclStmt>(statement))
      for (const clang::Decl *declared : declaration->decls())
        if (const auto *variable = dyn_cast<clang::VarDecl>(declared);
            variable && variable->getInit())
          if (const auto known = spares_.find(variable); known != spares_.end())
            open(known->second, nullptr, variable->getInit(), outer);
    return true;
  }

  /// Inside a block that its last value reaches, an assignment goes on with that stretch: which of
  /// the two a later use sees depends on the way.
  void open(Spare &spare, const clang::DeclRefExpr *name, const clang::Expr *value,
            const std::map<Spare *, std::size_t> &outer) {
    const auto around = outer.find(&spare);
    if (around != outer.end()) {
      current_[&spare] = around->second;
    } else {
      current_[&spare] = spare.stretches.size();
      spare.stretches.push_back({{}, {}, name == nullptr});
      left_[&spare] = false;
    }
    Stretch &stretch = spare.stretches[current_[&spare]];
    if (name)
      stretch.names.push_back(name);
    if (const clang::ValueDecl *from = declarationOf(*value))
      stretch.with.insert(from);
  }

  static bool keep(Spare &spare) {
    spare.isKept = true;
    return true;
  }

  Spare *spareOf(const clang::DeclRefExpr &name) {
    const auto *variable = dyn_cast<clang::VarDecl>(name.getDecl());
    const auto known = variable ? spares_.find(variable) : spares_.end();
    return known == spares_.end() ? nullptr : &known->second;
  }

  std::map<const clang::VarDecl *, Spare> &spares_;
  std::map<Spare *, std::size_t> current_; ///< whose stretch each is in
  std::map<Spare *, bool> left_;           ///< a block that assigned it has ended
  std::set<const clang::DeclRefExpr *> read_, assigned_;
  unsigned lambdas_ = 0, switches_ = 0; ///< around
};

/// Stretches that share an array belong together. By the stretch, the number of its variable; that
/// of the declaration's own value, or else the first, is 0.
std::vector<std::size_t> variablesOf(const std::vector<Stretch> &stretches) {
  std::vector<std::size_t> of(stretches.size());
  std::iota(of.begin(), of.end(), 0);
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 0; i < of.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const bool isShared = std::ranges::any_of(stretches[i].with, [&](const auto *declaration) {
          return stretches[j].with.contains(declaration);
        });
        if (!isShared || of[i] == of[j])
          continue;
        of[i] = of[j] = std::min(of[i], of[j]);
        changes = true;
      }
  }
  const auto first = std::ranges::find_if(stretches, &Stretch::isFirst);
  const std::size_t own =
      first == stretches.end() ? 0 : of[static_cast<std::size_t>(first - stretches.begin())];
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
    std::map<const clang::VarDecl *, Spare> spares;
    for (const clang::Decl *declaration : function->decls())
      if (const auto *variable = dyn_cast<clang::VarDecl>(declaration);
          variable && mayBeSplit(*variable))
        spares[variable];
    if (spares.empty())
      return true;
    StretchVisitor(spares).TraverseStmt(function->getBody());
    for (const auto &[variable, spare] : spares)
      if (!spare.isKept)
        split(*variable, spare.stretches);
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

  void split(const clang::VarDecl &variable, const std::vector<Stretch> &stretches) {
    const std::vector<std::size_t> variables = variablesOf(stretches);
    const std::size_t last = variables.empty() ? 0 : std::ranges::max(variables);
    const auto end = filePlace(unit_, variable.getEndLoc());
    std::vector<std::pair<TypePlace, std::size_t>> places;
    for (std::size_t i = 0; i < stretches.size(); ++i)
      for (const clang::DeclRefExpr *name : stretches[i].names) {
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
  std::set<std::string> useful;
  for (const ArrayFlow &flow : flows)
    for (const ArrayGroup &group : flow.groups()) {
      if (group.origins.areOfBothSides() || !group.mayBeDeviceArrays())
        continue;
      for (const clang::ValueDecl *declaration : group.declarations)
        for (const SharedHolder &variable : variables)
          if (const std::string name = ArrayFlow::nameOf(declaration);
              name == variable.name || name == variable.deviceName)
            useful.insert(variable.name);
    }
  return useful;
}

} // namespace relayout::instrument
