// SPDX-License-Identifier: Apache-2.0
// The climb itself, and the list of its rules.
#include "rules/climb.h"

#include "relayout/instrument/clang/scalar_records.h"
#include "rules/constructs.h"
#include "rules/macro_uses.h"

#include <clang/AST/ASTLambda.h>

#include <fmt/format.h>

namespace relayout::rewriter {

const std::vector<Rule> &rulesFor(Reached what) {
  struct Entry {
    Reached what;
    Rule rule;
  };
  static constexpr Entry kRules[] = {
#define RULE(reached, rule) {Reached::reached, rule},
#include "rules/rules.def"
#undef RULE
  };
  static const std::vector<std::vector<Rule>> kByPlace = [] {
    std::vector<std::vector<Rule>> byPlace(static_cast<std::size_t>(Reached::FieldPointer) + 1);
    for (const Entry &entry : kRules)
      byPlace[static_cast<std::size_t>(entry.what)].push_back(entry.rule);
    return byPlace;
  }();
  return kByPlace[static_cast<std::size_t>(what)];
}

void Climb::run(Place here) {
  while (true) {
    const Parent around = program.index.parentOf(here.expression);
    std::optional<Step> step;
    for (const Rule rule : rulesFor(here.what))
      if ((step = rule(*this, here, around)))
        break;
    if (!step)
      step = unknownUse(*this, here, around);
    gathered.insert(gathered.end(), step->edits.begin(), step->edits.end());
    if (step->refusal)
      return refuse(*step->refusal);
    if (!step->next)
      return;
    here = std::move(*step->next);
  }
}

namespace {

/// True for a parameter of the function around it, and for parts of its `this`.
bool isGivenTo(const clang::FunctionDecl *function, const clang::Expr &name) {
  const auto *method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(&name))
    return clang::isa<clang::ParmVarDecl>(reference->getDecl()) &&
           reference->getDecl()->getDeclContext() == function;
  return method && method->isInstance() && !clang::isLambdaCallOperator(method);
}

} // namespace

void Climb::follow(Program *owner, const clang::Expr &name, Place here,
                   const clang::ParmVarDecl *given) {
  Program &around = owner ? *owner : program;
  Climb inner(around, references, target, around.index.functionAround(&name));
  inner.isFollowed = true;
  inner.isGiven = isGivenTo(inner.function, name);
  inner.parameter = given;
  inner.run(std::move(here));
  refused |= inner.refused;
}

void Climb::need(ViewOperation operation) {
  const bool isCopy =
      operation == ViewOperation::LoadConst || operation == ViewOperation::LoadMutable;
  if (isCopy && target.shape.isCopiedByHostAlone)
    refuse({Code::NotPlainData,
            "elements are used as a whole, and their copy functions are the host's alone",
            target.record->getLocation(), "declare them __host__ __device__, or name the fields"});
  program.parts[&target].operations.insert(operation);
}

void Climb::refuse(const Refusal &refusal) {
  refused = true;
  if (refusal.code == Code::EditInMacro && refusal.where.isMacroID())
    references.noteMacro(nameOfMacro(program, refusal.where));
  program.findings.refuse(
      refusal.code,
      fmt::format("arrays of '{}' are not rewritten: {}", target.shape.name, refusal.text),
      refusal.where, refusal.remedy);
}

Step Climb::done(TokenEdits edits) const {
  if (edits.failed())
    return {.refusal = refusalOfEdit(program, target, *edits.failedAt())};
  return {.edits = edits.take()};
}

Step Climb::climbTo(Place next, TokenEdits edits) const {
  Step step = done(std::move(edits));
  if (!step.refusal)
    step.next = std::move(next);
  return step;
}

bool Climb::flowsInto(const clang::ValueDecl *declaration) const {
  return declaration && program.targetOf(declaration) == &target &&
         !isKeptReference(program, declaration);
}

bool Climb::isView(const clang::Expr *value) const {
  return rewriter::isView(program, value, target);
}

const char *Climb::nounFor(const clang::Expr &expression) const {
  const clang::CXXRecordDecl *record = instrument::elementRecordOf(expression.getType());
  return record && record->getCanonicalDecl() == target.record->getCanonicalDecl() ? "an element"
                                                                                   : "a field";
}

Refusal refusalOfEdit(const Program &program, const Target &target, clang::SourceLocation where) {
  if (where.isMacroID())
    return {Code::EditInMacro,
            fmt::format("the body of the macro '{}' works on '{}'", nameOfMacro(program, where),
                        target.shape.name),
            where, "write the access out, or make the macro a function"};
  return {Code::EditInMacro,
          fmt::format("a use of '{}' is spelled in a way that cannot be edited", target.shape.name),
          where, "spell it plainly, as array[index].field"};
}

Step refused(Code code, std::string text, clang::SourceLocation where, std::string remedy) {
  return {.refusal = Refusal{code, std::move(text), where, std::move(remedy)}};
}

Place elementAt(Element::Form form, const clang::Expr *whole, const clang::Expr *view,
                bool isConst) {
  return {
      .what = Reached::Element, .expression = whole, .element = {form, whole, view, {}, isConst}};
}

} // namespace relayout::rewriter
