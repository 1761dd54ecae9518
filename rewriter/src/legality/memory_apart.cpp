// SPDX-License-Identifier: Apache-2.0
// Compares where an atomic operation leads with all that another expression names.
#include "legality/memory_apart.h"

#include "legality/library_functions.h"

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// A variable's own memory, or that of a group of arrays.
struct Memory {
  const clang::VarDecl *variable = nullptr;
  std::uint32_t group = trace::kNone;

  explicit operator bool() const { return variable || group != trace::kNone; }
};

/// The group of arrays that allocations of their own alone lead to; kNone for others.
std::uint32_t groupOfItsOwn(const Program &program, const clang::ValueDecl &pointer) {
  const std::uint32_t group = program.flow.groupOf(&pointer);
  return group != trace::kNone && program.flow.groups()[group].whyNotPlain().empty() ? group
                                                                                     : trace::kNone;
}

/// Of `count` and `&count[k]` the array; of `&total` and `&totals[k]` the variable, where all its
/// memory has its own name.
Memory memoryBehind(const Program &program, const clang::Expr &pointer) {
  const clang::Expr *at = pointer.IgnoreParenCasts();
  if (const auto *address = dyn_cast<clang::UnaryOperator>(at);
      address && address->getOpcode() == clang::UO_AddrOf)
    at = address->getSubExpr()->IgnoreParenCasts();
  while (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at))
    at = subscript->getBase()->IgnoreParenCasts();
  const auto *name = dyn_cast<clang::DeclRefExpr>(at);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable || variable->getType()->isReferenceType())
    return {};
  if (!variable->getType()->isPointerType())
    return variable->hasExternalStorage() ? Memory() : Memory{variable, trace::kNone};
  if (!variable->getType()->getPointeeType()->isArithmeticType()) // what they hold leads elsewhere
    return {};
  return {nullptr, groupOfItsOwn(program, *variable)};
}

bool mayLeadTo(const Program &program, const clang::ValueDecl &named, const Memory &memory) {
  if (&named == memory.variable)
    return true;
  if (!named.getType()->isPointerType() && !named.getType()->isReferenceType())
    return false;
  const std::uint32_t group = groupOfItsOwn(program, named);
  return group == trace::kNone || group == memory.group;
}

bool reads(const Program &program, const clang::Stmt *expression, const Memory &memory) {
  if (!expression)
    return false;
  const clang::ValueDecl *named = nullptr;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression))
    named = name->getDecl();
  else if (const auto *member = dyn_cast<clang::MemberExpr>(expression))
    named = member->getMemberDecl();
  else if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    // Another function may read anything.
    if (const clang::FunctionDecl *callee = call->getDirectCallee();
        !callee || !(isAccessor(*callee) || isMathematical(*callee)))
      return true;
  return (named && mayLeadTo(program, *named, memory)) ||
         std::ranges::any_of(expression->children(), [&](const clang::Stmt *child) {
           return reads(program, child, memory);
         });
}

} // namespace

bool changesMemoryApart(const Program &program, const clang::CallExpr &call,
                        const clang::Expr &reading) {
  if (call.getNumArgs() == 0 || !isAtomic(runtimeName(program, call)))
    return false;
  const Memory memory = memoryBehind(program, *call.getArg(0));
  return memory && !reads(program, &reading, memory);
}

} // namespace relayout::rewriter
