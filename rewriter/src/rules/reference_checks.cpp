// SPDX-License-Identifier: Apache-2.0
// Follows references and `this` into functions, and checks that a copy of an element will do.
#include "rules/reference_checks.h"

#include "legality/evaluation_order.h"
#include "rules/climb.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

void followThis(Climb &climb, Program &asking, const clang::FunctionDecl &method);

/// True when `this` stands before a field or a method whose use could be followed.
bool isFollowedThis(Climb &climb, Program &owner, const clang::CXXThisExpr &object) {
  const clang::Expr *current = &object;
  const clang::Stmt *parent = owner.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(parent)) {
    current = clang::cast<clang::Expr>(parent);
    parent = owner.index.parentOf(current).stmt;
  }
  if (isa_and_nonnull<clang::LambdaExpr>(parent))
    return true; // what it does with `this` is looked at by itself
  if (const auto *star = dyn_cast_or_null<clang::UnaryOperator>(parent);
      star && star->getOpcode() == clang::UO_Deref) {
    climb.follow(&owner, *star, fieldAt(star, /*isValue=*/true));
    return true;
  }
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(parent);
  if (!member || !member->isArrow())
    return false;
  if (isa<clang::FieldDecl>(member->getMemberDecl())) {
    climb.follow(&owner, *member, fieldAt(member, /*isValue=*/true));
    return true;
  }
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  if (!method)
    return isa<clang::VarDecl>(member->getMemberDecl());
  if (method->isStatic())
    return true;
  if (method->getReturnType()->isPointerType())
    return false;
  followThis(climb, owner, *method);
  // `const Vec &velocity() const`: what it returns is followed, too.
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(owner.index.parentOf(member).stmt);
      call && method->getReturnType()->isReferenceType())
    climb.follow(&owner, *call, fieldAt(call, /*isValue=*/true));
  return true;
}

void followThis(Climb &climb, Program &asking, const clang::FunctionDecl &method) {
  const LinkedFunction linked = asking.linked.bodyOf(asking, method);
  if (!linked.body || !climb.references.isNew(*linked.body))
    return; // one without a body is refused by refuseVisibleCopies()
  Program &owner = *linked.programOr(&asking);
  for (const clang::CXXThisExpr *object : owner.index.thisIn(linked.body))
    if (!isFollowedThis(climb, owner, *object)) {
      climb.refused = true;
      owner.findings.refuse(
          Code::UnsupportedElementUse,
          fmt::format("arrays of '{}' are not rewritten: '{}' uses the address of the element it "
                      "is called on",
                      climb.target.shape.name, linked.body->getNameAsString()),
          object->getExprLoc(), "pass the array and the index instead");
    }
}

} // namespace

void followThis(Climb &climb, const clang::FunctionDecl &method) {
  followThis(climb, climb.program, method);
}

const char *remedyForReference(const clang::ParmVarDecl *parameter) {
  return parameter && parameter->getType()->isLValueReferenceType() &&
                 !parameter->getType().getNonReferenceType().isConstQualified()
             ? "let it fill in a local variable, and assign that"
             : "pass its value";
}

void followReference(Climb &climb, const clang::VarDecl &reference, const clang::Expr &from,
                     bool isValue) {
  std::vector<std::pair<Program *, const clang::VarDecl *>> followed = {{nullptr, &reference}};
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&reference)) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
    followed.clear();
    if (function)
      for (const LinkedFunction &linked : climb.program.linked.bodiesOf(climb.program, *function))
        followed.emplace_back(linked.program,
                              linked.body->getParamDecl(parameter->getFunctionScopeIndex()));
    if (followed.empty())
      return climb.refuse(
          {Code::FieldAddressEscapes,
           fmt::format("{} is passed by reference to a function whose body is not known",
                       climb.nounFor(from)),
           from.getExprLoc(), remedyForReference(parameter)});
  }
  for (const auto &[owner, one] : followed) {
    const auto *given = dyn_cast<clang::ParmVarDecl>(one);
    if (given)
      climb.references.notePassing(climb.function, *given);
    if (climb.references.isNew(*one, isValue))
      for (const clang::DeclRefExpr *name :
           (owner ? *owner : climb.program).index.referencesTo(one))
        climb.follow(owner, *name, fieldAt(name, isValue), given);
  }
}

void requireIdleArguments(Climb &climb, const clang::CallExpr &call, const clang::Expr &element) {
  const clang::Stmt *own = &element; // the argument that the element is
  for (const clang::Stmt *around = own; around && around != &call;
       around = climb.program.index.parentOf(around).stmt)
    own = around;
  for (const clang::Expr *argument : call.arguments())
    if (argument != own && mayChangeElements(climb.program, *argument))
      climb.refuse({Code::UnsupportedElementUse,
                    "an argument may change the element that the call is given by reference",
                    argument->getExprLoc(), "compute the argument into a variable first"});
}

void requireNoOverload(Climb &climb, const clang::FunctionDecl &callee,
                       clang::SourceLocation where) {
  if (climb.program.index.tellsTemporaries(callee.getDeclName()))
    climb.refuse({Code::UnsupportedElementUse,
                  fmt::format("'{}' has an overload for temporaries, and would get one here",
                              callee.getNameAsString()),
                  where, "copy it to a local variable first"});
}

void ReferenceChecks::noteCopyFor(const Climb &climb, const clang::FunctionDecl &callee,
                                  clang::SourceLocation where) {
  copies_.push_back({&climb.program, climb.function, &callee, &climb.target, where});
}

void ReferenceChecks::refuseVisibleCopies() const {
  for (const CopyForCall &copy : copies_)
    if (const std::string effect = visibleEffect(copy); !effect.empty())
      copy.program->findings.refuse(
          Code::UnsupportedElementUse,
          fmt::format(
              "arrays of '{}' are not rewritten: a call that is given an element by reference "
              "may change it: {}",
              copy.target->shape.name, effect),
          copy.where, "copy the element to a local variable first, if that is what is meant");
  const auto leadsToField = [this](const clang::VarDecl *variable) {
    const auto isOfVariable = [variable](const auto &known) {
      return std::get<const clang::VarDecl *>(known) == variable;
    };
    return std::ranges::any_of(pointers_, isOfVariable) ||
           std::ranges::any_of(references_, isOfVariable);
  };
  for (const VariableBeside &beside : beside_)
    if (leadsToField(beside.variable))
      beside.program->findings.refuse(
          Code::UnsupportedElementUse,
          fmt::format("arrays of '{}' are not rewritten: beside a call that changes an element "
                      "stands '{}', which may lead to a field of it",
                      beside.target->shape.name, beside.variable->getNameAsString()),
          beside.where, "give it the value");
}

/// Why the callee, or a function that it calls, may see another value in a copy.
std::string ReferenceChecks::visibleEffect(const CopyForCall &copy) const {
  const std::string record = instrument::traceNameOf(*copy.target->record);
  struct Called {
    const Program *asking;
    const clang::FunctionDecl *function;
    const clang::FunctionDecl *caller; ///< null: any
  };
  std::set<std::pair<const clang::FunctionDecl *, const clang::FunctionDecl *>> reached;
  std::vector<Called> open = {{copy.program, copy.callee, copy.caller}};
  while (!open.empty()) {
    const auto [asking, called, caller] = open.back();
    open.pop_back();
    const LinkedFunction linked = asking->linked.bodyOf(*asking, *called);
    const clang::FunctionDecl *function = linked.body ? linked.body : called;
    if (!reached.emplace(function, caller).second)
      continue;
    const Program &owner = *linked.programOr(asking);
    if (std::string effect = effectOf(owner, *function, record, caller); !effect.empty())
      return effect;
    for (const clang::FunctionDecl *next : owner.index.calleesOf(function)) {
      open.push_back({&owner, next, function});
      const auto *method = dyn_cast<clang::CXXMethodDecl>(next);
      if (!method || !method->isVirtual())
        continue;
      if (!owner.isAlone && method->isExternallyVisible())
        return fmt::format("'{}' is virtual, and other units may override it",
                           method->getNameAsString());
      for (const clang::FunctionDecl *other : owner.index.overridersOf(*method))
        open.push_back({&owner, other, nullptr});
    }
  }
  return {};
}

/// Of a function's own text.
/// \param caller  what it is given is what that one gives it; null: what anybody does
std::string ReferenceChecks::effectOf(const Program &program, const clang::FunctionDecl &function,
                                      const std::string &record,
                                      const clang::FunctionDecl *caller) const {
  const std::string name = function.getNameAsString();
  const auto writes = [&](const auto &storing, const auto *by) {
    const auto written = storing.find(by);
    return written != storing.end() && written->second.contains(record);
  };
  if (writes(storing_, &function) ||
      std::ranges::any_of(function.parameters(), [&](const clang::ParmVarDecl *parameter) {
        return writes(storingThrough_, parameter) &&
               (!caller || passing_.contains({caller, parameter}));
      }))
    return fmt::format("'{}' writes elements of such arrays", name);
  if (program.index.callsThroughPointer(&function))
    return fmt::format("'{}' calls a function through a pointer", name);
  if (isUsers(program, function))
    return function.isDefined() || function.isDefaulted() || function.isImplicit()
               ? std::string()
               : fmt::format("the body of '{}' is not known", name);
  const bool waits = name.starts_with("__sync") || name.starts_with("__threadfence") ||
                     name.starts_with("__nv_atomic_") || name == "atomicCAS" ||
                     name == "atomicExch" || name == "__nanosleep";
  return waits ? fmt::format("it may wait for other threads in '{}'", name) : std::string();
}

} // namespace relayout::rewriter
