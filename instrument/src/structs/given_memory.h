// SPDX-License-Identifier: Apache-2.0
// Functions that are called with arrays that CUDA allocates and with other memory: their calls, and
// what each gives which parameter.
#pragma once

#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/front_end.h"
#include "structs/struct_objects.h"

#include <clang/AST/Decl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// Which memory a call is given.
struct GivenMemory {
  bool cuda = false, other = false;

  void add(const Origins &origins) {
    cuda |= origins.device || origins.managed || origins.unknown;
    other |= origins.host || origins.local || origins.shared || origins.symbol || origins.pinned;
  }
  void add(const GivenMemory &more) {
    cuda |= more.cuda;
    other |= more.other;
  }
  [[nodiscard]] bool isBoth() const { return cuda && other; }
};

/// Parameters that are given other memory than CUDA's.
using OtherParameters = std::set<unsigned>;

/// The function itself, or a copy of it.
struct FunctionVersion {
  OtherParameters other;
  std::string suffix;      ///< of the copy's name; empty: it is the function itself
  bool isOnDevice = false; ///< device code may call it
};

/// What is known of one function throughout the program.
struct SharedFunction {
  std::string name;
  SourcePlace place;
  bool isOfDevice = false;
  std::map<unsigned, std::string> parameters; ///< that lead to memory of both kinds; their names
  std::set<unsigned> plain;                   ///< those of them that lead to plain arrays
  std::string obstacle;
  SourcePlace obstaclePlace;
  std::map<unsigned, GivenMemory> givenTo; ///< by the parameter, by all calls
  std::vector<FunctionVersion> versions;   ///< the function itself first
  bool mayBeOverloaded = true;             ///< every call says by types which version it means

  /// Whether one call gives a parameter CUDA's memory, and another other memory.
  [[nodiscard]] bool servesBoth() const {
    return std::ranges::any_of(givenTo, [](const auto &given) { return given.second.isBoth(); });
  }
  [[nodiscard]] bool servesBothWith(unsigned parameter) const {
    const auto given = givenTo.find(parameter);
    return given != givenTo.end() && given->second.isBoth();
  }
  /// Whether versions differ in what the parameter is given.
  [[nodiscard]] bool isToldBy(unsigned parameter) const {
    return obstacle.empty() && servesBothWith(parameter);
  }
};
using SharedFunctions = std::map<std::string, SharedFunction>; ///< by symbol

/// A parameter, by its function's symbol.
using ParameterOf = std::pair<std::string, unsigned>;

/// What a call gives one parameter: memory, and what these functions are given.
struct Argument {
  GivenMemory memory;
  std::set<ParameterOf> parameters;
};

/// `print(bodies, n)`, by where its name stands.
struct NamedCall {
  std::string callee;                     ///< its symbol
  std::optional<std::string> caller;      ///< the symbol of another of these functions around it
  std::map<unsigned, Argument> arguments; ///< by the parameter
  bool isInDeviceCode = false;
  SourcePlace place;
};
using NamedCalls = std::map<TypePlace, NamedCall>;

[[nodiscard]] bool isOfDevice(const clang::FunctionDecl &function);

/// One for all declarations of a function, and for all instances of a template.
[[nodiscard]] std::string writtenSymbol(const ParsedUnit &unit,
                                        const clang::FunctionDecl *function);

/// Finds the calls, and what they give; notes why a function cannot get a copy.
/// \param apart  by unit, the flow in which the arguments of these functions do not join
[[nodiscard]] NamedCalls callsOf(const std::vector<ParsedUnit *> &units,
                                 const std::vector<ArrayFlow> &apart, SharedFunctions &functions);

} // namespace relayout::instrument
