// SPDX-License-Identifier: Apache-2.0
// Which declarations can hold pointers into the same arrays of records, vector types included: the
// groups a layout is chosen for. Used by the program model (to name a site's group) and by the
// rewriter's legality.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// Where the memory behind a group comes from, as far as the program's units show.
struct Origins {
  bool device = false;     ///< cudaMalloc and related calls, static arrays (static_arrays.h)
  bool host = false;       ///< new, malloc, containers, local and global host arrays
  bool deviceHeap = false; ///< new and malloc in device code, which are `host` as well
  bool shared = false;     ///< __shared__ memory that stays as it is
  bool ownShared = false; ///< an array in shared memory that may be laid out anew (shared_arrays.h)
  bool managed = false;   ///< cudaMallocManaged
  bool pinned = false;    ///< cudaMallocHost, cudaHostAlloc: kernels may reach it, too
  bool symbol = false;    ///< another __device__, __managed__ or __constant__ variable
  bool local = false;     ///< addresses of locals, references bound to values
  bool unknown = false;   ///< a cast, an untyped pointer, a call we do not see into
  /// A function that stays as it is allocates as many bytes as it is asked for.
  bool exact = false;

  /// Whether it stands for memory of some kind.
  [[nodiscard]] bool areKnown() const {
    return device || host || shared || ownShared || managed || pinned || symbol || local;
  }
  /// Whether the same declaration stands for memory of the device and of the host.
  [[nodiscard]] bool areOfBothSides() const { return (device || managed) && (host || local); }
  /// Whether it stands for memory that CUDA allocates, and for other memory as well.
  [[nodiscard]] bool areMixed() const {
    return areOfBothSides() || ((device || managed) && (shared || symbol));
  }
  /// The same where page-locked memory counts as other memory, as much of it that no kernel sees.
  [[nodiscard]] bool mayBeMixed() const { return areMixed() || ((device || managed) && pinned); }
};

/// An unknown flow: what `thrust::raw_pointer_cast` gives.
inline constexpr std::string_view kStorageOfThrust = "the storage of a Thrust vector";
/// Another: what `data()` of a span that stays the library's gives.
inline constexpr std::string_view kPointerOfSpan = "the pointer of a std::span";

/// Declarations (variables, parameters, members, functions for what they return) of pointer or
/// reference to one record type that can hold pointers into the same array. A group may reach
/// across units: what is about the array holds for all of them, `record` and `declarations` are
/// one unit's view.
struct ArrayGroup {
  const clang::CXXRecordDecl *record = nullptr;       ///< null where the unit has no part of it
  std::vector<const clang::ValueDecl *> declarations; ///< canonical, in source order
  std::vector<std::string> arrays; ///< names of all units' declarations, once each
  SourcePlace place;               ///< of the first
  Origins origins;
  std::vector<std::pair<std::string, SourcePlace>> unknownFlows; ///< what, and where
  std::vector<SourcePlace> hostMemory; ///< where memory of the host's is made that it leads to
  bool holdsPointers = false;          ///< a declaration of some unit is no reference
  bool isInKernels = false;            ///< device code has a part of it
  bool isUncalled = false;             ///< nothing reaches it but by a function that no unit calls

  /// False for what, as far as the units show, only ever sees locals, __shared__ memory or the
  /// host's, page-locked memory included, and for parameters bound to single values: no layout is
  /// chosen for them.
  [[nodiscard]] bool mayBeDeviceArrays() const;

  /// Why a plain array is not looked at; empty where it is. There are pointers to scalars
  /// everywhere: only those count that allocations of device memory lead to, and nothing else.
  [[nodiscard]] std::string whyNotPlain() const;
};

class ArrayFlow {
public:
  /// The flow of each unit of a program; a group has the same index in all of them.
  static std::vector<ArrayFlow> analyse(const std::vector<ParsedUnit *> &units);
  /// Of a program of one unit.
  static ArrayFlow analyse(ParsedUnit &unit) { return std::move(analyse({&unit}).front()); }

  [[nodiscard]] const std::vector<ArrayGroup> &groups() const { return groups_; }

  /// Index into groups() of what this declaration points to; trace::kNone if it points to no
  /// record array.
  [[nodiscard]] std::uint32_t groupOf(const clang::ValueDecl *declaration) const;

  /// The group an expression of type pointer-to-record, or a glvalue of record type, refers to.
  [[nodiscard]] std::uint32_t groupOf(const clang::Expr *expression) const;

  /// A reference parameter that works on whatever it is given, an element of an array or a value:
  /// `const R &`, `R &` of operators, and `R &` that device arrays and other memory are given to.
  /// It does not join the arrays that it is given.
  [[nodiscard]] bool takesValue(const clang::ParmVarDecl &parameter) const;

  /// "function::name", "Struct::member" or "name": stable across passes; used in plans.
  [[nodiscard]] static std::string nameOf(const clang::ValueDecl *declaration);

private:
  friend class FlowLinker;
  std::vector<ArrayGroup> groups_;
  std::unordered_map<const clang::ValueDecl *, std::uint32_t> groupOf_;
  std::unordered_set<const clang::ValueDecl *> values_; ///< parameters `R &` that take any memory
};

} // namespace relayout::instrument
