// SPDX-License-Identifier: Apache-2.0
// The declarations of one unit that lead to records, joined where pointers flow between them.
#include "model/flow_graph.h"

#include "relayout/instrument/clang/pointer_owners.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <numeric>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// The type through which a declaration holds records: its own, or what a function returns.
clang::QualType heldType(const clang::ValueDecl *declaration) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(declaration))
    return function->getReturnType();
  return declaration->getType();
}

/// `R &operator+=(R &, …)` returns what it was given.
bool returnsOperand(const clang::ValueDecl &declaration) {
  const auto *function = dyn_cast<clang::FunctionDecl>(&declaration);
  return function && function->getReturnType()->isReferenceType() && isOperator(*function) &&
         function->getOverloadedOperator() != clang::OO_Subscript &&
         function->getOverloadedOperator() != clang::OO_Star;
}

const clang::CXXRecordDecl *recordDefinition(const clang::ValueDecl *node) {
  const clang::CXXRecordDecl *record = recordTypeOf(heldType(node)).record;
  return record->getDefinition() ? record->getDefinition() : record;
}

/// A local, a parameter or the result of a function that the host cannot call.
bool isLocalOfDevice(const clang::ValueDecl &declaration) {
  const auto *function = dyn_cast<clang::FunctionDecl>(&declaration);
  if (!function)
    function = dyn_cast<clang::FunctionDecl>(declaration.getDeclContext());
  return function && !function->hasAttr<clang::CUDAHostAttr>() &&
         (function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>());
}

} // namespace

void merge(const Origins &from, Origins &into) {
  into.device |= from.device;
  into.host |= from.host;
  into.deviceHeap |= from.deviceHeap;
  into.shared |= from.shared;
  into.ownShared |= from.ownShared;
  into.managed |= from.managed;
  into.pinned |= from.pinned;
  into.exact |= from.exact;
  into.symbol |= from.symbol;
  into.local |= from.local;
  into.unknown |= from.unknown;
}

bool FlowGraph::isUserLocation(clang::SourceLocation location) const {
  const clang::SourceManager &sources = unit_.sources();
  return location.isValid() &&
         unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(location)));
}

bool FlowGraph::add(const clang::ValueDecl *declaration) {
  if (const clang::ParmVarDecl *owned = ownedThrough(*declaration))
    declaration = owned;
  const RecordType target = recordTypeOf(heldType(declaration));
  if (!target.indirect || !target.record || returnsOperand(*declaration))
    return false;
  const clang::CXXRecordDecl *definition = target.record->getDefinition();
  if (definition && (definition->isLambda() || definition->isDependentContext()))
    return false;
  const bool isKnown = definition && (isVectorType(*definition) || isScalarRecord(*definition));
  if (!isKnown &&
      !isUserLocation(definition ? definition->getLocation() : target.record->getLocation()))
    return false;
  if (!isUserLocation(declaration->getLocation()))
    return false;
  nodeOf(declaration);
  return true;
}

void FlowGraph::join(const clang::ValueDecl *a, const clang::ValueDecl *b) {
  if (add(a) && add(b))
    joinNodes(nodeOf(a), nodeOf(b));
}

void FlowGraph::flow(const clang::ValueDecl *declaration, const clang::Expr *value) {
  if (!add(declaration))
    return;
  const int node = nodeOf(declaration);
  Referent referent;
  resolve(value, referent);
  for (const clang::ValueDecl *source : referent.declarations) {
    if (add(source)) {
      joinNodes(node, nodeOf(source));
    } else {
      nodes_[node].origins.unknown = true;
      nodes_[node].unknown.emplace_back("'" + source->getNameAsString() + "', which is not seen",
                                        value->getExprLoc());
    }
  }
  if (referent.origins.host && isLocalOfDevice(*declaration))
    referent.origins.deviceHeap = true;
  merge(referent.origins, nodes_[node].origins);
  nodes_[node].unknown.insert(nodes_[node].unknown.end(), referent.unknown.begin(),
                              referent.unknown.end());
  nodes_[node].hostMemory.insert(nodes_[node].hostMemory.end(), referent.hostMemory.begin(),
                                 referent.hostMemory.end());
}

void FlowGraph::addOrigins(const clang::ValueDecl *declaration, const Origins &origins,
                           clang::SourceLocation where) {
  if (!add(declaration))
    return;
  Node &node = nodes_[nodeOf(declaration)];
  merge(origins, node.origins);
  if (origins.host)
    node.hostMemory.push_back(where);
}

void FlowGraph::addUnknown(const clang::ValueDecl *declaration, std::string what,
                           clang::SourceLocation where) {
  if (add(declaration))
    nodes_[nodeOf(declaration)].unknown.emplace_back(std::move(what), where);
}

void FlowGraph::addLookup(const clang::ParmVarDecl *parameter, const clang::Expr *argument) {
  if (add(parameter))
    lookups_.emplace_back(nodeOf(parameter), argument);
}

void FlowGraph::addBinding(const clang::ParmVarDecl *parameter, const clang::Expr *argument) {
  if (add(parameter))
    bindings_.emplace_back(parameter, argument);
}

UnitFlow FlowGraph::groups() {
  UnitFlow flow;
  std::vector<Referent> bound; // may add nodes
  for (const auto &[parameter, argument] : bindings_) {
    Referent &referent = bound.emplace_back();
    resolve(argument, referent);
    for (const clang::ValueDecl *source : referent.declarations)
      if (!add(source)) {
        referent.origins.unknown = true;
        referent.unknown.emplace_back("'" + source->getNameAsString() + "', which is not seen",
                                      argument->getExprLoc());
      }
  }
  std::vector<std::pair<int, int>> lookups; // may add nodes
  for (const auto &[parameter, argument] : lookups_) {
    Referent referent;
    resolve(argument, referent);
    for (const clang::ValueDecl *declaration : referent.declarations)
      if (add(declaration))
        lookups.emplace_back(parameter, nodeOf(declaration));
  }
  std::unordered_map<int, std::uint32_t> groupOfRoot;
  for (const int number : inSourceOrder()) {
    const Node &node = nodes_[number];
    const auto [entry, isNew] =
        groupOfRoot.try_emplace(root(number), static_cast<std::uint32_t>(flow.groups.size()));
    if (isNew) {
      flow.groups.emplace_back().record = recordDefinition(node.declaration);
      flow.groups.back().place = unit_.place(node.declaration->getLocation());
    }
    flow.declarations.emplace_back(node.declaration, entry->second);
    ArrayGroup &group = flow.groups[entry->second];
    merge(node.origins, group.origins);
    for (const auto &[what, where] : node.unknown)
      group.unknownFlows.emplace_back(what, unit_.place(where));
    for (const clang::SourceLocation where : node.hostMemory)
      group.hostMemory.push_back(unit_.place(where));
  }
  for (const auto &[parameter, argument] : lookups)
    flow.lookups.emplace_back(groupOfRoot.at(root(parameter)), groupOfRoot.at(root(argument)));
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const auto groupOf = [&](const clang::ValueDecl *declaration) {
      return groupOfRoot.at(root(nodeOf(declaration)));
    };
    Binding binding{bindings_[i].first, groupOf(bindings_[i].first), {}, bound[i].origins, {}, {}};
    for (const clang::ValueDecl *source : bound[i].declarations)
      if (add(source))
        binding.arguments.push_back(groupOf(source));
    for (const auto &[what, where] : bound[i].unknown)
      binding.unknown.emplace_back(what, unit_.place(where));
    for (const clang::SourceLocation where : bound[i].hostMemory)
      binding.hostMemory.push_back(unit_.place(where));
    flow.bindings.push_back(std::move(binding));
  }
  return flow;
}

std::vector<int> FlowGraph::inSourceOrder() const {
  std::vector<int> order(nodes_.size());
  std::iota(order.begin(), order.end(), 0);
  const clang::SourceManager &sources = unit_.sources();
  std::ranges::stable_sort(order, [&](int a, int b) {
    return sources.isBeforeInTranslationUnit(nodes_[a].declaration->getLocation(),
                                             nodes_[b].declaration->getLocation());
  });
  return order;
}

int FlowGraph::nodeOf(const clang::ValueDecl *declaration) {
  const clang::ValueDecl *key = canonical(declaration);
  const auto [entry, isNew] = index_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (isNew)
    nodes_.push_back({key, entry->second, {}, {}, {}});
  return entry->second;
}

int FlowGraph::root(int node) {
  while (nodes_[node].parent != node)
    node = nodes_[node].parent = nodes_[nodes_[node].parent].parent;
  return node;
}

/// Two pointers to different records never share an array; a cast between them is an unknown.
void FlowGraph::joinNodes(int a, int b) {
  if (recordDefinition(nodes_[a].declaration) == recordDefinition(nodes_[b].declaration))
    nodes_[root(a)].parent = root(b);
}

} // namespace relayout::instrument
