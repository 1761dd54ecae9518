// SPDX-License-Identifier: Apache-2.0
// The site table: what the instrumenter knows of the program, carried inside every trace.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/code_outline.h"
#include "relayout/trace/index.h"
#include "relayout/trace/operations.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::trace {

/// A direct member of a record. An array member is one field with `count` > 1.
struct Field {
  std::string name;
  std::string type;         ///< as C++ spells it, array extents left out: "float", "float3"
  std::string extents;      ///< array extents as C++ spells them: "", "[3]", "[2][4]"
  std::uint32_t offset = 0; ///< bytes from the start of the record
  std::uint32_t bytes = 0;  ///< bytes of the whole field, all array elements
  std::uint32_t alignment = 1;
  std::uint32_t count = 1; ///< array elements, 1 for a scalar
  /// Scalars of a nested struct that has nothing but scalars of one size; 1 for anything else.
  std::uint32_t parts = 1;

  /// What accesses may take of it one by one: elements or parts.
  [[nodiscard]] std::uint32_t pieces() const { return count > 1 ? count : parts; }
};

/// A struct or class of the user's that appears in device arrays.
struct Record {
  std::string name; ///< qualified: "sim::Particle"
  SourcePlace place;
  std::uint32_t bytes = 0; ///< sizeof
  std::uint32_t alignment = 1;
  std::vector<Field> fields; ///< in declaration order
};

/// The arrays of one record that can flow into the same pointer; a layout is chosen per group.
struct Group {
  Index record = kNone;
  std::vector<std::string> arrays; ///< the declarations, "function::name", in source order
  SourcePlace place;               ///< of the first declaration
  bool isShared = false;           ///< `__shared__` arrays, of which each block has its own
};

struct Loop {
  std::uint32_t id = 0; ///< probe id, see Site::id
  Index parent = kNone; ///< enclosing loop of the same function (index into loops)
  std::string function; ///< qualified name of the enclosing function
  SourcePlace place;
  /// Of one thread and iteration, accesses to records and inner loops of this table left out.
  Operations operations = {};
};

enum class AccessKind : std::uint8_t { Read, Write, Atomic };

/// A static access: a load, a store or an atomic of one field, or a whole-record copy.
/// `x += v` is two sites, a read and a write, at the same place.
struct Site {
  /// Probe ids number sites, loops and calls of a translation unit in evaluation order, from 1.
  std::uint32_t id = 0;
  AccessKind kind = AccessKind::Read;
  Index record = kNone;
  Index group = kNone;     ///< kNone when the array could not be told statically
  Index field = kNone;     ///< kNone for a whole-record copy
  Index loop = kNone;      ///< innermost enclosing loop in the same function
  std::uint32_t bytes = 0; ///< bytes one lane moves
  std::string function;    ///< qualified name of the enclosing function
  SourcePlace place;
};

struct Kernel {
  std::string name; ///< qualified; template arguments left out
  SourcePlace place;
  Operations operations = {}; ///< of one thread, outside the loops of this table; see Loop
  /// Of one thread, words of 4 bytes: variables in scope where most are, and parameters that are
  /// pointers. Arrays, and what is larger than 64 bytes, are left out.
  std::optional<std::uint32_t> liveWords = std::nullopt;
  /// Of a block: `__shared__` variables of the functions that it runs; dynamic memory is left out.
  std::uint32_t staticSharedBytes = 0;
};

/// A site as one kernel reaches it, directly or through __device__ calls.
struct Reach {
  Index kernel = kNone;
  Index site = kNone;
  /// Innermost loop around the access as the kernel sees it: a loop of the site's own function,
  /// else the loop around the call that leads there (the deepest one, where calls differ).
  Index loop = kNone;
};

/// Facts of a program alone: what a compiler or a GPU makes of them is for a policy to say, so one
/// trace serves all GPUs.
struct SiteTable {
  std::string sourceFile;   ///< main file, as given on the command line
  std::string sourceDigest; ///< XXH3-128 of the user's files, hex; identifies the program text
  /// `main` looks at its arguments, or something at standard input or into files, so that a run
  /// without any is one of several.
  bool readsInput = false;
  /// Another run may launch a kernel more often: some launch stands in a loop.
  bool repeatsLaunches = true;
  std::vector<Record> records;
  std::vector<Group> groups;
  std::vector<Loop> loops;
  std::vector<Site> sites; ///< ascending id
  std::vector<Kernel> kernels;
  std::vector<Reach> reaches;
  std::vector<CodeOutline> outlines; ///< callees before callers
};

/// Whether the group's arrays lie in shared memory; false for kNone.
[[nodiscard]] inline bool isInSharedMemory(const SiteTable &table, Index group) {
  return group != kNone && table.groups[group].isShared;
}

/// Index of the site with this probe id.
[[nodiscard]] std::optional<Index> findSite(const SiteTable &table, std::uint32_t id);

[[nodiscard]] std::string toJson(const SiteTable &table);

/// \error RL-T05 not a site table, or an index in it is out of range
[[nodiscard]] Result<SiteTable> siteTableFromJson(std::string_view json);

[[nodiscard]] const char *accessKindName(AccessKind kind);

} // namespace relayout::trace
