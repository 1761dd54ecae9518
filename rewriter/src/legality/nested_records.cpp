// SPDX-License-Identifier: Apache-2.0
// Looks for what ties a nested record to the classes around it.
#include "legality/nested_records.h"

#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

bool isWithin(const clang::DeclContext *inner, const clang::DeclContext *outer) {
  for (; inner; inner = inner->getParent())
    if (inner->getPrimaryContext() == outer->getPrimaryContext())
      return true;
  return false;
}

/// Names of the classes around, and of their members, in the record's own text.
class TieFinder : public clang::DynamicRecursiveASTVisitor {
public:
  explicit TieFinder(const clang::CXXRecordDecl &record)
      : record_(record), outer_(*outermostClass(record)) {}

  bool VisitTypeLoc(clang::TypeLoc type) override {
    if (const auto tag = type.getAs<clang::TagTypeLoc>())
      note(tag.getDecl());
    else if (const auto alias = type.getAs<clang::TypedefTypeLoc>())
      note(instrument::compatibility::declarationOf(alias));
    return !found;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    note(name->getDecl());
    return !found;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override {
    note(member->getMemberDecl());
    return !found;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    note(construction->getConstructor());
    return !found;
  }

  bool found = false;

private:
  void note(const clang::NamedDecl *declaration) {
    const auto *itself = dyn_cast<clang::CXXRecordDecl>(declaration);
    const auto is = [itself](const clang::CXXRecordDecl &record) {
      return itself && itself->getCanonicalDecl() == record.getCanonicalDecl();
    };
    found |= is(outer_) || (!is(record_) && isWithin(declaration->getDeclContext(), &outer_) &&
                            !isWithin(declaration->getDeclContext(), &record_));
  }

  const clang::CXXRecordDecl &record_;
  const clang::CXXRecordDecl &outer_;
};

bool isTied(const clang::CXXRecordDecl &record) {
  TieFinder finder(record);
  finder.TraverseDecl(const_cast<clang::CXXRecordDecl *>(&record));
  for (const clang::CXXMethodDecl *method : record.methods())
    if (const clang::FunctionDecl *body = method->getDefinition(); body && body->isOutOfLine())
      finder.TraverseStmt(body->getBody());
  return finder.found;
}

/// Finds `struct Grid::Cell` outside of the record's definition.
class KeywordFinder : public clang::DynamicRecursiveASTVisitor {
public:
  explicit KeywordFinder(const clang::CXXRecordDecl &record)
      : record_(record), sources_(record.getASTContext().getSourceManager()) {}

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration == record_.getDefinition() ||
        (declaration && declaration->getLocation().isValid() &&
         sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation()))))
      return true;
    const bool wasInTemplate = isInTemplate_;
    isInTemplate_ |= isa_and_nonnull<clang::TemplateDecl>(declaration);
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    isInTemplate_ = wasInTemplate;
    return goesOn;
  }
  bool VisitTypeLoc(clang::TypeLoc type) override {
    const instrument::compatibility::NamedType named = instrument::compatibility::namedType(type);
    const auto tag = named.name.getAs<clang::TagTypeLoc>();
    if (named.keyword.isInvalid() || !tag ||
        tag.getDecl()->getCanonicalDecl() != record_.getCanonicalDecl())
      return true;
    found.insert(named.keyword);
    isFixed |= isInTemplate_ || named.keyword.isMacroID();
    return true;
  }

  std::set<clang::SourceLocation> found;
  bool isFixed = false; ///< one of them stands in a macro or a template

private:
  const clang::CXXRecordDecl &record_;
  const clang::SourceManager &sources_;
  bool isInTemplate_ = false;
};

KeywordFinder keywordsBefore(const clang::CXXRecordDecl &record) {
  KeywordFinder keywords(record);
  keywords.TraverseDecl(record.getASTContext().getTranslationUnitDecl());
  return keywords;
}

/// Of a friend that is defined inside a class only the class's members know by their arguments.
bool definesFriends(const clang::CXXRecordDecl &record) {
  return std::ranges::any_of(record.decls(), [](const clang::Decl *member) {
    const auto *declaration = dyn_cast<clang::FriendDecl>(member);
    const auto *function =
        declaration ? dyn_cast_or_null<clang::FunctionDecl>(declaration->getFriendDecl()) : nullptr;
    return declaration &&
           (function ? function->isThisDeclarationADefinition()
                     : isa_and_nonnull<clang::FunctionTemplateDecl>(declaration->getFriendDecl()));
  });
}

} // namespace

const clang::CXXRecordDecl *outermostClass(const clang::CXXRecordDecl &record) {
  const clang::CXXRecordDecl *outermost = nullptr;
  for (const auto *around = dyn_cast<clang::CXXRecordDecl>(record.getDeclContext()); around;
       around = dyn_cast<clang::CXXRecordDecl>(around->getDeclContext()))
    outermost = around;
  return outermost;
}

std::string namesAround(const clang::CXXRecordDecl &record) {
  const auto *around = dyn_cast<clang::CXXRecordDecl>(record.getDeclContext());
  return around ? namesAround(*around) + around->getNameAsString() : std::string();
}

std::string obstacleToMoving(const clang::CXXRecordDecl &record) {
  const auto *around = dyn_cast<clang::CXXRecordDecl>(record.getDeclContext());
  if (!record.getIdentifier() || record.isEmbeddedInDeclarator())
    return "is defined inside another class, together with a member or a typedef";
  if (record.getLexicalDeclContext() != record.getDeclContext() ||
      record.getFirstDecl() != record.getDefinition())
    return "is defined inside another class, apart from its declaration";
  if (isa<clang::ClassTemplateSpecializationDecl>(record) || record.getDescribedClassTemplate())
    return "is a class template inside another class";
  for (; around; around = dyn_cast<clang::CXXRecordDecl>(around->getDeclContext())) {
    if (around->isDependentContext() || isa<clang::ClassTemplateSpecializationDecl>(around))
      return "is defined inside a class template";
    if (!around->getIdentifier() || around->isEmbeddedInDeclarator())
      return "is defined inside a class that is defined together with a variable or a typedef";
    if (definesFriends(*around))
      return "is defined inside a class that defines friends, which calls with elements may find";
  }
  for (const clang::CXXConstructorDecl *constructor : record.ctors())
    if (const clang::FunctionDecl *body = constructor->getDefinition(); body && body->isOutOfLine())
      return "is defined inside another class, and a constructor of it outside"; // of an alias
  if (isTied(record))
    return "is defined inside another class, and uses members of that";
  if (keywordsBefore(record).isFixed)
    return "is defined inside another class, and named with 'struct' or 'class' before it in a "
           "macro or a template";
  return {};
}

std::set<clang::SourceLocation> keywordsOf(const clang::CXXRecordDecl &record) {
  return keywordsBefore(record).found;
}

} // namespace relayout::rewriter
