// SPDX-License-Identifier: Apache-2.0
// Reads the bodies of destructors.
#include "legality/empty_destructors.h"

#include <clang/AST/Stmt.h>

#include <algorithm>

namespace relayout::rewriter {

bool isEmpty(const Program &program, const clang::CXXDestructorDecl &destructor) {
  if (destructor.isVirtual() || destructor.isDeleted())
    return false;
  if (!destructor.isUserProvided())
    return true;
  const clang::FunctionDecl *body = program.linked.bodyOf(program, destructor).body;
  const auto *block = body ? clang::dyn_cast<clang::CompoundStmt>(body->getBody()) : nullptr;
  return block && block->body_empty();
}

bool destroysNothing(const Program &program, const clang::CXXRecordDecl &record) {
  const clang::CXXRecordDecl *definition = record.getDefinition();
  if (!definition)
    return false;
  if (definition->hasTrivialDestructor())
    return true;
  const clang::CXXDestructorDecl *destructor = definition->getDestructor();
  return destructor && isEmpty(program, *destructor) &&
         std::ranges::all_of(definition->bases(),
                             [&](const clang::CXXBaseSpecifier &base) {
                               return destroysNothing(program, base.getType());
                             }) &&
         std::ranges::all_of(definition->fields(), [&](const clang::FieldDecl *field) {
           return destroysNothing(program, field->getType());
         });
}

bool destroysNothing(const Program &program, clang::QualType type) {
  if (type.isDestructedType() == clang::QualType::DK_none)
    return true;
  const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record && destroysNothing(program, *record);
}

} // namespace relayout::rewriter
