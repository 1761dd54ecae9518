// SPDX-License-Identifier: Apache-2.0
// What a unit does with spans of one record: which of them may be the same, what memory they are
// made from, and which part of their interface is used.
#pragma once

#include "relayout/instrument/clang/array_flow.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// A part of a span's interface that programs may or may not use.
enum class SpanPart {
  PointerAndSize, ///< `(p, n)`
  PointerAndEnd,  ///< `(p, p + n)`
  FromMutable,    ///< a span of const elements from one of others
  Subscript,
  Front,
  Back,
  Data,
  Size,
  SizeInBytes,
  Empty,
  Subspan,
  First,
  Last,
};

/// A name of the type. Whatever has spans is known by the place of its declaration, or of the
/// expression, the same in all units; pointers to such records by the group of their arrays.
struct SpanMention {
  std::string object;
  clang::SourceLocation name; ///< without qualifiers
  bool hasArguments = false;  ///< false: the compiler deduces them
  bool isConst = false;       ///< of const elements
  bool isOfCuda = false;
  const clang::Decl *around = nullptr; ///< what stands in a namespace
};

struct SpanLoop {
  std::string object; ///< what it visits
  const clang::CXXForRangeStmt *loop = nullptr;
  bool isOfVariable = false; ///< a local one that the loop does not change
};

struct SpanUses {
  struct Obstacle {
    std::string object; ///< empty: all
    std::string what;
    clang::SourceLocation where;
  };
  struct UsedPart {
    std::string object;
    bool isConst = false;
    SpanPart part;
    auto operator<=>(const UsedPart &) const = default;
  };

  const clang::CXXRecordDecl *element = nullptr; ///< its definition
  std::vector<SpanMention> mentions;
  std::set<std::pair<std::string, std::string>> joins; ///< objects that may be the same
  std::map<std::string, clang::SourceLocation> device; ///< what kernels are given
  std::map<std::string, clang::SourceLocation> other;  ///< made from the host's memory, say
  std::set<UsedPart> parts;
  std::vector<SpanLoop> loops;
  std::vector<Obstacle> obstacles; ///< why an object has to be the library's span
};

[[nodiscard]] SpanUses spanUses(ParsedUnit &unit, const ArrayFlow &flow,
                                const clang::CXXRecordDecl &element);

/// Of arrays, among the objects.
[[nodiscard]] std::string spanObjectOf(std::uint32_t group);

} // namespace relayout::instrument
