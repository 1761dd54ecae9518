// SPDX-License-Identifier: Apache-2.0
// Sums and choices of operations.
#include "relayout/trace/operations.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace relayout::trace {
namespace {

/// Whether `more` has at least as many of everything.
bool covers(const Operations &more, const Operations &less) {
  const bool counts = std::ranges::all_of(less.counts, [&more](const auto &entry) {
    const auto found = more.counts.find(entry.first);
    return found != more.counts.end() && found->second >= entry.second;
  });
  return counts && std::ranges::all_of(less.choices, [&more](const Choice &choice) {
           return std::ranges::any_of(more.choices, [&choice](const Choice &other) {
             return other.ways == choice.ways && other.times >= choice.times;
           });
         });
}

double timesIn(const Operations &operations, const Operation &operation) {
  const auto found = operations.counts.find(operation);
  return found == operations.counts.end() ? 0 : found->second;
}

double timesIn(const Operations &operations, const Choice &choice) {
  const auto found = std::ranges::find(operations.choices, choice.ways, &Choice::ways);
  return found == operations.choices.end() ? 0 : found->times;
}

/// What all ways compute.
Operations commonOf(const std::vector<Operations> &ways) {
  Operations common = ways.front();
  for (const Operations &way : ways) {
    for (auto &[operation, count] : common.counts)
      count = std::min(count, timesIn(way, operation));
    for (Choice &choice : common.choices)
      choice.times = std::min(choice.times, timesIn(way, choice));
  }
  return common;
}

Operations difference(Operations operations, const Operations &less) {
  for (auto &[operation, count] : operations.counts)
    count -= timesIn(less, operation);
  for (Choice &choice : operations.choices)
    choice.times -= timesIn(less, choice);
  return operations;
}

void dropZeros(Operations &operations) {
  std::erase_if(operations.counts, [](const auto &entry) { return entry.second == 0; });
  std::erase_if(operations.choices, [](const Choice &choice) { return choice.times == 0; });
}

} // namespace

bool Operations::operator==(const Operations &other) const {
  return counts == other.counts && choices == other.choices;
}

bool Choice::operator==(const Choice &other) const {
  return times == other.times && ways == other.ways;
}

void Operations::add(const Operation &operation, double times) {
  if (times > 0)
    counts[operation] += times;
}

void Operations::add(const Operations &other, double times) {
  if (times <= 0)
    return;
  for (const auto &[operation, count] : other.counts)
    counts[operation] += times * count;
  for (const Choice &choice : other.choices) {
    const auto same = std::ranges::find(choices, choice.ways, &Choice::ways);
    if (same == choices.end())
      choices.push_back({times * choice.times, choice.ways});
    else
      same->times += times * choice.times;
  }
}

Operations choiceOf(std::vector<Operations> ways) {
  for (std::size_t i = 0; i < ways.size();) {
    bool isCovered = false;
    for (std::size_t other = 0; other < ways.size() && !isCovered; ++other)
      isCovered = other != i && covers(ways[other], ways[i]);
    if (isCovered)
      ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  if (ways.empty())
    return {};
  if (ways.size() == 1)
    return std::move(ways.front());
  // Taken out in front, so that choices within choices do not repeat it.
  Operations result = commonOf(ways);
  for (Operations &way : ways) {
    way = difference(std::move(way), result);
    dropZeros(way);
  }
  dropZeros(result);
  result.choices.push_back({1, std::move(ways)});
  return result;
}

const char *operationKindName(OperationKind kind) {
  switch (kind) {
  case OperationKind::Add:
    return "add";
  case OperationKind::AddProduct:
    return "addProduct";
  case OperationKind::Multiply:
    return "multiply";
  case OperationKind::Divide:
    return "divide";
  case OperationKind::DivideByConstant:
    return "divideByConstant";
  case OperationKind::Logic:
    return "logic";
  case OperationKind::Step:
    return "step";
  case OperationKind::Select:
    return "select";
  case OperationKind::Convert:
    return "convert";
  case OperationKind::Access:
    return "access";
  case OperationKind::Iterate:
    return "iterate";
  case OperationKind::Call:
    return "call";
  }
  std::abort(); // not an OperationKind
}

const char *valueTypeName(ValueType type) {
  switch (type) {
  case ValueType::Integer:
    return "integer";
  case ValueType::Single:
    return "single";
  case ValueType::Double:
    return "double";
  case ValueType::Other:
    return "other";
  }
  std::abort(); // not a ValueType
}

} // namespace relayout::trace
