// SPDX-License-Identifier: Apache-2.0
// The site table: what stands between a function's accesses, as far as it matters to which of them
// a compiler may schedule together.
#pragma once

#include "relayout/trace/index.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace relayout::trace {

/// What the compiler is asked to compute exactly in single precision; the rest it may approximate.
/// Double precision is always exact.
struct FloatMath {
  bool exactDivisions = true; ///< -prec-div
  bool exactRoots = true;     ///< -prec-sqrt
  bool exactFunctions = true; ///< no -use_fast_math: sin, cos, tan, pow … are no intrinsics

  bool operator==(const FloatMath &) const = default;
};

namespace code {

struct Access {
  Index site = kNone;
  bool operator==(const Access &) const = default;
};
/// What a pragma that gives no number asks for.
inline constexpr std::uint32_t kUnrollAll = 0xffffffffu;
/// What follows up to its LoopEnd is the loop's.
struct Loop {
  Index loop = kNone;                  ///< kNone: its iterations are not traced
  std::optional<std::uint32_t> trips;  ///< if constant; 1024 where there are more
  std::optional<std::uint32_t> pragma; ///< iterations that `#pragma unroll` asks for
  bool operator==(const Loop &) const = default;
};
struct LoopEnd {
  bool operator==(const LoopEnd &) const = default;
};
/// `do … while (0)`: its body is part of what is around it.
struct SingleTrip {
  Index loop = kNone;
  bool operator==(const SingleTrip &) const = default;
};
/// An arm of a branch begins or ends. `?:`, `&&` and `||` have none where no arm reads memory.
struct Branch {
  std::uint32_t nodes = 0;  ///< of the syntax tree, in all arms of an `if`
  bool jumps = false;       ///< an arm holds a loop, a call, or leaves
  bool readsMemory = false; ///< through a pointer or a subscript
  bool operator==(const Branch &) const = default;
};
/// A label, a case, or a call through a pointer: control comes from elsewhere.
struct Jump {
  bool operator==(const Jump &) const = default;
};
/// Of floating-point numbers; not of constants, nor by a power of two.
struct Divide {
  bool isSingle = false;
  bool operator==(const Divide &) const = default;
};
/// A function without source here.
struct LibraryCall {
  std::string function;
  bool isSingle = false;     ///< its first parameter is a float
  bool hasVariables = false; ///< an argument that is not a constant
  bool operator==(const LibraryCall &) const = default;
};
struct Call {
  Index outline = kNone; ///< an earlier one; kNone: calls itself, or is defined elsewhere
  bool operator==(const Call &) const = default;
};
/// What follows up to its end never runs.
struct Unreachable {
  bool operator==(const Unreachable &) const = default;
};
struct UnreachableEnd {
  bool operator==(const UnreachableEnd &) const = default;
};

using Step = std::variant<Access, Loop, LoopEnd, SingleTrip, Branch, Jump, Divide, LibraryCall,
                          Call, Unreachable, UnreachableEnd>;

} // namespace code

/// A function as one instantiation has it, in the order of evaluation. Outlines of one function
/// follow one another; of a site that stands in several the last one counts.
struct CodeOutline {
  std::string function; ///< qualified name
  bool isKernel = false;
  FloatMath math;
  std::vector<code::Step> steps;
};

} // namespace relayout::trace
