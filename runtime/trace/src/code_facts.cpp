// SPDX-License-Identifier: Apache-2.0
// Operations are rows [kind, type, count] or [kind, type, count, function]; steps of an outline are
// rows that begin with their name (docs/trace-format.md).
#include "code_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace relayout::trace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kKinds{
    OperationKind::Add,    OperationKind::AddProduct,       OperationKind::Multiply,
    OperationKind::Divide, OperationKind::DivideByConstant, OperationKind::Logic,
    OperationKind::Step,   OperationKind::Select,           OperationKind::Convert,
    OperationKind::Access, OperationKind::Iterate,          OperationKind::Call};
constexpr std::array kTypes{ValueType::Integer, ValueType::Single, ValueType::Double,
                            ValueType::Other};

/// Choices within choices that a reader follows.
constexpr unsigned kDeepest = 256;

/// The one of the values that has this name.
template <class Values, class Name>
auto named(const Values &values, const JsonValue &name, Name nameOf) {
  const auto *const found =
      std::ranges::find_if(values, [&](const auto value) { return nameOf(value) == name.text(); });
  if (found == std::end(values))
    name.fail(fmt::format("has '{}', which is not a kind of operation or value", name.text()));
  return *found;
}

/// A row's values by position.
class Row {
public:
  explicit Row(const JsonValue &json) : json_(json), values_(json.list()) {}

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const JsonValue &operator[](std::size_t index) const {
    if (index >= values_.size())
      json_.fail(fmt::format("has {} values", values_.size()));
    return values_[index];
  }
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t index) const {
    if ((*this)[index].isNull())
      return std::nullopt;
    return static_cast<std::uint32_t>((*this)[index].count(kNone));
  }
  /// An index below `size`; kNone where it is null.
  [[nodiscard]] Index index(std::size_t size) const {
    const std::optional<std::uint32_t> found = number(1);
    if (found && *found >= size)
      json_.fail(fmt::format("has {}, with {} entries to point into", *found, size));
    return found.value_or(kNone);
  }

private:
  const JsonValue &json_;
  std::vector<JsonValue> values_;
};

Operations operationsWithin(const JsonValue &json, unsigned depth) {
  if (depth > kDeepest)
    json.fail(fmt::format("has more than {} choices within one another", kDeepest));
  Operations operations;
  for (const JsonValue &value : json.at("counts").list()) {
    const Row row(value);
    Operation operation;
    operation.kind = named(kKinds, row[0],
                           [](OperationKind kind) { return std::string(operationKindName(kind)); });
    operation.type =
        named(kTypes, row[1], [](ValueType type) { return std::string(valueTypeName(type)); });
    if (row.size() > 3)
      operation.function = row[3].text();
    operations.counts[std::move(operation)] += row[2].nonNegativeNumber();
  }
  const auto choices = json.find("choices");
  if (!choices)
    return operations;
  for (const JsonValue &row : choices->list()) {
    Choice &choice = operations.choices.emplace_back();
    choice.times = row.at("times").nonNegativeNumber();
    for (const JsonValue &way : row.at("ways").list())
      choice.ways.push_back(operationsWithin(way, depth + 1));
  }
  return operations;
}

Json optionalToJson(const std::optional<std::uint32_t> &number) {
  return number ? Json(*number) : Json(nullptr);
}

/// One overload a kind of step.
struct StepToJson {
  Json operator()(const code::Access &step) const { return {"access", step.site}; }
  Json operator()(const code::Loop &step) const {
    return {"loop", indexToJson(step.loop), optionalToJson(step.trips),
            optionalToJson(step.pragma)};
  }
  Json operator()(const code::LoopEnd &) const { return Json::array({"loopEnd"}); }
  Json operator()(const code::SingleTrip &step) const {
    return {"singleTrip", indexToJson(step.loop)};
  }
  Json operator()(const code::Branch &step) const {
    return {"branch", step.nodes, step.jumps, step.readsMemory};
  }
  Json operator()(const code::Jump &) const { return Json::array({"jump"}); }
  Json operator()(const code::Divide &step) const { return {"divide", step.isSingle}; }
  Json operator()(const code::LibraryCall &step) const {
    return {"libraryCall", step.function, step.isSingle, step.hasVariables};
  }
  Json operator()(const code::Call &step) const { return {"call", indexToJson(step.outline)}; }
  Json operator()(const code::Unreachable &) const { return Json::array({"unreachable"}); }
  Json operator()(const code::UnreachableEnd &) const { return Json::array({"unreachableEnd"}); }
};

code::Step accessFrom(const Row &row, const TableSizes &sizes) {
  const Index site = row.index(sizes.sites);
  if (site == kNone)
    row[1].fail("is of an access, and null");
  return code::Access{site};
}

using StepReader = code::Step (*)(const Row &, const TableSizes &);

/// By the name of the step. Each reads what StepToJson writes.
const std::map<std::string, StepReader> &stepReaders() {
  static const std::map<std::string, StepReader> kReaders{
      {"access", accessFrom},
      {"loop",
       [](const Row &row, const TableSizes &sizes) -> code::Step {
         return code::Loop{row.index(sizes.loops), row.number(2), row.number(3)};
       }},
      {"loopEnd", [](const Row &, const TableSizes &) -> code::Step { return code::LoopEnd{}; }},
      {"singleTrip",
       [](const Row &row, const TableSizes &sizes) -> code::Step {
         return code::SingleTrip{row.index(sizes.loops)};
       }},
      {"branch",
       [](const Row &row, const TableSizes &) -> code::Step {
         return code::Branch{row.number(1).value_or(0), row[2].flag(), row[3].flag()};
       }},
      {"jump", [](const Row &, const TableSizes &) -> code::Step { return code::Jump{}; }},
      {"divide",
       [](const Row &row, const TableSizes &) -> code::Step {
         return code::Divide{row[1].flag()};
       }},
      {"libraryCall",
       [](const Row &row, const TableSizes &) -> code::Step {
         return code::LibraryCall{row[1].text(), row[2].flag(), row[3].flag()};
       }},
      {"call",
       [](const Row &row, const TableSizes &sizes) -> code::Step {
         return code::Call{row.index(sizes.outlines)};
       }},
      {"unreachable",
       [](const Row &, const TableSizes &) -> code::Step { return code::Unreachable{}; }},
      {"unreachableEnd",
       [](const Row &, const TableSizes &) -> code::Step { return code::UnreachableEnd{}; }},
  };
  return kReaders;
}

code::Step stepFrom(const JsonValue &json, const TableSizes &sizes) {
  const Row row(json);
  const auto reader = stepReaders().find(row[0].text());
  if (reader == stepReaders().end())
    json.fail(fmt::format("has '{}', which is not a step of an outline", row[0].text()));
  return reader->second(row, sizes);
}

/// Loops and what never runs end where they began, one in the other.
bool isNested(const std::vector<code::Step> &steps) {
  std::vector<bool> open; // whether it is a loop
  const auto closes = [&open](bool isLoop) {
    const bool fits = !open.empty() && open.back() == isLoop;
    if (fits)
      open.pop_back();
    return fits;
  };
  for (const code::Step &step : steps) {
    if (std::holds_alternative<code::Loop>(step))
      open.push_back(true);
    else if (std::holds_alternative<code::Unreachable>(step))
      open.push_back(false);
    else if ((std::holds_alternative<code::LoopEnd>(step) && !closes(true)) ||
             (std::holds_alternative<code::UnreachableEnd>(step) && !closes(false)))
      return false;
  }
  return open.empty();
}

} // namespace

Json indexToJson(Index index) { return index == kNone ? Json(nullptr) : Json(index); }

Json toJson(const Operations &operations) {
  Json counts = Json::array();
  for (const auto &[operation, count] : operations.counts) {
    Json row{operationKindName(operation.kind), valueTypeName(operation.type), count};
    if (!operation.function.empty())
      row.push_back(operation.function);
    counts.push_back(std::move(row));
  }
  Json json{{"counts", std::move(counts)}};
  for (const Choice &choice : operations.choices) {
    Json ways = Json::array();
    for (const Operations &way : choice.ways)
      ways.push_back(toJson(way));
    json["choices"].push_back({{"times", choice.times}, {"ways", std::move(ways)}});
  }
  return json;
}

Operations operationsFrom(const JsonValue &json) { return operationsWithin(json, 0); }

Json toJson(const CodeOutline &outline) {
  Json steps = Json::array();
  for (const code::Step &step : outline.steps)
    steps.push_back(std::visit(StepToJson{}, step));
  return {{"function", outline.function},
          {"isKernel", outline.isKernel},
          {"exactDivisions", outline.math.exactDivisions},
          {"exactRoots", outline.math.exactRoots},
          {"exactFunctions", outline.math.exactFunctions},
          {"steps", std::move(steps)}};
}

CodeOutline outlineFrom(const JsonValue &json, const TableSizes &sizes) {
  CodeOutline outline;
  outline.function = json.at("function").text();
  outline.isKernel = json.at("isKernel").flag();
  outline.math = {json.at("exactDivisions").flag(), json.at("exactRoots").flag(),
                  json.at("exactFunctions").flag()};
  for (const JsonValue &step : json.at("steps").list())
    outline.steps.push_back(stepFrom(step, sizes));
  if (!isNested(outline.steps))
    json.at("steps").fail("are not nested");
  return outline;
}

} // namespace relayout::trace
