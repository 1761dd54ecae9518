// SPDX-License-Identifier: Apache-2.0
// By which names the translation units of a program know the same entity, as a linker does.
#include "relayout/instrument/clang/symbols.h"

#include "parse/declaration_visitor.h"
#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Index/USRGeneration.h>

#include <fmt/format.h>

namespace relayout::instrument {
namespace {

bool isLinked(const clang::NamedDecl *declaration) {
  if (const auto *field = llvm::dyn_cast<clang::FieldDecl>(declaration))
    return field->getParent()->isExternallyVisible() &&
           !field->getParent()->getParentFunctionOrMethod();
  return declaration->hasExternalFormalLinkage();
}

class DefinedSymbols : public DeclarationVisitor {
public:
  DefinedSymbols(ParsedUnit &unit, std::set<std::string> &symbols)
      : unit_(unit), symbols_(symbols) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (function->isThisDeclarationADefinition() && isUsers(function))
      symbols_.insert(symbolOf(unit_, function));
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->hasGlobalStorage() && isUsers(variable) &&
        variable->isThisDeclarationADefinition() != clang::VarDecl::DeclarationOnly)
      symbols_.insert(symbolOf(unit_, variable));
    return true;
  }

private:
  bool isUsers(const clang::Decl *declaration) const {
    const clang::SourceManager &sources = unit_.sources();
    const clang::SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
    return place.isValid() && unit_.isUserFile(sources.getFileID(place));
  }

  ParsedUnit &unit_;
  std::set<std::string> &symbols_;
};

} // namespace

void addDefinitions(ParsedUnit &unit, std::set<std::string> &symbols) {
  DefinedSymbols(unit, symbols).TraverseAST(unit.ast());
}

std::string traceNameOf(const clang::TagDecl &record) {
  const clang::ASTContext &ast = record.getASTContext();
  clang::PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.FullyQualifiedName = true;
  return compatibility::canonicalTypeOf(ast, &record).getAsString(policy);
}

std::string methodName(const clang::CXXMethodDecl &method) {
  return fmt::format("{}::{}()", traceNameOf(*method.getParent()), method.getNameAsString());
}

std::string symbolOf(const ParsedUnit &unit, const clang::NamedDecl *declaration) {
  if (const auto *parameter = llvm::dyn_cast<clang::ParmVarDecl>(declaration))
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()))
      return fmt::format("{}#{}", symbolOf(unit, function), parameter->getFunctionScopeIndex());
  llvm::SmallString<128> usr;
  const bool hasUsr = !clang::index::generateUSRForDecl(declaration, usr);
  if (hasUsr && isLinked(declaration))
    return usr.str().str();
  const clang::SourceManager &sources = declaration->getASTContext().getSourceManager();
  const clang::SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
  return fmt::format("{}:{}:{}", unit.pathOf(sources.getFileID(place)),
                     sources.getFileOffset(place),
                     hasUsr ? usr.str().str() : declaration->getNameAsString());
}

const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function) {
  if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    function = pattern;
  if (const clang::FunctionDecl *definition = function->getDefinition())
    return definition;
  return function->getCanonicalDecl();
}

} // namespace relayout::instrument
