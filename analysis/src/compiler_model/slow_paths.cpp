// SPDX-License-Identifier: Apache-2.0
// What nvcc 13 compiles with a branch for sm_90 with -O3.
#include "compiler_model/slow_paths.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace relayout::analysis {
namespace {

using FunctionNames = std::set<std::string_view>;

/// Barriers, fences, and arithmetic whose names ask for a rounding, whatever the flags.
bool intrinsicBranches(std::string_view name) {
  static constexpr auto kOpenings = std::to_array<std::string_view>(
      {"__syncthreads", "__syncwarp", "__threadfence", "__fdiv_r", "__frcp_r", "__fsqrt_r",
       "__ddiv_r", "__drcp_r", "__dsqrt_r"});
  return name == "__nanosleep" || std::ranges::any_of(kOpenings, [name](std::string_view opening) {
           return name.starts_with(opening);
         });
}

bool doubleBranches(std::string_view name) {
  static const FunctionNames kBranching = {
      "sqrt", "rsqrt", "sin",   "cos",  "sincos", "tan",  "asin",      "acos",   "atan",
      "sinh", "cosh",  "tanh",  "erfc", "exp",    "exp2", "exp10",     "expm1",  "log",
      "log2", "log10", "log1p", "pow",  "atan2",  "fmod", "remainder", "lgamma", "tgamma"};
  return kBranching.contains(name);
}

/// \param name  without the f at its end
bool singleBranches(std::string_view name, const trace::FloatMath &math) {
  static const FunctionNames kRoots = {"sqrt", "hypot", "norm3d"};
  static const FunctionNames kApproximated = {"sin", "cos", "sincos", "tan", "pow"};
  static const FunctionNames kAlways = {"log1p", "lgamma", "tgamma", "atan2", "fmod", "remainder"};
  return (math.exactRoots && kRoots.contains(name)) || (math.exactDivisions && name == "fdivide") ||
         (math.exactFunctions && kApproximated.contains(name)) || kAlways.contains(name);
}

} // namespace

bool hasSlowPath(const trace::code::Divide &division, const trace::FloatMath &math) {
  return !division.isSingle || math.exactDivisions;
}

bool hasSlowPath(const trace::code::LibraryCall &call, const trace::FloatMath &math) {
  std::string_view name = call.function;
  if (intrinsicBranches(name))
    return true;
  if (name.starts_with("__") || !call.hasVariables)
    return false;
  if (!call.isSingle)
    return doubleBranches(name);
  if (name.ends_with('f'))
    name.remove_suffix(1);
  return singleBranches(name, math);
}

} // namespace relayout::analysis
