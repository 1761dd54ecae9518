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

double weightOf(const trace::Operation &operation) {
  const bool isDouble = operation.type == ValueType::Double;
  switch (operation.kind) {
  case OperationKind::Add:
  case OperationKind::Multiply:
  case OperationKind::Logic:
    return isDouble ? nvcc13::kDouble : 1;
  case OperationKind::AddProduct:
    return 0; // part of the product's instruction
  case OperationKind::Divide:
    if (operation.type == ValueType::Integer)
      return nvcc13::kIntegerDivision;
    return isDouble ? nvcc13::kDoubleDivision : nvcc13::kFloatDivision;
  case OperationKind::DivideByConstant:
    return nvcc13::kDivisionByConstant;
  case OperationKind::Step:
  case OperationKind::Select:
  case OperationKind::Convert:
    return 1;
  case OperationKind::Access:
    return nvcc13::kUntracedAccess;
  case OperationKind::Iterate:
    return nvcc13::kIteration;
  case OperationKind::Call:
    return weightOfFunction(operation.function) * (isDouble ? nvcc13::kDoubleFunction : 1);
  }
  std::abort(); // not an OperationKind
}

} // namespace

double instructionsOf(const trace::Operations &operations) {
  double instructions = 0;
  for (const auto &[operation, count] : operations.counts)
    instructions += count * weightOf(operation);
  for (const trace::Choice &choice : operations.choices) {
    double longest = 0;
    for (const trace::Operations &way : choice.ways)
      longest = std::max(longest, instructionsOf(way));
    instructions += choice.times * longest;
  }
  return instructions;
}

} // namespace relayout::analysis
