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

#include <clang/AST/Expr.h>

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// A file's path, of which there are many: held as the unit's own string, which outlives it.
class FilePath {
public:
  FilePath() = default;
  FilePath(const std::string &ofUnit) : path_(&ofUnit) {} // NOLINT: a path is a path
  FilePath(std::string &&) = delete;

  friend bool operator==(const FilePath &a, const FilePath &b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const FilePath &a, const FilePath &b) {
    if (a.path_ == b.path_)
      return std::strong_ordering::equal;
    return a.text() <=> b.text();
  }

private:
  [[nodiscard]] std::string_view text() const { return path_ ? *path_ : std::string_view(); }

  const std::string *path_ = nullptr;
};

/// A token's place that means the same in every parse of the same files: the file, the byte where
/// the token or the macro invocation around it starts, and its number within that invocation.
struct StablePlace {
  FilePath file;
  unsigned offset = 0;
  unsigned inMacro = 0;

  auto operator<=>(const StablePlace &) const = default;
};

enum class PointKind { Read, Write, Atomic, Loop, Call };

/// Where the traced program calls a probe.
struct Point {
  PointKind kind = PointKind::Read;
  StablePlace begin, end;
  std::uint32_t id = 0; ///< assigned when all are known; 0: dropped, as a call of untraced code

  // Accesses.
  std::string record; ///< key into Facts::records; empty: memory that holds no records
  trace::Index field = trace::kNone;
  std::uint32_t bytes = 0;
  Point *partner = nullptr;          ///< the write of a read-write, at the read
  bool isPartner = false;            ///< the write of a read-write: no edit of its own
  bool isInPlace = false;            ///< reads: by a reference or address, so it stays an lvalue
  trace::Index group = trace::kNone; ///< the unit's group, where this was first seen

  const Point *loop = nullptr;  ///< innermost loop of the same function; of a loop: the one outside
  const void *callee = nullptr; ///< calls: the SourceFunction; null until it is linked
  SourcePlace place;

  // For the edits, in the host pass; null or absent for what only the device pass sees.
  bool inHostPass = false;
  bool inDevicePass = false;
  std::uint32_t firstToken = 0, lastToken = 0;
  const clang::Stmt *loopStatement = nullptr;

  std::vector<trace::Operations> operations; ///< loops: of each instantiation, if different

  // Accesses, for the GPU. All but the first are set by shareCounts().
  std::vector<const clang::Expr *> objects; ///< pointer or object, in the host pass's instances
  bool isInBody = false;                    ///< stands in the function's braces, not before them
  const Point *countedBy = nullptr;         ///< executed whenever that one is, by the same lanes
  bool mayRepeat = true;                    ///< a loop, or a function called in one, is around it
  int counter = -1;                         ///< of the function's counters in registers; -1: none
  /// A loop around, by its tokens, all lanes of which execute this the same number of times.
  std::optional<TokenRange> together;

  // Loops, for the GPU, set by shareCounts().
  bool partsLanes = false; ///< lanes may leave it at different times, and it has no pragma
  bool hasPragma = false;  ///< or another attribute
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
  std::string symbol;                        ///< kernels: as other units know it
  bool takesProbes = false;                  ///< has a body that the host pass can edit
  std::uint32_t bodyBrace = 0;               ///< token of the opening brace
  std::string hostText, deviceText;          ///< its tokens in each pass, where both were made
  std::vector<trace::Operations> operations; ///< of each instantiation, if different
  std::uint32_t liveWords = 0;               ///< see trace::Kernel
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
  bool synchronises = false;        ///< or calls what nobody can see into
  std::vector<Point *> sites;
  std::vector<CallEdge> calls;
  std::vector<OutsideCall> outsideCalls;
  trace::Index outline = trace::kNone; ///< into Facts::outlines, once it was walked
};

/// All that the parses of one translation unit, or of all units of a program, told.
struct Facts {
  bool allAccesses = false; ///< as CompileCommand::allAccesses
  std::deque<Point> points;
  std::map<std::tuple<StablePlace, StablePlace, PointKind>, Point *> pointAt;
  bool loadsPointers = false; ///< device code reads a pointer to records from memory
  /// From where to where an expression stands that a probe cannot take by reference, at least in
  /// one instantiation.
  std::set<std::pair<StablePlace, StablePlace>> unprobable;
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
