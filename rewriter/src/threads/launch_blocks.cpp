// SPDX-License-Identifier: Apache-2.0
// A block is a variable or member of type dim3, or dim3(…) with its extents written out.
#include "threads/launch_blocks.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

bool isDim3(clang::QualType type) {
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->getDeclName().isIdentifier() && record->getName() == "dim3";
}

/// Without temporaries and copies of a dim3.
const clang::Expr *withoutCopies(const clang::Expr *value) {
  for (;;) {
    const clang::Expr *inner = value->IgnoreParenImpCasts();
    if (const auto *cleanups = dyn_cast<clang::ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr();
    else if (const auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (const auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto *copy = dyn_cast<clang::CXXConstructExpr>(inner);
             copy && !isa<clang::CXXTemporaryObjectExpr>(inner) && copy->getNumArgs() == 1 &&
             isDim3(copy->getArg(0)->getType()))
      inner = copy->getArg(0);
    if (inner == value)
      return value;
    value = inner;
  }
}

bool isVariable(const clang::Expr &value) {
  const clang::Expr *bare = value.IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare))
    return isa<clang::CXXThisExpr>(member->getBase()) || isVariable(*member->getBase());
  return isa<clang::DeclRefExpr>(bare);
}

} // namespace

std::optional<std::vector<Edit>> exchangedBlock(const clang::CUDAKernelCallExpr &launch,
                                                const SourceReader &reader) {
  const clang::CallExpr *shape = launch.getConfig();
  if (!shape || shape->getNumArgs() < 2)
    return std::nullopt;
  const clang::Expr *block = withoutCopies(shape->getArg(1));
  if (isVariable(*block) && isDim3(block->getType())) {
    const std::optional<FileRange> range = reader.range(block->getSourceRange());
    if (!range)
      return std::nullopt;
    const std::string text = reader.text(*range);
    return std::vector<Edit>{{*range, fmt::format("dim3({0}.y, {0}.x, {0}.z)", text)}};
  }
  const auto *made = dyn_cast<clang::CXXTemporaryObjectExpr>(block);
  if (!made || !isDim3(made->getType()) || made->getNumArgs() < 2 ||
      isa<clang::CXXDefaultArgExpr>(made->getArg(1)))
    return std::nullopt;
  const std::optional<FileRange> x = reader.range(made->getArg(0)->getSourceRange());
  const std::optional<FileRange> y = reader.range(made->getArg(1)->getSourceRange());
  if (!x || !y)
    return std::nullopt;
  return std::vector<Edit>{{*x, reader.text(*y)}, {*y, reader.text(*x)}};
}

} // namespace relayout::rewriter
