// SPDX-License-Identifier: Apache-2.0
// The site table: what a program computes beside its accesses, as the source has it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace relayout::trace {

enum class OperationKind : std::uint8_t {
  Add,        ///< or subtract
  AddProduct, ///< adds or subtracts a product, of floating-point numbers
  Multiply,
  Divide,
  DivideByConstant, ///< of integers; the remainder as well
  Logic,            ///< comparisons, shifts, bits, && and ||
  Step,             ///< ++ and --
  Select,           ///< ?:
  Convert,          ///< between integers and floating-point numbers, or of two precisions
  Access,           ///< to memory that holds no records
  Iterate,          ///< of a loop: increment, test and jump
  Call,             ///< of a function without source here
};

enum class ValueType : std::uint8_t { Integer, Single, Double, Other };

struct Operation {
  OperationKind kind = OperationKind::Add;
  ValueType type = ValueType::Other; ///< of the left operand; of a call, of its result
  std::string function;              ///< calls: its name; empty where it is called by a pointer

  auto operator<=>(const Operation &) const = default;
};

struct Choice;

/// Operations of one thread, by kind.
struct Operations {
  std::map<Operation, double> counts;
  std::vector<Choice> choices;

  void add(const Operation &operation, double times = 1);
  void add(const Operations &other, double times = 1);
  [[nodiscard]] bool isEmpty() const { return counts.empty() && choices.empty(); }
  bool operator==(const Operations &other) const;
};

/// A branch whose ways compute different things; one of them runs.
struct Choice {
  double times = 1;
  std::vector<Operations> ways;

  bool operator==(const Choice &other) const;
};

/// A choice between these. Ways that have no more of anything than another one are left out, and
/// what is left of a single way is no choice.
[[nodiscard]] Operations choiceOf(std::vector<Operations> ways);

/// "divideByConstant".
[[nodiscard]] const char *operationKindName(OperationKind kind);

/// "double".
[[nodiscard]] const char *valueTypeName(ValueType type);

} // namespace relayout::trace
