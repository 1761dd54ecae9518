// SPDX-License-Identifier: Apache-2.0
// Functions whose declarations differ in execution space. nvcc takes such a function as
// `__host__ __device__`; Clang takes the declarations for different functions, or for an error.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

class ParsedUnit;

/// Names in declarations of functions, each by file and offset.
class DeclaredNames {
public:
  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] bool contains(const clang::Token &token, const ParsedUnit &unit,
                              const clang::SourceManager &sources) const;
  void add(clang::SourceLocation name, const ParsedUnit &unit, const clang::SourceManager &sources);
  void add(const DeclaredNames &others) {
    places_.insert(others.places_.begin(), others.places_.end());
  }
  bool operator==(const DeclaredNames &) const = default;

private:
  std::set<std::pair<std::string, unsigned>> places_;
};

/// The user's declarations of each function that another declaration gives another execution
/// space. A function that each space defines for itself is not among them.
[[nodiscard]] DeclaredNames declaredForSeveralSpaces(ParsedUnit &unit);

/// The user's functions for the device alone in which these places are.
[[nodiscard]] DeclaredNames deviceFunctionsAround(const std::vector<clang::SourceLocation> &places,
                                                  ParsedUnit &unit);

/// While Clang parses: makes each declaration of a list `__host__ __device__`.
class SpaceJoiner {
public:
  SpaceJoiner(DeclaredNames names, const ParsedUnit &unit)
      : names_(std::move(names)), unit_(unit) {}

  void onToken(const clang::Token &token, clang::CompilerInstance &compiler);

private:
  /// Where the parser is in a declaration of the list.
  enum class State { Outside, InDeclarator, AtItsEnd };

  DeclaredNames names_;
  const ParsedUnit &unit_;
  State state_ = State::Outside;
  int depth_ = 0; ///< of parentheses open since the name
};

} // namespace relayout::instrument
