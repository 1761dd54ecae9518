// SPDX-License-Identifier: Apache-2.0
// The functions that the units of a program define for each other.
#include "pass/linked_functions.h"

#include "pass/program.h"

namespace relayout::rewriter {

void LinkedFunctions::add(const Program &program) {
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declarator);
    if (function && function->doesThisDeclarationHaveABody() &&
        function->hasExternalFormalLinkage() && !function->isDependentContext() &&
        isUsers(program, *function))
      bySymbol_.insert_or_assign(instrument::symbolOf(program.unit, function),
                                 LinkedFunction{&program, function});
  }
}

LinkedFunction LinkedFunctions::bodyOf(const Program &asking,
                                       const clang::FunctionDecl &function) const {
  if (const clang::FunctionDecl *own = nullptr; function.hasBody(own))
    return {&asking, own};
  const auto linked = bySymbol_.find(instrument::symbolOf(asking.unit, &function));
  return linked == bySymbol_.end() ? LinkedFunction() : linked->second;
}

} // namespace relayout::rewriter
