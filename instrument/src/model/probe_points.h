// SPDX-License-Identifier: Apache-2.0
// What the readers of a parsed unit collect, before it becomes the program model: probe points in
// evaluation order, functions, calls. Keyed by place, so that host and device pass add up.
#pragma once

#include "parse/statement_tokens.h"

#include "relayout/base/diagnostic.h"
#include "relayout/instrument/program_model.h"
#include "relayout/trace/code_outline.h"
#include "relayout/trace/operations.h"
#include "relayout/trace/site_table.h"

#include <algorithm>
#include <clang/AST/Expr.h>

#include <llvm/ADT/Hashing.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// A text that many name, such as a file's path: points to the one string that holds it, which
/// outlives them.
class NamedText {
public:
  NamedText() = default;
  NamedText(const std::string &held) : held_(&held) {} // NOLINT: it is that text
  NamedText(std::string &&) = delete;

  [[nodiscard]] const std::string &text() const {
    static const std::string kNone;
    return held_ ? *held_ : kNone;
  }
  [[nodiscard]] bool empty() const { return text().empty(); }

  friend bool operator==(const NamedText &a, const NamedText &b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const NamedText &a, const NamedText &b) {
    return a.held_ == b.held_ ? std::strong_ordering::equal : a.text() <=> b.text();
  }

private:
  const std::string *held_ = nullptr;
};

/// A token's place that means the same in every parse of the same files: the file, the byte where
/// the token or the macro invocation around it starts, and its number within that invocation.
struct StablePlace {
  NamedText file; ///< its path
  unsigned offset = 0;
  unsigned inMacro = 0;

  auto operator<=>(const StablePlace &) const = default;
};

enum class PointKind { Read, Write, Atomic, Loop, Call };

/// From where to where a point of some kind stands.
struct PointKey {
  StablePlace begin, end;
  PointKind kind = PointKind::Read;

  bool operator==(const PointKey &) const = default;
};

/// Files aside: few points of different files have all else alike.
struct PointHash {
  std::size_t operator()(const PointKey &key) const {
    return llvm::hash_combine(key.begin.offset, key.begin.inMacro, key.end.offset, key.end.inMacro,
                              key.kind);
  }
};

/// A bit-field has no address, so that its probe is given the object that it is a member of.
struct BitFieldAccess {
  enum class Object { Named, Pointed, This };

  Object object = Object::Named; ///< `p[i].kind`, `p->kind`, `kind` of a method's own object
  std::uint64_t offset = 0;      ///< of the storage unit, from the object's start
  std::uint32_t firstToken = 0, lastToken = 0; ///< that name the object; of `kind` alone its own

  [[nodiscard]] bool isAs(const BitFieldAccess &other) const {
    return object == other.object && offset == other.offset;
  }
};

/// Where the traced program calls a probe.
struct Point {
  PointKind kind = PointKind::Read;
  StablePlace begin, end;
  std::uint32_t id = 0; ///< assigned when all are known; 0: dropped, as a call of untraced code

  // Accesses.
  NamedText record; ///< key in Facts::records; empty: memory that holds no records
  trace::Index field = trace::kNone;
  std::uint32_t bytes = 0;
  Point *partner = nullptr;          ///< the write of a read-write, at the read
  bool isPartner = false;            ///< the write of a read-write: no edit of its own
  bool isShared = false;             ///< of an array in shared memory
  bool isInPlace = false;            ///< reads: by a reference or address, so it stays an lvalue
  trace::Index group = trace::kNone; ///< the unit's group, where this was first seen
  std::optional<BitFieldAccess> bitField = {}; ///< of one, what the edit is

  const Point *loop = nullptr;  ///< innermost loop of the same function; of a loop: the one outside
  const void *callee = nullptr; ///< calls: the SourceFunction; null until it is linked
  SourcePlace place;

  // For the edits, in the host pass; null or absent for what only the device pass sees.
  bool inHostPass = false;
  bool inDevicePass = false;
  std::uint32_t firstToken = 0, lastToken = 0;
  const clang::Stmt *loopStatement = nullptr;

  // Loops.
  const clang::Stmt *walkedLoop = nullptr; ///< in the body that was walked last, of either pass
  bool isCounted = false; ///< its iterations are: it has accesses, or no constant trip count
  bool isBare = false;    ///< nothing else in it has a probe; set with the ids
  std::vector<trace::Operations> operations; ///< of each instantiation, if different

  // Accesses, for the GPU. All but the first are set by shareCounts().
  std::vector<const clang::Expr *> objects; ///< pointer or object, in the host pass's instances
  bool isInBody = false;                    ///< stands in the function's braces, not before them
  const Point *countedBy = nullptr;         ///< executed whenever that one is, by the same lanes
  bool recordsInPlace = true; ///< else by a call: no loop around it, or many accesses in loops
  int counter = -1; ///< of the function's counters in registers; -1: none. Loops may have one too
  /// A loop around, or itself, by its tokens, all lanes of which execute this equally often.
  std::optional<TokenRange> together;

  // Loops, for the GPU, set by shareCounts().
  bool partsLanes = false; ///< lanes may leave it at different times, and it has no pragma
  bool hasPragma = false;  ///< or another attribute
};

[[nodiscard]] inline bool isAccess(const Point &point) {
  return point.kind != PointKind::Loop && point.kind != PointKind::Call;
}

/// Points, which stay where they are. They are large and many: blocks hold several each.
class PointStore {
public:
  Point &add() {
    if (blocks_.empty() || blocks_.back().size() == kPointsInBlock)
      blocks_.emplace_back().reserve(kPointsInBlock);
    return blocks_.back().emplace_back();
  }

  /// In the order in which they were added.
  [[nodiscard]] auto all() { return blocks_ | std::views::join; }
  [[nodiscard]] auto all() const { return blocks_ | std::views::join; }

private:
  static constexpr std::size_t kPointsInBlock = 64;

  std::vector<std::vector<Point>> blocks_;
};

/// A function as the source has it; its template instantiations share it.
struct SourceFunction {
  std::string name;
  SourcePlace place;
  bool isKernel = false;
  bool isTraced = false;       ///< has points, or calls a function that is traced
  std::vector<Point *> points; ///< in evaluation order
  /// Whom it calls, and the innermost loops around those calls (null: none).
  std::map<SourceFunction *, std::set<const Point *>> callees;
  std::string symbol; ///< kernels: as other units know it
  std::string twin;   ///< kernels, for the GPU: name of the one beside it that only counts, if any
  bool takesProbes = false;                  ///< has a body that the host pass can edit
  bool isConstexpr = false;                  ///< it is declared so
  std::uint32_t bodyBrace = 0;               ///< token of the opening brace
  std::string hostText, deviceText;          ///< its tokens in each pass, where both were made
  std::vector<trace::Operations> operations; ///< of each instantiation, if different
  std::uint32_t liveWords = 0;               ///< see trace::Kernel

  /// The points as their edits are made: of equal ranges the outer one first, an atomic or a
  /// bit-field's around the read of its pointer.
  [[nodiscard]] std::vector<const Point *> outerFirst() const {
    std::vector<const Point *> ordered(points.begin(), points.end());
    std::ranges::stable_partition(ordered, [](const Point *point) {
      return point->kind == PointKind::Atomic || point->bitField.has_value();
    });
    return ordered;
  }
};

/// A step of a function's outline. Its access or loop is given by the point, as long as not all of
/// them are known.
struct OutlineStep {
  trace::code::Step step;
  const Point *point = nullptr;

  bool operator==(const OutlineStep &) const = default;
};

/// See trace::CodeOutline.
struct SourceOutline {
  const SourceFunction *source = nullptr;
  trace::FloatMath math;
  std::vector<OutlineStep> steps;

  bool operator==(const SourceOutline &) const = default;
};

struct CallEdge {
  std::size_t callee = 0; ///< index into FunctionInstance's own vector
  const Point *loop = nullptr;
};

/// A call of a function that the unit only declares.
struct OutsideCall {
  std::string symbol; ///< of the callee
  std::string name;
  SourcePlace place;
  const Point *loop = nullptr;
  Point *point = nullptr; ///< where the call is named; null where its text cannot be edited
};

/// One instantiation, or a plain function.
struct FunctionInstance {
  SourceFunction *source = nullptr;
  std::string symbol;               ///< as other units know it
  bool pointerRooted = false;       ///< an access in it goes through a pointer or device array
  bool takesRecordPointers = false; ///< kernels: a parameter can hold or reach records
  bool synchronises = false;        ///< or shares memory, or calls what nobody can see into
  std::uint32_t sharedBytes = 0;    ///< of the `__shared__` variables that it declares
  std::vector<Point *> sites;
  std::vector<CallEdge> calls;
  std::vector<OutsideCall> outsideCalls;
  trace::Index outline = trace::kNone; ///< into Facts::outlines, once it was walked
};

/// All that the parses of one translation unit, or of all units of a program, told.
struct Facts {
  bool allAccesses = false;  ///< as CompileCommand::allAccesses
  bool describesCode = true; ///< with operations, live values, outlines and what synchronises
  PointStore points;
  std::unordered_map<PointKey, Point *, PointHash> pointAt;
  bool loadsPointers = false; ///< device code reads a pointer to records from memory
  /// From where to where an expression stands that a probe cannot take by reference, at least in
  /// one instantiation.
  std::set<std::pair<StablePlace, StablePlace>> unprobable;
  std::set<std::pair<StablePlace, StablePlace>> bitFields; ///< the same, of bit-fields alone
  std::map<StablePlace, SourceFunction> functions;
  std::map<std::string, trace::Record> records; ///< by symbol
  std::vector<Diagnostic> findings;
  std::vector<SourceOutline> outlines; ///< in the order in which walks ended

  /// \returns its index; one that is as the function's last one is not added again
  trace::Index addOutline(SourceOutline outline);

  /// Appends unless the same finding at the same place is there.
  void find(Severity severity, Code code, std::string text, SourcePlace where);
};

} // namespace relayout::instrument
