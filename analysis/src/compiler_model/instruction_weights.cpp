// SPDX-License-Identifier: Apache-2.0
// Weights as counted in the machine code of nvcc 13 for sm_90.
#include "compiler_model/instruction_weights.h"

#include "relayout/analysis/compiler_model/nvcc13.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

namespace relayout::analysis {
namespace {

using trace::OperationKind;
using trace::ValueType;

/// \param name  "__sinf" and "sin" alike
double weightOfFunction(std::string_view name) {
  static const std::map<std::string_view, double> kWeights = {
      {"abs", 0},     {"fab", 0},   {"fabs", 0},   {"fmin", 1},  {"fmax", 1},
      {"min", 1},     {"max", 1},   {"fma", 1},    {"floor", 1}, {"ceil", 1},
      {"sqrt", 8},    {"rsqrt", 4}, {"exp", 6},    {"exp2", 3},  {"log", 10},
      {"log2", 8},    {"pow", 40},  {"sin", 20},   {"cos", 20},  {"sincos", 30},
      {"tan", 30},    {"atan", 16}, {"atan2", 24}, {"tanh", 16}, {"expm1", 8},
      {"log1p", 12},  {"cbrt", 12}, {"hypot", 16}, {"fmod", 24}, {"syncthreads", 1},
      {"syncwarp", 1}};
  static constexpr std::array<std::string_view, 6> kSingleInstructions{
      "shfl", "ballot", "float_as", "int_as", "popc", "clz"};
  if (name.starts_with("__"))
    name.remove_prefix(2);
  if (name.ends_with('f'))
    name.remove_suffix(1);
  if (const auto found = kWeights.find(name); found != kWeights.end())
    return found->second;
  return std::ranges::any_of(kSingleInstructions,
                             [name](std::string_view opening) { return name.starts_with(opening); })
             ? 1
             : nvcc13::kUnknownCall;
}

/// Of the functions of one approximation and some arithmetic; that of the others is a polynomial.
bool isApproximated(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kNames{"sqrt", "rsqrt", "exp",    "exp2", "log",
                                                           "log2", "pow",   "tanh",   "rcp",  "sin",
                                                           "cos",  "tan",   "sincos", "cbrt"};
  const bool isIntrinsic = name.starts_with("__");
  if (isIntrinsic)
    name.remove_prefix(2);
  if (name.ends_with('f'))
    name.remove_suffix(1);
  // Without fast mathematics the trigonometric ones are polynomials.
  if (!isIntrinsic && (name == "sin" || name == "cos" || name == "tan" || name == "sincos"))
    return false;
  return std::ranges::find(kNames, name) != kNames.end();
}

Arithmetic ofType(double instructions, bool isDouble) {
  return {instructions, isDouble ? instructions : 0, 0};
}

Arithmetic weightOf(const trace::Operation &operation) {
  const bool isDouble = operation.type == ValueType::Double;
  switch (operation.kind) {
  case OperationKind::Add:
  case OperationKind::Multiply:
  case OperationKind::Logic:
    return ofType(1, isDouble);
  case OperationKind::AddProduct:
    return {}; // part of the product's instruction
  case OperationKind::Divide:
    if (operation.type == ValueType::Integer)
      return {nvcc13::kIntegerDivision, 0, 0};
    return isDouble ? ofType(nvcc13::kDoubleDivision, true)
                    : Arithmetic{nvcc13::kFloatDivision, 0, 1};
  case OperationKind::DivideByConstant:
    return {nvcc13::kDivisionByConstant, 0, 0};
  case OperationKind::Step:
  case OperationKind::Select:
  case OperationKind::Convert:
    return {1, 0, 0};
  case OperationKind::Access:
    return {nvcc13::kUntracedAccess, 0, 0};
  case OperationKind::Iterate:
    return {nvcc13::kIteration, 0, 0};
  case OperationKind::Call: {
    const double weight = weightOfFunction(operation.function);
    if (isDouble)
      return ofType(weight * nvcc13::kDoubleFunction, true);
    return {weight, 0, isApproximated(operation.function) ? 1.0 : 0.0};
  }
  }
  std::abort(); // not an OperationKind
}

} // namespace

Arithmetic arithmeticOf(const trace::Operations &operations) {
  Arithmetic all;
  for (const auto &[operation, count] : operations.counts)
    all += count * weightOf(operation);
  for (const trace::Choice &choice : operations.choices) {
    Arithmetic longest;
    for (const trace::Operations &way : choice.ways)
      if (const Arithmetic taken = arithmeticOf(way); taken.instructions > longest.instructions)
        longest = taken;
    all += choice.times * longest;
  }
  return all;
}

} // namespace relayout::analysis
