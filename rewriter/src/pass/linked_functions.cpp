// SPDX-License-Identifier: Apache-2.0
// Finds functions by their symbols, as a linker does, and those that override others.
#include "pass/linked_functions.h"

#include "pass/program.h"

#include <algorithm>

namespace relayout::rewriter {
namespace {

bool overrides(const Program &program, const clang::CXXMethodDecl &method,
               const std::string &symbol) {
  return std::ranges::any_of(method.overridden_methods(), [&](const auto *overridden) {
    return instrument::symbolOf(program.unit, overridden) == symbol ||
           overrides(program, *overridden, symbol);
  });
}

/// The unit's own overriding methods, with a body or without.
std::vector<const clang::CXXMethodDecl *> overridingIn(const Program &program,
                                                       const std::string &symbol) {
  std::vector<const clang::CXXMethodDecl *> overriding;
  for (const clang::DeclaratorDecl *declarator : program.index.declarators())
    if (const auto *method = dyn_cast<clang::CXXMethodDecl>(declarator);
        method && method->isFirstDecl() && method->isVirtual() && !method->isPureVirtual() &&
        overrides(program, *method, symbol))
      overriding.push_back(method);
  return overriding;
}

} // namespace

bool isDeclaredAlone(const clang::FunctionDecl &function) {
  const clang::FunctionDecl *pattern =
      function.isTemplateInstantiation() ? function.getTemplateInstantiationPattern() : nullptr;
  return pattern && !pattern->doesThisDeclarationHaveABody();
}

void LinkedFunctions::add(Program &program) {
  programs_.push_back(&program);
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declarator);
    if (function && isDeclaredAlone(*function))
      alone_[instrument::symbolOf(program.unit, function)].push_back({&program, function});
    if (function && function->doesThisDeclarationHaveABody() &&
        function->hasExternalFormalLinkage() && !function->isDependentContext() &&
        isUsers(program, *function)) {
      const std::string symbol = instrument::symbolOf(program.unit, function);
      bySymbol_.insert_or_assign(symbol, LinkedFunction{&program, function});
      defining_[symbol].insert(&program);
    }
  }
}

bool LinkedFunctions::isDefinedBySeveral(const Program &asking,
                                         const clang::FunctionDecl &function) const {
  const auto known = defining_.find(instrument::symbolOf(asking.unit, &function));
  return known != defining_.end() && known->second.size() > 1;
}

LinkedFunction LinkedFunctions::bodyOf(const Program &asking,
                                       const clang::FunctionDecl &function) const {
  if (const clang::FunctionDecl *own = nullptr; function.hasBody(own))
    return {nullptr, own};
  const auto linked = bySymbol_.find(instrument::symbolOf(asking.unit, &function));
  return linked == bySymbol_.end() ? LinkedFunction() : linked->second;
}

std::vector<LinkedFunction>
LinkedFunctions::declaredAlone(const Program &asking, const clang::FunctionDecl &instance) const {
  const auto known = alone_.find(instrument::symbolOf(asking.unit, &instance));
  return known == alone_.end() ? std::vector<LinkedFunction>() : known->second;
}

std::vector<LinkedFunction> LinkedFunctions::bodiesOf(const Program &asking,
                                                      const clang::FunctionDecl &function) const {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  std::vector<LinkedFunction> bodies;
  if (!method || !method->isPureVirtual())
    bodies.push_back(bodyOf(asking, function));
  if (method && method->isVirtual()) {
    const std::string symbol = instrument::symbolOf(asking.unit, method);
    for (const clang::CXXMethodDecl *other : overridingIn(asking, symbol))
      bodies.push_back(bodyOf(asking, *other));
    for (Program *program : programs_)
      if (program != &asking)
        for (const clang::CXXMethodDecl *other : overridingIn(*program, symbol)) {
          LinkedFunction body = bodyOf(*program, *other);
          if (body.body && !body.program)
            body.program = program;
          bodies.push_back(body);
        }
  }
  if (std::ranges::any_of(bodies, [](const LinkedFunction &known) { return !known.body; }))
    bodies.clear();
  return bodies;
}

} // namespace relayout::rewriter
