// SPDX-License-Identifier: Apache-2.0
// Finds what of a template does not depend on its arguments, and edits it as in an instance.
#include "rules/pattern_text.h"

#include "legality/template_arguments.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// The uses of a template's text that mean the same in all its instances.
class IndependentUses : public clang::DynamicRecursiveASTVisitor {
public:
  explicit IndependentUses(const Program &program) : program_(program) {}

  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declarator) override {
    const auto *function = dyn_cast<clang::FunctionDecl>(declarator);
    const clang::QualType type = function ? function->getReturnType() : declarator->getType();
    if (type->isDependentType())
      return true;
    add(declarator->getLocation());
    if (const Target *target = program_.targetOf(declarator))
      targets.insert(target);
    return true;
  }

  bool VisitExpr(clang::Expr *expression) override {
    if (expression->isTypeDependent())
      return true;
    add(expression->getBeginLoc());
    add(expression->getExprLoc());
    if (const auto *call = dyn_cast<clang::CallExpr>(expression))
      add(call->getCallee()->getExprLoc());
    return true;
  }

  std::set<FilePlace> places;
  std::set<const Target *> targets; ///< of what it declares

private:
  void add(clang::SourceLocation location) {
    if (std::optional<FilePlace> place = program_.reader.place(location))
      places.insert(*std::move(place));
  }

  const Program &program_;
};

/// Whether the views are known where a template begins.
bool knows(const Program &program, const clang::FunctionDecl &pattern,
           const std::set<const Target *> &targets) {
  return std::ranges::all_of(targets, [&](const Target *target) {
    return !program.includes.contains(target->record) ||
           program.unit.sources().isBeforeInTranslationUnit(
               definedBeforeHeader(*target->record).getBraceRange().getEnd(),
               pattern.getBeginLoc());
  });
}

} // namespace

void editPatterns(Program &program) {
  for (const auto &[instance, edits] : program.copies) {
    const auto *function = dyn_cast<clang::FunctionDecl>(instance);
    clang::FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
    if (!pattern)
      continue;
    IndependentUses uses(program);
    uses.TraverseDecl(pattern);
    if (knows(program, *pattern, uses.targets))
      program.edits.addNew(edits, uses.places);
  }
}

} // namespace relayout::rewriter
