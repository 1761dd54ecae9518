// SPDX-License-Identifier: Apache-2.0
// Looks for members that neither a constructor's list of initialisers nor its body sets.
#include "legality/constructed_members.h"

#include "legality/element_effects.h"
#include "legality/memberwise_copies.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>
#include <string>

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

/// Whether a body writes the member, all of it, whichever way control goes.
bool isAssigned(const ElementEffects &effects, const clang::FieldDecl &field,
                const std::string &around) {
  const std::string path = around + field.getNameAsString();
  if (effects.written.contains(path) && effects.touched.contains(path))
    return true;
  const clang::CXXRecordDecl *nested = field.getType()->getAsCXXRecordDecl();
  return nested && nested->hasDefinition() && !nested->isUnion() && nested->getNumBases() == 0 &&
         std::ranges::all_of(nested->fields(), [&](const clang::FieldDecl *part) {
           return isAssigned(effects, *part, path + ".");
         });
}

/// Of a class whose constructor does nothing.
const clang::FieldDecl *firstField(const clang::CXXRecordDecl &record) {
  for (const clang::CXXBaseSpecifier &base : record.bases())
    if (const clang::FieldDecl *field = firstField(*base.getType()->getAsCXXRecordDecl()))
      return field;
  return record.field_empty() ? nullptr : *record.field_begin();
}

const clang::FieldDecl *unsetBy(const Program &program,
                                const clang::CXXConstructorDecl &constructor) {
  if (constructor.isCopyOrMoveConstructor() && copiesMembers(program, constructor))
    return nullptr;
  const clang::CXXRecordDecl &record = *constructor.getParent();
  if (constructor.isTrivial())
    return firstField(record);
  const clang::FunctionDecl *defined = program.linked.bodyOf(program, constructor).body;
  const auto *body = clang::cast<clang::CXXConstructorDecl>(defined ? defined : &constructor);
  std::set<const clang::FieldDecl *> initialised;
  for (const clang::CXXCtorInitializer *initialiser : body->inits()) {
    const clang::FieldDecl *unset = unsetMember(program, *initialiser->getInit());
    if (initialiser->isDelegatingInitializer())
      return unset;
    if (initialiser->isBaseInitializer() && unset)
      return unset;
    if (initialiser->isMemberInitializer() && !unset)
      initialised.insert(initialiser->getMember()->getCanonicalDecl());
  }
  const ElementEffects effects = effectsOn(program, constructor, -1);
  for (const clang::FieldDecl *field : record.fields())
    if (!initialised.contains(field->getCanonicalDecl()) && !isAssigned(effects, *field, {}))
      return field;
  return nullptr;
}

} // namespace

const clang::FieldDecl *unsetMember(const Program &program, const clang::Expr &construction) {
  const clang::Expr *bare = construction.IgnoreImplicit();
  const auto *made = dyn_cast<clang::CXXConstructExpr>(bare);
  if (!made || made->requiresZeroInitialization())
    return nullptr;
  return unsetBy(program, *made->getConstructor());
}

} // namespace relayout::rewriter
