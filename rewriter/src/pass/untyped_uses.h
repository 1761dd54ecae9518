// SPDX-License-Identifier: Apache-2.0
// What a program does with pointers without a type besides handing them on.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/DeclCXX.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace relayout::rewriter {

/// A member's first bit and how many it has, and whether it is a pointer, a floating-point number,
/// an integer, or something else.
using MemberPlace = std::tuple<std::uint64_t, std::uint64_t, char>;

/// Of one unit, or of all of a program.
struct UntypedUses {
  /// Some variable of type `void *`, or what a function of the program returns as such, is more
  /// than put into others, given back, freed, printed, or cast to pointers to classes.
  bool readsBytes = false;
  std::set<std::string> made; ///< classes to which pointers become ones without a type
  /// Classes to pointers to which such ones are cast, with the places of their members.
  std::map<std::string, std::set<MemberPlace>> named;

  void add(const UntypedUses &other);
  /// An object of this class, to which such a pointer leads, may change its size: nothing reads it
  /// as numbers, nor as another class with members at the same places.
  [[nodiscard]] bool mayLeadTo(const clang::CXXRecordDecl &record) const;
};

[[nodiscard]] UntypedUses untypedUses(instrument::ParsedUnit &unit);

} // namespace relayout::rewriter
