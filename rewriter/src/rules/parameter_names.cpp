// SPDX-License-Identifier: Apache-2.0
// Walks over a template's text.
#include "rules/parameter_names.h"

#include "rules/copied_text.h"
#include "rules/written_type.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <set>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

namespace {

/// The places where a template names its parameters.
class ParameterNames : public clang::DynamicRecursiveASTVisitor {
public:
  explicit ParameterNames(unsigned depth) : depth_(depth) {}

  bool VisitTemplateTypeParmTypeLoc(clang::TemplateTypeParmTypeLoc name) override {
    if (name.getTypePtr()->getDepth() == depth_)
      names.emplace_back(name.getNameLoc(), name.getTypePtr()->getIndex());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *parameter = dyn_cast<clang::NonTypeTemplateParmDecl>(name->getDecl());
        parameter && parameter->getDepth() == depth_)
      names.emplace_back(name->getLocation(), parameter->getIndex());
    return true;
  }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc name) override {
    noteTemplate(name.getTypePtr()->getTemplateName(), name.getTemplateNameLoc());
    return true;
  }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc &argument) override {
    if (argument.getArgument().getKind() == clang::TemplateArgument::Template)
      noteTemplate(argument.getArgument().getAsTemplate(), argument.getTemplateNameLoc());
    return clang::DynamicRecursiveASTVisitor::TraverseTemplateArgumentLoc(argument);
  }

  bool VisitCXXUnresolvedConstructExpr(clang::CXXUnresolvedConstructExpr *value) override {
    made.insert(value->getTypeSourceInfo()->getTypeLoc().getBeginLoc());
    return true;
  }
  bool VisitCXXFunctionalCastExpr(clang::CXXFunctionalCastExpr *value) override {
    made.insert(value->getTypeInfoAsWritten()->getTypeLoc().getBeginLoc());
    return true;
  }
  bool VisitCXXScalarValueInitExpr(clang::CXXScalarValueInitExpr *value) override {
    made.insert(value->getTypeSourceInfo()->getTypeLoc().getBeginLoc());
    return true;
  }

  bool VisitDeclStmt(clang::DeclStmt *statement) override {
    const auto *first = dyn_cast<clang::DeclaratorDecl>(*statement->decl_begin());
    if (!statement->isSingleDecl() && first && first->getTypeSourceInfo())
      shared.insert(readTypeInTemplate(first->getTypeSourceInfo()->getTypeLoc()).base);
    return true;
  }

  std::vector<std::pair<clang::SourceLocation, unsigned>> names; ///< and the parameters' indices
  std::set<clang::SourceLocation> shared; ///< of `T a, b`, where a `*` would be a's alone
  std::set<clang::SourceLocation> made;   ///< of `T(x)`, `T{x}`, which take a type of one word

private:
  void noteTemplate(clang::TemplateName name, clang::SourceLocation where) {
    if (const auto *parameter =
            dyn_cast_or_null<clang::TemplateTemplateParmDecl>(name.getAsTemplateDecl());
        parameter && parameter->getDepth() == depth_)
      names.emplace_back(where, parameter->getIndex());
  }

  unsigned depth_;
};

} // namespace

std::vector<ParameterName> parameterNames(const clang::NamedDecl &pattern) {
  ParameterNames visitor(parametersOf(pattern).getDepth());
  visitor.TraverseDecl(const_cast<clang::NamedDecl *>(&pattern));
  std::vector<ParameterName> names;
  for (const auto &[where, index] : visitor.names)
    names.push_back({where, index, visitor.shared.contains(where), visitor.made.contains(where)});
  return names;
}

} // namespace relayout::rewriter
