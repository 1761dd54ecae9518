// SPDX-License-Identifier: Apache-2.0
// Tells that nothing can come of an address but the entry of a map.
#include "model/address_maps.h"

#include "model/referents.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// Of an instance of the standard library's: the type that is its first argument, if that is a
/// pointer to void.
bool isByAddress(const clang::CXXRecordDecl *record, std::initializer_list<const char *> names) {
  const auto *instance = dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!instance || !instance->isInStdNamespace() || !isOneOf(instance->getNameAsString(), names) ||
      instance->getTemplateArgs().size() == 0)
    return false;
  const clang::TemplateArgument &first = instance->getTemplateArgs()[0];
  return first.getKind() == clang::TemplateArgument::Type && first.getAsType()->isVoidPointerType();
}

/// Looks for `entry.first`, and for entries that are taken apart.
class KeyReader : public clang::DynamicRecursiveASTVisitor {
public:
  KeyReader() { ShouldVisitTemplateInstantiations = true; }

  bool isFound = false;

  bool TraverseDecl(clang::Decl *declaration) override {
    return isFound || isOfLibrary(declaration) ||
           clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    note(member->getMemberDecl()->getDeclName().isIdentifier() &&
             member->getMemberDecl()->getName() == "first",
         member->getBase()->getType());
    return !isFound;
  }

  bool VisitDecompositionDecl(clang::DecompositionDecl *parts) override {
    note(true, parts->getType().getNonReferenceType());
    return !isFound;
  }

  /// `std::get<0>(entry)`, a function that is given an entry.
  bool VisitCallExpr(clang::CallExpr *call) override {
    for (const clang::Expr *argument : call->arguments())
      note(true, argument->getType());
    return !isFound;
  }

private:
  static bool isOfLibrary(const clang::Decl *declaration) {
    if (!declaration || clang::isa<clang::TranslationUnitDecl>(declaration))
      return false;
    const clang::SourceManager &sources = declaration->getASTContext().getSourceManager();
    return sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation()));
  }

  void note(bool isTaken, clang::QualType entry) {
    if (entry->isPointerType())
      entry = entry->getPointeeType();
    isFound |= isTaken && isByAddress(entry->getAsCXXRecordDecl(), {"pair"});
  }
};

} // namespace

bool looksUpAddress(const clang::CallExpr &call) {
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (!method || !isByAddress(method->getParent(), {"map", "unordered_map"}))
    return false;
  const bool isSubscript = method->getOverloadedOperator() == clang::OO_Subscript;
  if (!isSubscript &&
      !(method->getDeclName().isIdentifier() &&
        isOneOf(method->getNameAsString(), {"find", "erase", "count", "contains", "at"})))
    return false;
  KeyReader reader;
  reader.TraverseDecl(method->getASTContext().getTranslationUnitDecl());
  return !reader.isFound;
}

} // namespace relayout::instrument
