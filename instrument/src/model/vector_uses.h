// SPDX-License-Identifier: Apache-2.0
// What a unit does with Thrust's vectors of records in device memory: the part of their interface
// that it uses, what of its text depends on its being Thrust's, and what reaches the host.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// A part of a vector's interface that programs may or may not use.
enum class VectorPart {
  SizeConstructor, ///< `(n)`
  FillConstructor, ///< `(n, value)`
  RangeConstructor,
  HostConstructor, ///< from a vector of the host's
  Copies,          ///< from another one
  HostAssignment,
  RangeAssignment, ///< `assign(begin, end)`
  FillAssignment,  ///< `assign(n, value)`
  HostConversion,  ///< `thrust::host_vector<R> h = d;`
  CopyToVector,    ///< `h = d;`
  CopyToPointer,   ///< `thrust::copy(d.begin(), d.end(), to)`
  CopyFromRange,   ///< `thrust::copy(begin, end, d.begin())`
  CopyFromVector,  ///< the same, from another one
  RangeToPointer,  ///< `thrust::copy(d.begin(), d.begin() + n, to)`
  RangeFromPointer,
  RangeToHost, ///< `thrust::host_vector<R> h(d.begin(), d.begin() + n);`
  Data,
  ConstData,
  Iterators,
  ConstIterators,
  NamedConstIterators, ///< `cbegin()`
  Get,
  Set,
  Empty,
  Clear,
  Resize,
  FillResize, ///< `resize(n, value)`
  Reserve,
  PushBack,
};

/// Text that takes the place of other text, where the vector is a class with these parts.
struct VectorEdit {
  clang::CharSourceRange range; ///< empty: the text is inserted in front of its begin
  std::string text;             ///< in which kClassName stands for the class
};
inline constexpr char kClassName = '\x01';

/// The function that makes a vector of the host's of a part of one: "hostVector", "stdVector".
[[nodiscard]] std::string nameOfRangeToHost(const std::string &host);

/// An instance of a function template that a call might have meant, and did not.
[[nodiscard]] bool isMereCandidate(const clang::FunctionDecl &function);

/// What is copied to the host.
struct CopiedBack {
  const clang::Expr *first = nullptr; ///< a vector, a pointer to one, an element, or an iterator
  const clang::Expr *last = nullptr;  ///< the iterator behind the last element; null: no iterators
  bool isInTemplate = false;
};

/// Of the vectors of one record.
struct VectorUses {
  const clang::CXXRecordDecl *element = nullptr;      ///< its definition
  std::vector<clang::SourceLocation> mentions;        ///< names of the type, without qualifiers
  std::vector<const clang::Decl *> mentioning;        ///< for each, what stands in a namespace
  std::vector<clang::SourceLocation> pointerMentions; ///< `device_ptr` of `thrust::device_ptr<R>`
  std::vector<VectorEdit> edits;
  /// Each part with the name of the host's vector, or with nothing.
  std::set<std::pair<VectorPart, std::string>> parts;
  std::vector<CopiedBack> copiedBack;
  bool hasRawPointer = false;    ///< the program takes the address of its memory
  bool hasDevicePointer = false; ///< a thrust::device_ptr is made of one
  bool namesPolicy = false;      ///< the edits name thrust::device
  /// Why it has to be Thrust's, and where that shows; empty: it need not be.
  std::string obstacle;
  clang::SourceLocation obstaclePlace;
};

/// By the record.
[[nodiscard]] std::map<const clang::CXXRecordDecl *, VectorUses> vectorUses(ParsedUnit &unit);

} // namespace relayout::instrument
