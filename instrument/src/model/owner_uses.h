// SPDX-License-Identifier: Apache-2.0
// Where a unit's text names the types of objects that own arrays, and what it does with these
// objects that depends on the deleter's type.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>

#include <utility>
#include <vector>

namespace relayout::instrument {

/// `std::unique_ptr<X, D>` in the text, a template's among it.
struct OwnerMention {
  clang::TypeLoc deleter;
  clang::SourceLocation begin;                    ///< the `<`
  const clang::Decl *around = nullptr;            ///< the outermost declaration in its namespace
  const clang::CXXRecordDecl *instance = nullptr; ///< null: it depends on a template's parameter
};

struct OwnerUses {
  std::vector<OwnerMention> mentions;
  /// All names of classes.
  std::vector<std::pair<const clang::CXXRecordDecl *, clang::SourceLocation>> names;
  /// `p[i]`, `*p`, `p->`
  std::vector<const clang::CXXOperatorCallExpr *> elements;
  std::vector<const clang::CXXConstructExpr *> constructions; ///< of owners
  std::vector<const clang::VarDecl *> lambdas;                ///< `auto free = [](R *p) { … };`
};

/// Nothing of a unit without std::unique_ptrs that have a deleter of their own.
[[nodiscard]] OwnerUses ownerUses(ParsedUnit &unit);

} // namespace relayout::instrument
