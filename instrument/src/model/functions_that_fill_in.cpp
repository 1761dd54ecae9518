// SPDX-License-Identifier: Apache-2.0
// The functions of a unit that may fill in pointers of any type: `void gpuMalloc(void **p, size_t
// n)`.
#include "model/allocation_flow.h"
#include "parse/declaration_visitor.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <algorithm>

namespace relayout::instrument {

void addFunctionsThatFillIn(ParsedUnit &unit, FunctionsThatFillIn &definitions) {
  class Visitor : public DeclarationVisitor {
  public:
    Visitor(ParsedUnit &unit, FunctionsThatFillIn &definitions)
        : unit_(unit), definitions_(definitions) {}

    bool VisitFunctionDecl(clang::FunctionDecl *function) override {
      if (function->doesThisDeclarationHaveABody() && function->hasExternalFormalLinkage() &&
          std::ranges::any_of(function->parameters(), [](const clang::ParmVarDecl *parameter) {
            return untypedLevel(parameter->getType()) == 2;
          }))
        definitions_.emplace(symbolOf(unit_, function), function);
      return true;
    }

  private:
    ParsedUnit &unit_;
    FunctionsThatFillIn &definitions_;
  };
  Visitor(unit, definitions).TraverseAST(unit.ast());
}

} // namespace relayout::instrument
