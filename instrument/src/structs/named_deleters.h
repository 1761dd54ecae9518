// SPDX-License-Identifier: Apache-2.0
// Deleters that are functions or lambdas, which become classes.
#pragma once

#include "model/owner_uses.h"
#include "structs/split_text.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

struct DeleterEdit {
  TypePlace begin;
  unsigned end = 0;
  std::string text;
  unsigned line = 0; ///< that the text stands for; 0: that of its place
  auto operator<=>(const DeleterEdit &) const = default;
};

/// A deleter throughout the program, and the text that gives it a type.
struct TypedDeleter {
  std::string name;      ///< of its function's parameter, as arrays are named
  std::string className; ///< of the class that is read in its place
  SourcePlace place;
  std::set<DeleterEdit> edits;
  bool isKept = false; ///< something of it cannot be edited
};

/// The units that have any, and what they do with them.
using UnitsWithOwners = std::vector<std::pair<ParsedUnit *, OwnerUses>>;

/// Adds one for each record whose arrays are freed by functions, and one for each lambda in a
/// variable.
void addNamedDeleters(const UnitsWithOwners &units, const SplitText &text,
                      std::map<std::string, TypedDeleter> &deleters);

/// By what the deleter of `std::unique_ptr<R, D>` is known.
[[nodiscard]] std::string deleterKey(ParsedUnit &unit,
                                     const clang::ClassTemplateSpecializationDecl &owner);

/// The record's name, as it is written in a scope; empty where it has none there.
[[nodiscard]] std::string nameIn(const clang::DeclContext &scope,
                                 const clang::CXXRecordDecl &record);

/// Behind the token at a location.
[[nodiscard]] std::optional<TypePlace> behind(ParsedUnit &unit, clang::SourceLocation token);

} // namespace relayout::instrument
