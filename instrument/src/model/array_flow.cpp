// SPDX-License-Identifier: Apache-2.0
// Joins declarations that can hold pointers into the same array of records; flow-insensitive, unit
// by unit, then across units. It may join too much, which costs a choice; joining too little would
// be a bug.
#include "relayout/instrument/clang/array_flow.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"
#include "relayout/trace/site_table.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// The type through which a declaration holds records: its own, or what a function returns.
clang::QualType heldType(const clang::ValueDecl *declaration) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(declaration))
    return function->getReturnType();
  return declaration->getType();
}

/// An overloaded operator, but for calls.
bool isOperator(const clang::FunctionDecl &function) {
  return function.isOverloadedOperator() && function.getOverloadedOperator() != clang::OO_Call;
}

/// What one unit shows, before it is linked with the others.
struct UnitFlow {
  std::vector<ArrayGroup> groups; ///< without declarations
  /// In source order, each with its group.
  std::vector<std::pair<const clang::ValueDecl *, std::uint32_t>> declarations;
  /// A parameter `const R &` and what it is called with, by group.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lookups;
};

void merge(const Origins &from, Origins &into) {
  into.device |= from.device;
  into.host |= from.host;
  into.shared |= from.shared;
  into.managed |= from.managed;
  into.symbol |= from.symbol;
  into.local |= from.local;
  into.unknown |= from.unknown;
}

class FlowVisitor : public clang::RecursiveASTVisitor<FlowVisitor> {
public:
  explicit FlowVisitor(ParsedUnit &unit) : unit_(unit) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitVarDecl(clang::VarDecl *variable) {
    if (!addNode(variable))
      return true;
    const int node = nodeOf(variable);
    // An array of records is memory of its own; an array of pointers is not.
    if (const clang::ArrayType *array = variable->getType()->getAsArrayTypeUnsafe();
        array && !unit_.ast().getBaseElementType(array)->isPointerType())
      addVariableOrigin(variable, origins_[node]);
    if (variable->hasInit())
      flow(node, variable->getInit());
    return true;
  }

  /// A range-based `for` hides its pointers in variables that are not visited as such.
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *loop) {
    for (clang::DeclStmt *hidden : {loop->getRangeStmt(), loop->getBeginStmt()})
      if (auto *variable = hidden ? dyn_cast<clang::VarDecl>(hidden->getSingleDecl()) : nullptr;
          variable && (variable->getType()->isPointerType() ||
                       variable->getType().getNonReferenceType()->isArrayType()))
        VisitVarDecl(variable);
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) {
    if (addNode(field) && field->hasInClassInitializer() && field->getInClassInitializer())
      flow(nodeOf(field), field->getInClassInitializer());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    addNode(function);
    if (function->doesThisDeclarationHaveABody())
      joinReturns(function, function->getBody());
    if (const auto *method = dyn_cast<clang::CXXMethodDecl>(function))
      for (const clang::CXXMethodDecl *base : method->overridden_methods()) {
        join(function, base);
        for (unsigned i = 0; i != function->getNumParams(); ++i)
          join(function->getParamDecl(i), base->getParamDecl(i));
      }
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    addNode(lambda->getCallOperator());
    joinReturns(lambda->getCallOperator(), lambda->getBody());
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer() && addNode(initialiser->getMember()))
        flow(nodeOf(initialiser->getMember()), initialiser->getInit());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *assignment) {
    if (assignment->getOpcode() != clang::BO_Assign ||
        !assignment->getLHS()->getType()->isPointerType() ||
        !recordTypeOf(assignment->getLHS()->getType()).record)
      return true;
    Referent left;
    resolve(assignment->getLHS(), left);
    for (const clang::ValueDecl *declaration : left.declarations)
      if (addNode(declaration))
        flow(nodeOf(declaration), assignment->getRHS());
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr *list) {
    const clang::InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
    const clang::CXXRecordDecl *record =
        semantic ? semantic->getType()->getAsCXXRecordDecl() : nullptr;
    if (!record)
      return true;
    unsigned index = record->getNumBases();
    for (clang::FieldDecl *field : record->fields()) {
      if (field->isUnnamedBitField())
        continue;
      if (index >= semantic->getNumInits())
        break;
      if (addNode(field))
        flow(nodeOf(field), semantic->getInit(index));
      ++index;
    }
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) {
    joinArguments(construction->getConstructor(),
                  {construction->getArgs(), construction->getNumArgs()});
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    const std::string name = calleeName(call);
    if (name == "swap" && call->getNumArgs() == 2)
      joinExpressions(call->getArg(0), call->getArg(1));
    else if (!noteAllocation(name, call))
      joinCall(call);
    return true;
  }

  UnitFlow flow() {
    UnitFlow flow;
    std::vector<std::pair<int, int>> lookups; // may add nodes
    for (const auto &[parameter, argument] : lookups_) {
      Referent referent;
      resolve(argument, referent);
      for (const clang::ValueDecl *declaration : referent.declarations)
        if (addNode(declaration))
          lookups.emplace_back(parameter, nodeOf(declaration));
    }
    std::unordered_map<int, std::uint32_t> groupOfRoot;
    for (const int node : inSourceOrder()) {
      const auto [entry, isNew] =
          groupOfRoot.try_emplace(root(node), static_cast<std::uint32_t>(flow.groups.size()));
      if (isNew) {
        flow.groups.emplace_back().record = recordDefinition(nodes_[node]);
        flow.groups.back().place = unit_.place(nodes_[node]->getLocation());
      }
      flow.declarations.emplace_back(nodes_[node], entry->second);
      ArrayGroup &group = flow.groups[entry->second];
      merge(origins_[node], group.origins);
      for (const auto &[what, where] : unknown_[node])
        group.unknownFlows.emplace_back(what, unit_.place(where));
    }
    for (const auto &[parameter, argument] : lookups)
      flow.lookups.emplace_back(groupOfRoot.at(root(parameter)), groupOfRoot.at(root(argument)));
    return flow;
  }

private:
  /// `R &operator+=(R &, …)` returns what it was given.
  static bool returnsOperand(const clang::ValueDecl &declaration) {
    const auto *function = dyn_cast<clang::FunctionDecl>(&declaration);
    return function && function->getReturnType()->isReferenceType() && isOperator(*function) &&
           function->getOverloadedOperator() != clang::OO_Subscript &&
           function->getOverloadedOperator() != clang::OO_Star;
  }

  static const clang::CXXRecordDecl *recordDefinition(const clang::ValueDecl *node) {
    const clang::CXXRecordDecl *record = recordTypeOf(heldType(node)).record;
    return record->getDefinition() ? record->getDefinition() : record;
  }

  std::vector<int> inSourceOrder() const {
    std::vector<int> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    const clang::SourceManager &sources = unit_.sources();
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return sources.isBeforeInTranslationUnit(nodes_[a]->getLocation(), nodes_[b]->getLocation());
    });
    return order;
  }

  bool isUserLocation(clang::SourceLocation location) const {
    const clang::SourceManager &sources = unit_.sources();
    return location.isValid() &&
           unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(location)));
  }

  /// Makes a node of a user's declaration that leads to a user's record or a vector type; false if
  /// it is none.
  bool addNode(const clang::ValueDecl *declaration) {
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

  int nodeOf(const clang::ValueDecl *declaration) {
    const clang::ValueDecl *key = canonical(declaration);
    const auto [entry, isNew] = index_.try_emplace(key, static_cast<int>(nodes_.size()));
    if (isNew) {
      nodes_.push_back(key);
      parents_.push_back(entry->second);
      origins_.emplace_back();
      unknown_.emplace_back();
    }
    return entry->second;
  }

  int root(int node) {
    while (parents_[node] != node)
      node = parents_[node] = parents_[parents_[node]];
    return node;
  }

  /// Two pointers to different records never share an array; a cast between them is an unknown.
  void joinNodes(int a, int b) {
    if (recordDefinition(nodes_[a]) == recordDefinition(nodes_[b]))
      parents_[root(a)] = root(b);
  }

  void join(const clang::ValueDecl *a, const clang::ValueDecl *b) {
    if (addNode(a) && addNode(b))
      joinNodes(nodeOf(a), nodeOf(b));
  }

  void flow(int node, const clang::Expr *value) {
    Referent referent;
    resolve(value, referent);
    for (const clang::ValueDecl *declaration : referent.declarations) {
      if (addNode(declaration)) {
        joinNodes(node, nodeOf(declaration));
      } else {
        origins_[node].unknown = true;
        unknown_[node].emplace_back("'" + declaration->getNameAsString() + "', which is not seen",
                                    value->getExprLoc());
      }
    }
    merge(referent.origins, origins_[node]);
    unknown_[node].insert(unknown_[node].end(), referent.unknown.begin(), referent.unknown.end());
  }

  void joinExpressions(const clang::Expr *a, const clang::Expr *b) {
    if (!recordTypeOf(a->getType()).record || !a->getType()->isPointerType())
      return;
    Referent left;
    resolve(a, left);
    for (const clang::ValueDecl *declaration : left.declarations)
      if (addNode(declaration))
        flow(nodeOf(declaration), b);
  }

  void joinReturns(const clang::FunctionDecl *function, const clang::Stmt *statement) {
    if (!statement || !addNode(function))
      return;
    if (const auto *ret = dyn_cast<clang::ReturnStmt>(statement)) {
      if (ret->getRetValue())
        flow(nodeOf(function), ret->getRetValue());
      return;
    }
    if (isa<clang::LambdaExpr>(statement))
      return;
    for (const clang::Stmt *child : statement->children())
      joinReturns(function, child);
  }

  void joinArguments(const clang::FunctionDecl *callee,
                     llvm::ArrayRef<const clang::Expr *> arguments) {
    // A copy that the compiler writes is a copy: nothing points anywhere afterwards.
    if (!callee || !isUserLocation(callee->getLocation()) || callee->isImplicit() ||
        callee->isDefaulted())
      return;
    for (std::size_t i = 0; i < arguments.size() && i < callee->getNumParams(); ++i) {
      const clang::ParmVarDecl *parameter = callee->getParamDecl(i);
      if (isVectorReference(*parameter) || !addNode(parameter))
        continue;
      if (takesValue(*parameter))
        lookups_.emplace_back(nodeOf(parameter), arguments[i]);
      else
        flow(nodeOf(parameter), arguments[i]);
    }
  }

  void joinCall(const clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    llvm::ArrayRef<const clang::Expr *> arguments(call->getArgs(), call->getNumArgs());
    // The object of an overloaded operator that is a member stands first among the arguments.
    if (isa<clang::CXXOperatorCallExpr>(call) && callee && dyn_cast<clang::CXXMethodDecl>(callee) &&
        !arguments.empty())
      arguments = arguments.drop_front();
    if (callee && isUserLocation(callee->getLocation()))
      return joinArguments(callee, arguments);
    if (callee || call->isTypeDependent())
      return;
    for (const clang::Expr *argument : arguments) {
      if (!argument->getType()->isPointerType() || !recordTypeOf(argument->getType()).record)
        continue;
      Referent referent;
      resolve(argument, referent);
      for (const clang::ValueDecl *declaration : referent.declarations)
        if (addNode(declaration))
          unknown_[nodeOf(declaration)].emplace_back("an argument of a call through a pointer",
                                                     argument->getExprLoc());
    }
  }

  bool noteAllocation(const std::string &name, const clang::CallExpr *call) {
    const CudaCall *known = cudaCallNamed(name);
    const bool isCuda =
        known && (known->kind == CudaCallKind::Allocation || known->kind == CudaCallKind::Address);
    if (!isCuda && name != "posix_memalign")
      return false;
    const CudaMemory memory = isCuda ? known->memory : CudaMemory::Host;
    Origins origins;
    origins.device = memory == CudaMemory::Device;
    origins.managed = memory == CudaMemory::Managed;
    origins.host = memory == CudaMemory::Host;
    origins.symbol = memory == CudaMemory::Symbol;
    origins.unknown = memory == CudaMemory::Unknown;
    if (call->getNumArgs() == 0)
      return true;
    const clang::Expr *target = call->getArg(0)->IgnoreParenCasts();
    Referent referent;
    resolve(target, referent);
    for (const clang::ValueDecl *declaration : referent.declarations)
      if (addNode(declaration)) {
        merge(origins, origins_[nodeOf(declaration)]);
        if (origins.unknown)
          unknown_[nodeOf(declaration)].emplace_back("memory from '" + name + "'",
                                                     call->getExprLoc());
      }
    return true;
  }

  ParsedUnit &unit_;
  std::vector<const clang::ValueDecl *> nodes_;
  std::vector<int> parents_;
  std::vector<Origins> origins_;
  std::vector<std::vector<std::pair<std::string, clang::SourceLocation>>> unknown_;
  std::unordered_map<const clang::ValueDecl *, int> index_;
  std::vector<std::pair<int, const clang::Expr *>> lookups_; ///< `const R &` parameter, argument
};

std::string scopeOf(const clang::DeclContext *context) {
  while (context && !isa<clang::NamedDecl>(context))
    context = context->getParent();
  const auto *scope = dyn_cast_or_null<clang::NamedDecl>(context);
  if (!scope)
    return {};
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(scope);
      method && method->getParent()->isLambda())
    return scopeOf(method->getParent()->getDeclContext());
  if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
      space && space->isAnonymousNamespace())
    return scopeOf(space->getParent());
  const std::string outer = scopeOf(context->getParent());
  const std::string own = scope->getNameAsString();
  return outer.empty() ? own : outer + "::" + own;
}

} // namespace

bool takesValue(const clang::ParmVarDecl &parameter) {
  const clang::QualType type = parameter.getType();
  const clang::QualType value = type.getNonReferenceType();
  if (!type->isLValueReferenceType() || !(value->isRecordType() || scalarRecordOf(value)))
    return false;
  const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  return value.isConstQualified() || (function && isOperator(*function)) ||
         isVectorReference(parameter);
}

bool ArrayGroup::mayBeDeviceArrays() const {
  if (origins.device || origins.managed || origins.symbol || origins.unknown)
    return true;
  return !origins.local && !origins.shared && !origins.host && holdsPointers;
}

/// Joins the groups of units that name one entity, as a linker does, and those that helpers join.
class FlowLinker {
public:
  explicit FlowLinker(const std::vector<ParsedUnit *> &units) : units_(units) {
    for (ParsedUnit *unit : units) {
      FlowVisitor visitor(*unit);
      visitor.TraverseAST(unit->ast());
      first_.push_back(static_cast<std::uint32_t>(parents_.size()));
      flows_.push_back(visitor.flow());
      for (const ArrayGroup &group : flows_.back().groups) {
        parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
        origins_.push_back(group.origins);
        records_.push_back(symbolOf(*unit, group.record));
      }
    }
  }

  std::vector<ArrayFlow> link() {
    if (units_.size() > 1)
      joinSymbols();
    joinLookups();
    std::vector<ArrayGroup> shared = sharedGroups();
    std::vector<ArrayFlow> linked(units_.size());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      linked[u].groups_ = shared;
      for (const auto &[declaration, own] : flows_[u].declarations) {
        const std::uint32_t number = numberOf_.at(root(first_[u] + own));
        ArrayGroup &group = linked[u].groups_[number];
        if (!group.record)
          group.record = flows_[u].groups[own].record;
        group.declarations.push_back(declaration);
        linked[u].groupOf_.emplace(declaration, number);
      }
    }
    return linked;
  }

private:
  std::uint32_t root(std::uint32_t group) {
    while (parents_[group] != group)
      group = parents_[group] = parents_[parents_[group]];
    return group;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b || records_[a] != records_[b])
      return;
    // The first to be seen stays the root.
    if (b < a)
      std::swap(a, b);
    parents_[b] = a;
    merge(origins_[b], origins_[a]);
  }

  void joinSymbols() {
    std::map<std::string, std::vector<std::uint32_t>> groupsOf; // records of one name may differ
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const auto &[declaration, own] : flows_[u].declarations) {
        std::vector<std::uint32_t> &known = groupsOf[symbolOf(*units_[u], declaration)];
        for (const std::uint32_t other : known)
          join(other, first_[u] + own);
        known.push_back(first_[u] + own);
      }
  }

  /// A helper that takes `const R &` works on whatever it is given. Its accesses belong to the
  /// device arrays it is called with; host memory it is also called with does not become theirs.
  void joinLookups() {
    std::vector<bool> isDevice(parents_.size()); // before any helper has joined one
    for (std::uint32_t group = 0; group < parents_.size(); ++group) {
      const Origins &origins = origins_[root(group)];
      isDevice[root(group)] = origins.device || origins.unknown || origins.managed;
    }
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const auto &[parameter, argument] : flows_[u].lookups) {
        const std::uint32_t from = root(first_[u] + argument), to = root(first_[u] + parameter);
        if (from == to || !isDevice[from] || records_[from] != records_[to])
          continue;
        parents_[from] = to;
        merge(origins_[from], origins_[to]);
      }
  }

  template <class Value> static void addOnce(const Value &value, std::vector<Value> &to) {
    if (std::ranges::find(to, value) == to.end())
      to.push_back(value);
  }

  /// What all units say of each group, numbered in the order of units and their text.
  std::vector<ArrayGroup> sharedGroups() {
    std::vector<ArrayGroup> shared;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (const auto &[declaration, own] : flows_[u].declarations) {
        const auto [entry, isNew] =
            numberOf_.try_emplace(root(first_[u] + own), static_cast<std::uint32_t>(shared.size()));
        if (isNew)
          shared.emplace_back().place = flows_[u].groups[own].place;
        ArrayGroup &group = shared[entry->second];
        addOnce(ArrayFlow::nameOf(declaration), group.arrays);
        group.holdsPointers |= !declaration->getType()->isReferenceType();
      }
      for (std::uint32_t g = 0; g < flows_[u].groups.size(); ++g) {
        ArrayGroup &group = shared[numberOf_.at(root(first_[u] + g))];
        merge(flows_[u].groups[g].origins, group.origins);
        for (const auto &flow : flows_[u].groups[g].unknownFlows)
          addOnce(flow, group.unknownFlows);
      }
    }
    return shared;
  }

  const std::vector<ParsedUnit *> &units_;
  std::vector<UnitFlow> flows_;
  std::vector<std::uint32_t> first_; ///< of each unit's groups, in the vectors below
  std::vector<std::uint32_t> parents_;
  std::vector<Origins> origins_;
  std::vector<std::string> records_;
  std::unordered_map<std::uint32_t, std::uint32_t> numberOf_; ///< of a root
};

std::vector<ArrayFlow> ArrayFlow::analyse(const std::vector<ParsedUnit *> &units) {
  return FlowLinker(units).link();
}

std::uint32_t ArrayFlow::groupOf(const clang::ValueDecl *declaration) const {
  const auto entry = groupOf_.find(canonical(declaration));
  return entry == groupOf_.end() ? trace::kNone : entry->second;
}

std::uint32_t ArrayFlow::groupOf(const clang::Expr *expression) const {
  Referent referent;
  resolve(expression, referent);
  for (const clang::ValueDecl *declaration : referent.declarations)
    if (const std::uint32_t group = groupOf(declaration); group != trace::kNone)
      return group;
  return trace::kNone;
}

std::string ArrayFlow::nameOf(const clang::ValueDecl *declaration) {
  declaration = canonical(declaration);
  const std::string scope = scopeOf(declaration->getDeclContext());
  std::string name = declaration->getNameAsString();
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration); parameter && name.empty())
    name = "#" + std::to_string(parameter->getFunctionScopeIndex());
  if (isa<clang::VarDecl>(declaration) && declaration->isImplicit())
    name = "(range)"; // of a `for`
  return scope.empty() ? name : scope + "::" + name;
}

} // namespace relayout::instrument
