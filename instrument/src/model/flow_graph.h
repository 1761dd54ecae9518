// SPDX-License-Identifier: Apache-2.0
// The declarations of one unit that lead to records, joined where pointers flow between them.
#pragma once

#include "model/referents.h"
#include "relayout/instrument/clang/array_flow.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// A parameter `R &` that a call binds to something. Whether it joins that is known once all calls
/// of all units are.
struct Binding {
  const clang::ParmVarDecl *parameter = nullptr;
  std::uint32_t group = 0;              ///< the parameter's
  std::vector<std::uint32_t> arguments; ///< groups of what it is bound to
  Origins origins;                      ///< memory that is no declaration's
  std::vector<std::pair<std::string, SourcePlace>> unknown;
  std::vector<SourcePlace> hostMemory;
};

/// What one unit shows, before it is linked with the others.
struct UnitFlow {
  std::vector<ArrayGroup> groups; ///< without declarations
  /// In source order, each with its group.
  std::vector<std::pair<const clang::ValueDecl *, std::uint32_t>> declarations;
  /// A parameter `const R &` and what it is called with, by group.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lookups;
  std::vector<Binding> bindings;
  /// Parameters of pointers to functions, by the type of these and their position: all units' are
  /// one.
  std::vector<std::pair<std::string, const clang::ValueDecl *>> ofPointers;
};

/// Adds one memory's origins to another's.
void merge(const Origins &from, Origins &into);

class FlowGraph {
public:
  explicit FlowGraph(ParsedUnit &unit) : unit_(unit) {}

  [[nodiscard]] bool isUserLocation(clang::SourceLocation location) const;

  /// Makes a node of a user's declaration that leads to a user's record or a vector type.
  /// \returns  false if it is none
  bool add(const clang::ValueDecl *declaration);

  // Each does nothing for declarations that are no nodes.
  void join(const clang::ValueDecl *a, const clang::ValueDecl *b);
  /// What the expression points to, the declaration may point to.
  void flow(const clang::ValueDecl *declaration, const clang::Expr *value);
  /// \param where  the memory is made, or declared
  void addOrigins(const clang::ValueDecl *declaration, const Origins &origins,
                  clang::SourceLocation where);
  void addUnknown(const clang::ValueDecl *declaration, std::string what,
                  clang::SourceLocation where);
  /// A parameter that works on whatever it is given is given this.
  void addLookup(const clang::ParmVarDecl *parameter, const clang::Expr *argument);

  /// A parameter `R &` is bound to this.
  void addBinding(const clang::ParmVarDecl *parameter, const clang::Expr *argument);

  /// What has been shown so far.
  [[nodiscard]] UnitFlow groups();

private:
  struct Node {
    const clang::ValueDecl *declaration = nullptr; ///< canonical
    int parent = 0;
    Origins origins;
    std::vector<std::pair<std::string, clang::SourceLocation>> unknown;
    std::vector<clang::SourceLocation> hostMemory;
  };

  [[nodiscard]] std::vector<int> inSourceOrder() const;
  int nodeOf(const clang::ValueDecl *declaration);
  int root(int node);
  void joinNodes(int a, int b);

  ParsedUnit &unit_;
  std::vector<Node> nodes_;
  std::unordered_map<const clang::ValueDecl *, int> index_;
  std::vector<std::pair<int, const clang::Expr *>> lookups_; ///< `const R &` parameter, argument
  std::vector<std::pair<const clang::ParmVarDecl *, const clang::Expr *>> bindings_; ///< of `R &`
};

} // namespace relayout::instrument
