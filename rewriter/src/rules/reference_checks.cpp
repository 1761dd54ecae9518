// SPDX-License-Identifier: Apache-2.0
// Follows references and `this` into functions, and checks that a copy of an element will do.
#include "rules/reference_checks.h"

#include "rules/climb.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// True when `this` stands before a field or a method whose use could be followed.
bool isFollowedThis(Climb &climb, const clang::CXXThisExpr &object) {
  const clang::Expr *current = &object;
  const clang::Stmt *parent = climb.program.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(parent)) {
    current = clang::cast<clang::Expr>(parent);
    parent = climb.program.index.parentOf(current).stmt;
  }
  if (isa_and_nonnull<clang::LambdaExpr>(parent))
    return true; // what it does with `this` is looked at by itself
  if (const auto *star = dyn_cast_or_null<clang::UnaryOperator>(parent);
      star && star->getOpcode() == clang::UO_Deref) {
    climb.follow(*star, fieldAt(star, /*isValue=*/true));
    return true;
  }
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(parent);
  if (!member || !member->isArrow())
    return false;
  if (isa<clang::FieldDecl>(member->getMemberDecl())) {
    climb.follow(*member, fieldAt(member, /*isValue=*/true));
    return true;
  }
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  if (!method)
    return isa<clang::VarDecl>(member->getMemberDecl());
  if (method->isStatic())
    return true;
  if (method->getReturnType()->isPointerType())
    return false;
  followThis(climb, *method);
  // `const Vec &velocity() const`: what it returns is followed, too.
  if (const auto *call =
          dyn_cast_or_null<clang::CallExpr>(climb.program.index.parentOf(member).stmt);
      call && method->getReturnType()->isReferenceType())
    climb.follow(*call, fieldAt(call, /*isValue=*/true));
  return true;
}

} // namespace

void followThis(Climb &climb, const clang::FunctionDecl &method) {
  const clang::FunctionDecl *body = method.getDefinition();
  if (!body || !climb.references.isNew(*body))
    return; // one without a body is refused by refuseVisibleCopies()
  for (const clang::CXXThisExpr *object : climb.program.index.thisIn(body))
    if (!isFollowedThis(climb, *object))
      climb.refuse({Code::UnsupportedElementUse,
                    fmt::format("'{}' uses the address of the element it is called on",
                                body->getNameAsString()),
                    object->getExprLoc(), "pass the array and the index instead"});
}

const char *remedyForReference(const clang::ParmVarDecl *parameter) {
  return parameter && parameter->getType()->isLValueReferenceType() &&
                 !parameter->getType().getNonReferenceType().isConstQualified()
             ? "let it fill in a local variable, and assign that"
             : "pass its value";
}

namespace {

bool overrides(const clang::CXXMethodDecl &method, const clang::CXXMethodDecl &base) {
  return std::ranges::any_of(method.overridden_methods(), [&base](const auto *overridden) {
    return overridden->getCanonicalDecl() == base.getCanonicalDecl() ||
           overrides(*overridden, base);
  });
}

/// What a call of the function may run; empty where some of it is not known.
std::vector<const clang::FunctionDecl *> bodiesOf(const Program &program,
                                                  const clang::FunctionDecl &function) {
  std::vector<const clang::FunctionDecl *> bodies;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  if (!method || !method->isPureVirtual())
    bodies.push_back(function.getDefinition());
  if (method && method->isVirtual())
    for (const clang::DeclaratorDecl *declarator : program.index.declarators())
      if (const auto *other = dyn_cast<clang::CXXMethodDecl>(declarator);
          other && other->isFirstDecl() && !other->isPureVirtual() && overrides(*other, *method))
        bodies.push_back(other->getDefinition());
  if (std::ranges::find(bodies, nullptr) != bodies.end())
    bodies.clear();
  return bodies;
}

} // namespace

void followReference(Climb &climb, const clang::VarDecl &reference, const clang::Expr &from,
                     bool isValue) {
  std::vector<const clang::VarDecl *> followed = {&reference};
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&reference)) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
    followed.clear();
    if (function)
      for (const clang::FunctionDecl *body : bodiesOf(climb.program, *function))
        followed.push_back(body->getParamDecl(parameter->getFunctionScopeIndex()));
    if (followed.empty() && function && climb.program.capturesNothing(*function))
      return;
    if (followed.empty())
      return climb.refuse(
          {Code::FieldAddressEscapes,
           fmt::format("{} is passed by reference to a function whose body is not known",
                       climb.nounFor(from)),
           from.getExprLoc(), remedyForReference(parameter)});
  }
  for (const clang::VarDecl *one : followed)
    if (climb.references.isNew(*one, isValue))
      for (const clang::DeclRefExpr *name : climb.program.index.referencesTo(one))
        climb.follow(*name, fieldAt(name, isValue));
}

void requireNoOverload(Climb &climb, const clang::FunctionDecl &callee,
                       clang::SourceLocation where) {
  if (climb.program.index.tellsTemporaries(callee.getDeclName()))
    climb.refuse({Code::UnsupportedElementUse,
                  fmt::format("'{}' has an overload for temporaries, and would get one here",
                              callee.getNameAsString()),
                  where, "copy it to a local variable first"});
}

void ReferenceChecks::noteCopyFor(const clang::FunctionDecl &callee, const Target &target,
                                  clang::SourceLocation where) {
  copies_.push_back({callee.getDefinition() ? callee.getDefinition() : &callee, &target, where});
}

void ReferenceChecks::refuseVisibleCopies(Program &program) const {
  for (const CopyForCall &copy : copies_)
    if (const std::string effect = visibleEffect(program, *copy.callee); !effect.empty())
      program.findings.refuse(
          Code::UnsupportedElementUse,
          fmt::format(
              "arrays of '{}' are not rewritten: a call that is given an element by reference "
              "may change it: {}",
              copy.target->shape.name, effect),
          copy.where, "copy the element to a local variable first, if that is what is meant");
  for (const PointerBeside &beside : beside_)
    if (std::ranges::any_of(pointers_, [&](const auto &pointer) {
          return std::get<const clang::VarDecl *>(pointer) == beside.pointer;
        }))
      program.findings.refuse(
          Code::UnsupportedElementUse,
          fmt::format("arrays of '{}' are not rewritten: a call that changes an element is given "
                      "'{}', which may point to a field of it",
                      beside.target->shape.name, beside.pointer->getNameAsString()),
          beside.where, "give it the value");
}

/// Why the callee, or a function that it calls, may see another value in a copy.
std::string ReferenceChecks::visibleEffect(const Program &program,
                                           const clang::FunctionDecl &callee) const {
  std::set<const clang::FunctionDecl *> reached = {&callee};
  std::vector<const clang::FunctionDecl *> open = {&callee};
  while (!open.empty()) {
    const clang::FunctionDecl *function = open.back();
    open.pop_back();
    if (std::string effect = effectOf(program, *function); !effect.empty())
      return effect;
    for (const clang::FunctionDecl *next : program.index.calleesOf(function))
      if (reached.insert(next).second)
        open.push_back(next);
  }
  return {};
}

std::string ReferenceChecks::effectOf(const Program &program,
                                      const clang::FunctionDecl &function) const {
  const std::string name = function.getNameAsString();
  if (storing_.count(&function))
    return fmt::format("'{}' writes elements of such arrays", name);
  if (isUsers(program, function))
    return function.isDefined() || function.isDefaulted() || function.isImplicit() ||
                   program.capturesNothing(function)
               ? std::string()
               : fmt::format("the body of '{}' is not known", name);
  const bool waits = name.starts_with("__sync") || name.starts_with("__threadfence") ||
                     name.starts_with("__nv_atomic_") || name == "atomicCAS" ||
                     name == "atomicExch" || name == "__nanosleep";
  return waits ? fmt::format("it may wait for other threads in '{}'", name) : std::string();
}

} // namespace relayout::rewriter
