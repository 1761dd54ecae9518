// SPDX-License-Identifier: Apache-2.0
// Finds the device functions and variables that several units define.
#include "host/lowering_edits.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <map>

namespace relayout::instrument {
namespace {

using Definitions =
    std::map<std::string, std::map<std::string, int>>; ///< units, by place, by symbol

class DefinitionVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  DefinitionVisitor(ParsedUnit &unit, Definitions &definitions)
      : unit_(unit), definitions_(definitions) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (function->isThisDeclarationADefinition() && !function->isInlined() &&
        !function->isTemplated() && !function->isTemplateInstantiation())
      add(function);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->isThisDeclarationADefinition() == clang::VarDecl::Definition &&
        variable->hasGlobalStorage() && !variable->isInline() && !variable->isStaticLocal() &&
        !variable->isTemplated())
      add(variable);
    return true;
  }

private:
  void add(const clang::NamedDecl *declaration) {
    const bool isDevice = declaration->hasAttr<clang::CUDADeviceAttr>() ||
                          declaration->hasAttr<clang::CUDAConstantAttr>();
    const clang::SourceManager &sources = unit_.sources();
    const clang::SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
    if (!isDevice || !declaration->hasExternalFormalLinkage() || place.isInvalid() ||
        !unit_.isUserFile(sources.getFileID(place)))
      return;
    ++definitions_[symbolOf(unit_, declaration)][unit_.pathOf(sources.getFileID(place)) + ":" +
                                                 std::to_string(sources.getFileOffset(place))];
  }

  ParsedUnit &unit_;
  Definitions &definitions_;
};

} // namespace

RepeatedSymbols repeatedSymbols(const ReadProgram &program) {
  Definitions definitions;
  for (const auto &unit : program.units)
    DefinitionVisitor(*unit->host.unit, definitions).TraverseAST(unit->host.unit->ast());
  RepeatedSymbols repeated;
  for (const auto &[symbol, places] : definitions)
    if (places.size() > 1)
      repeated.inSources.insert(symbol);
    else if (places.begin()->second > 1)
      repeated.inHeaders.insert(symbol);
  return repeated;
}

} // namespace relayout::instrument
