// SPDX-License-Identifier: Apache-2.0
// Parts of an object by their places in it, whichever way the program names them.
#pragma once

#include "pass/program.h"

#include <clang/AST/Expr.h>

#include <cstdint>
#include <map>
#include <optional>

namespace relayout::rewriter {

/// In bits, from the start of the object.
struct ObjectPart {
  std::uint64_t begin = 0, size = 0;
  clang::QualType type;
};

/// Whose parts are meant: `this`, or a parameter of reference or record type.
struct PartOwner {
  const clang::ParmVarDecl *parameter = nullptr; ///< null: `this`
};

/// What an lvalue names of its owner: `x`, `v[1]`, `at.x`, members without a name in between, and
/// methods that return such a part, called with constants.
/// \returns  nothing for anything else
[[nodiscard]] std::optional<ObjectPart> objectPart(const Program &program,
                                                   const clang::Expr &expression, PartOwner owner);

/// The part that a member is, found by its record's layout; `member` may lie in unnamed ones.
[[nodiscard]] ObjectPart partOfMember(const clang::ValueDecl &member);

/// Bits of an object, as they are gathered.
class ObjectBits {
public:
  void add(std::uint64_t begin, std::uint64_t size);
  /// Whether they hold all of an object of that type that lies there, padding left out.
  [[nodiscard]] bool hold(clang::QualType type, std::uint64_t begin,
                          const clang::ASTContext &context) const;
  /// All members of a record but those of its bases.
  [[nodiscard]] bool holdMembersOf(const clang::RecordDecl &record, std::uint64_t begin = 0) const;

private:
  std::map<std::uint64_t, std::uint64_t> ends_; ///< by begin; none touches another
};

} // namespace relayout::rewriter
