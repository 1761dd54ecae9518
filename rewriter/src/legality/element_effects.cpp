// SPDX-License-Identifier: Apache-2.0
// What a function does to an element, from the walk over its body and those of what it calls.
#include "legality/element_effects.h"

#include "legality/effect_walk.h"
#include "legality/library_functions.h"

#include <clang/AST/Attr.h>

#include <fmt/format.h>

namespace relayout::rewriter {

namespace {

bool mayBeOverridden(const clang::FunctionDecl &function) {
  const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  return method && method->isVirtual() && !method->hasAttr<clang::FinalAttr>() &&
         !method->getParent()->hasAttr<clang::FinalAttr>();
}

} // namespace

ElementEffects effectsIn(const Program &program, const clang::FunctionDecl &callee, int parameter,
                         FunctionsAround &around) {
  const std::string name = callee.getNameAsString();
  if (!isUsers(program, callee))
    return isMathematical(callee)
               ? ElementEffects{}
               : ElementEffects{
                     {}, {}, fmt::format("'{}' may do more than compute a value", name), {}};
  if (mayBeOverridden(callee))
    return {{}, {}, fmt::format("'{}' is virtual, and another may be called", name), {}};
  const LinkedFunction linked = program.linked.bodyOf(program, callee);
  const clang::FunctionDecl *body = linked.body;
  if (!body)
    return {{}, {}, fmt::format("the body of '{}' is not known", name), {}};
  if (!around.bodies.insert(body).second)
    return {{}, {}, fmt::format("'{}' calls itself", name), {}};
  TrackedObject tracked;
  tracked.besideArrays = !around.mayReadArrays;
  tracked.element = around.element;
  if (parameter >= 0)
    tracked.parameter = body->getParamDecl(static_cast<unsigned>(parameter));
  else if (const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(body))
    tracked.isThis = !method->getParent()->isLambda(); // whose `this` is that of the method around
  const Program &owner = *linked.programOr(&program);
  EffectRecord record(owner, *body, tracked);
  EffectWalk(owner, around, record).run();
  around.bodies.erase(body);
  return record.take();
}

ElementEffects effectsOn(const Program &program, const clang::FunctionDecl &function, int parameter,
                         const clang::CXXRecordDecl *element) {
  FunctionsAround around;
  around.element = element;
  return effectsIn(program, function, parameter, around);
}

bool onlyInitialises(const Program &program, const clang::CXXConstructorDecl &constructor) {
  FunctionsAround around;
  around.mayReadArrays = true;
  return constructor.isTrivial() || effectsIn(program, constructor, -1, around).obstacle.empty();
}

bool onlyComputes(const Program &program, const clang::FunctionDecl &function) {
  FunctionsAround around;
  around.mayReadArrays = true;
  const ElementEffects effects = effectsIn(program, function, -1, around);
  return effects.obstacle.empty() && effects.written.empty();
}

} // namespace relayout::rewriter
