// SPDX-License-Identifier: Apache-2.0
// Joins the groups of units that name one entity, as a linker does, and those that helpers join.
#include "model/flow_apart.h"
#include "model/flow_reader.h"
#include "model/referents.h"
#include "parse/written_for_device.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/Attr.h>

#include <algorithm>
#include <map>
#include <set>

namespace relayout::instrument {

namespace {

/// A function of both sides is the host's unless a kernel has a part as well; methods keep what
/// they are given.
bool isOfDeviceCode(const clang::ValueDecl &declaration) {
  const auto *function = clang::dyn_cast<clang::FunctionDecl>(&declaration);
  if (!function)
    function = clang::dyn_cast<clang::FunctionDecl>(declaration.getDeclContext());
  if (!function)
    return declaration.hasAttr<clang::CUDADeviceAttr>();
  return isWrittenForDevice(*function) &&
         (clang::isa<clang::CXXMethodDecl>(function) || !function->hasAttr<clang::CUDAHostAttr>());
}

/// Whether nothing but its name calls a method.
bool isCalledByName(const clang::CXXMethodDecl &method) {
  return !method.isVirtual() && !method.isOverloadedOperator() &&
         !clang::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl, clang::CXXConversionDecl>(
             method) &&
         !method.getParent()->isDependentContext() && !method.getParent()->isLambda();
}

/// The function whose parameter, local or result it is; null for other declarations, and for
/// functions of which a name does not say who calls them.
const clang::FunctionDecl *plainFunctionOf(const clang::ValueDecl &declaration) {
  const auto *function = clang::dyn_cast<clang::FunctionDecl>(&declaration);
  if (!function)
    function = clang::dyn_cast<clang::FunctionDecl>(declaration.getDeclContext());
  const auto *method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  const bool isPlain = function && (!method || isCalledByName(*method)) &&
                       function->getTemplatedKind() == clang::FunctionDecl::TK_NonTemplate;
  return isPlain ? function : nullptr;
}

/// Whether a group's pointers are all of functions, of which no unit refers to one or more.
class Callers {
public:
  void add(ParsedUnit &unit, const clang::ValueDecl &declaration) {
    const clang::FunctionDecl *function = plainFunctionOf(declaration);
    if (!function)
      isElsewhere_ = true;
    else
      isReferenced_[symbolOf(unit, function)] |= function->isReferenced() || function->isMain();
  }

  [[nodiscard]] bool someIsMissing() const {
    return !isElsewhere_ &&
           std::ranges::any_of(isReferenced_, [](const auto &entry) { return !entry.second; });
  }

private:
  std::map<std::string, bool> isReferenced_;
  bool isElsewhere_ = false;
};

/// Without it, callers may be elsewhere.
bool definesMain(ParsedUnit &unit) {
  const clang::IdentifierInfo &name = unit.ast().Idents.get("main");
  const auto found = unit.ast().getTranslationUnitDecl()->lookup(&name);
  return std::ranges::any_of(found, [](const clang::NamedDecl *declaration) {
    const auto *function = clang::dyn_cast<clang::FunctionDecl>(declaration);
    return function && function->isDefined();
  });
}

bool isNone(const Origins &origins) {
  return !origins.device && !origins.host && !origins.shared && !origins.ownShared &&
         !origins.managed && !origins.pinned && !origins.symbol && !origins.local &&
         !origins.unknown;
}

} // namespace

class FlowLinker {
public:
  FlowLinker(const std::vector<ParsedUnit *> &units, const std::set<std::string> &apart)
      : units_(units) {
    FunctionsThatFillIn definitions;
    if (units.size() > 1)
      for (ParsedUnit *unit : units)
        addFunctionsThatFillIn(*unit, definitions);
    for (ParsedUnit *unit : units) {
      first_.push_back(static_cast<std::uint32_t>(parents_.size()));
      flows_.push_back(readFlow(*unit, apart, definitions));
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
    joinBindings();
    joinLookups();
    std::vector<ArrayGroup> shared = sharedGroups();
    std::vector<ArrayFlow> linked(units_.size());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      linked[u].groups_ = shared;
      linked[u].values_ = std::move(values_[u]);
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
  /// Which memory leads to a parameter: arrays whose layout may be chosen, and all other.
  struct Kinds {
    bool device = false, other = false;

    bool add(const Kinds &more) {
      const Kinds before = *this;
      device |= more.device;
      other |= more.other;
      return device != before.device || other != before.other;
    }
    bool add(const Origins &origins) {
      return add(Kinds{origins.device || origins.managed || origins.unknown,
                       origins.host || origins.local || origins.shared || origins.symbol});
    }
    [[nodiscard]] bool isMixed() const { return device && other; }
  };

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
    const auto joinNamed = [&](const std::string &name, std::uint32_t group) {
      std::vector<std::uint32_t> &known = groupsOf[name];
      for (const std::uint32_t other : known)
        join(other, group);
      known.push_back(group);
    };
    for (std::size_t u = 0; u < units_.size(); ++u) {
      std::map<const clang::ValueDecl *, std::uint32_t> own;
      for (const auto &[declaration, group] : flows_[u].declarations) {
        joinNamed(symbolOf(*units_[u], declaration), first_[u] + group);
        own.emplace(declaration, first_[u] + group);
      }
      for (const auto &[name, parameter] : flows_[u].ofPointers)
        if (const auto found = own.find(parameter); found != own.end())
          joinNamed(name, found->second);
    }
  }

  template <class Function> void eachBinding(Function function) {
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const Binding &binding : flows_[u].bindings)
        function(u, binding);
  }

  /// A function that takes `R &` works on the arrays that it is given, and they are one. If it is
  /// given other memory as well, as locals are, it works on values.
  void joinBindings() {
    std::set<std::string> mixed;
    const std::vector<Kinds> kinds = kindsOfParameters();
    std::vector<std::pair<std::size_t, const Binding *>> joining;
    eachBinding([&](std::size_t u, const Binding &binding) {
      if (!kinds[root(first_[u] + binding.group)].isMixed())
        return joining.emplace_back(u, &binding), void();
      mixed.insert(symbolOf(*units_[u], canonical(binding.parameter)));
      for (const std::uint32_t argument : binding.arguments)
        ofValues_.emplace_back(first_[u] + binding.group, first_[u] + argument);
    });
    for (const auto &[u, binding] : joining) {
      ArrayGroup &own = flows_[u].groups[binding->group];
      merge(binding->origins, own.origins);
      merge(binding->origins, origins_[root(first_[u] + binding->group)]);
      own.unknownFlows.insert(own.unknownFlows.end(), binding->unknown.begin(),
                              binding->unknown.end());
      own.hostMemory.insert(own.hostMemory.end(), binding->hostMemory.begin(),
                            binding->hostMemory.end());
      for (const std::uint32_t argument : binding->arguments)
        join(first_[u] + binding->group, first_[u] + argument);
    }
    noteValues(mixed);
  }

  /// In every unit that declares them, whether it calls the function or not.
  void noteValues(const std::set<std::string> &mixed) {
    values_.resize(units_.size());
    for (std::size_t u = 0; u < units_.size() && !mixed.empty(); ++u)
      for (const auto &[declaration, own] : flows_[u].declarations)
        if (clang::isa<clang::ParmVarDecl>(declaration) &&
            mixed.count(symbolOf(*units_[u], declaration)) != 0)
          values_[u].insert(declaration);
  }

  /// By the roots of their groups; a function hands on what it is given.
  std::vector<Kinds> kindsOfParameters() {
    std::vector<Kinds> kinds(parents_.size());
    for (std::uint32_t group = 0; group < parents_.size(); ++group)
      kinds[root(group)].add(origins_[root(group)]);
    eachBinding([&](std::size_t u, const Binding &binding) {
      kinds[root(first_[u] + binding.group)].add(binding.origins);
    });
    for (bool isNew = true; isNew;) {
      isNew = false;
      eachBinding([&](std::size_t u, const Binding &binding) {
        const std::uint32_t parameter = root(first_[u] + binding.group);
        for (const std::uint32_t own : binding.arguments)
          if (const std::uint32_t argument = root(first_[u] + own);
              records_[argument] == records_[parameter])
            isNew |= kinds[parameter].add(kinds[argument]);
      });
    }
    return kinds;
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
      for (const auto &[parameter, argument] : flows_[u].lookups)
        joinLookup(first_[u] + argument, first_[u] + parameter, isDevice);
    for (std::uint32_t group = 0; group < parents_.size(); ++group)
      if (isDevice[group])
        isDevice[root(group)] = true;
    for (bool isNew = true; isNew;) { // one that takes values hands them on to another
      isNew = false;
      for (const auto &[parameter, argument] : ofValues_)
        if (joinLookup(argument, parameter, isDevice))
          isDevice[root(parameter)] = isNew = true;
    }
  }

  bool joinLookup(std::uint32_t argument, std::uint32_t parameter,
                  const std::vector<bool> &isDevice) {
    const std::uint32_t from = root(argument), to = root(parameter);
    if (from == to || !isDevice[from] || records_[from] != records_[to])
      return false;
    parents_[from] = to;
    merge(origins_[from], origins_[to]);
    return true;
  }

  template <class Value> static void addOnce(const Value &value, std::vector<Value> &to) {
    if (std::ranges::find(to, value) == to.end())
      to.push_back(value);
  }

  /// What all units say of each group, numbered in the order of units and their text.
  std::vector<ArrayGroup> sharedGroups() {
    std::vector<ArrayGroup> shared;
    std::vector<Callers> callers;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (const auto &[declaration, own] : flows_[u].declarations) {
        const auto [entry, isNew] =
            numberOf_.try_emplace(root(first_[u] + own), static_cast<std::uint32_t>(shared.size()));
        if (isNew) {
          shared.emplace_back().place = flows_[u].groups[own].place;
          callers.emplace_back();
        }
        ArrayGroup &group = shared[entry->second];
        callers[entry->second].add(*units_[u], *declaration);
        addOnce(ArrayFlow::nameOf(declaration), group.arrays);
        group.holdsPointers |= !declaration->getType()->isReferenceType();
        group.isInKernels |= isOfDeviceCode(*declaration);
      }
      for (std::uint32_t g = 0; g < flows_[u].groups.size(); ++g) {
        ArrayGroup &group = shared[numberOf_.at(root(first_[u] + g))];
        merge(flows_[u].groups[g].origins, group.origins);
        for (const auto &flow : flows_[u].groups[g].unknownFlows)
          addOnce(flow, group.unknownFlows);
        for (const SourcePlace &place : flows_[u].groups[g].hostMemory)
          addOnce(place, group.hostMemory);
      }
    }
    const bool isWhole =
        std::ranges::any_of(units_, [](ParsedUnit *unit) { return definesMain(*unit); });
    for (std::size_t g = 0; g < shared.size(); ++g)
      shared[g].isUncalled = isWhole && isNone(shared[g].origins) && callers[g].someIsMissing();
    return shared;
  }

  const std::vector<ParsedUnit *> &units_;
  std::vector<UnitFlow> flows_;
  std::vector<std::uint32_t> first_; ///< of each unit's groups, in the vectors below
  std::vector<std::uint32_t> parents_;
  std::vector<Origins> origins_;
  std::vector<std::string> records_;
  std::vector<std::unordered_set<const clang::ValueDecl *>> values_; ///< of each unit
  /// Parameters that take values, and what they are called with.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ofValues_;
  std::unordered_map<std::uint32_t, std::uint32_t> numberOf_; ///< of a root
};

std::vector<ArrayFlow> ArrayFlow::analyse(const std::vector<ParsedUnit *> &units) {
  return FlowLinker(units, {}).link();
}

std::vector<ArrayFlow> flowApart(const std::vector<ParsedUnit *> &units,
                                 const std::set<std::string> &apart) {
  return FlowLinker(units, apart).link();
}

} // namespace relayout::instrument
