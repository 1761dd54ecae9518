// SPDX-License-Identifier: Apache-2.0
// Finds the structs, tells their objects apart, and has the text written.
#include "structs/split_structs.h"

#include "relayout/instrument/clang/symbols.h"
#include "structs/dead_pointers.h"
#include "structs/holder_methods.h"
#include "structs/object_names.h"
#include "structs/pointer_tests.h"
#include "structs/split_text.h"

#include <clang/AST/DeclCXX.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

std::string nameOf(const clang::CXXRecordDecl &record) {
  const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl();
  return alias ? alias->getNameAsString() : record.getNameAsString();
}

std::vector<HolderStruct> holdersIn(const std::vector<ParsedUnit *> &units,
                                    const std::vector<ArrayFlow> &flows) {
  std::map<TypePlace, HolderStruct> found;
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const ArrayGroup &group : flows[u].groups()) {
      if (!group.origins.areOfBothSides())
        continue;
      for (const clang::ValueDecl *declaration : group.declarations) {
        const auto *field = dyn_cast<clang::FieldDecl>(declaration);
        const auto *record = field ? dyn_cast<clang::CXXRecordDecl>(field->getParent()) : nullptr;
        if (!record || record->isLambda() || !field->getType()->isPointerType())
          continue;
        const auto place = filePlace(*units[u], record->getBraceRange().getBegin());
        if (!place)
          continue;
        HolderStruct &holder = found[*place];
        holder.definitions.resize(units.size());
        holder.definitions[u] = record;
        holder.fields.insert(field->getNameAsString());
        holder.name = nameOf(*record);
        holder.place = units[u]->place(record->getLocation());
      }
    }
  std::vector<HolderStruct> holders;
  for (auto &[place, holder] : found)
    holders.push_back(std::move(holder));
  return holders;
}

/// Why a definition cannot be repeated under another name.
std::string obstacleIn(ParsedUnit &unit, const clang::CXXRecordDecl &record,
                       const HolderMethods &methods) {
  if (!record.getDeclContext()->isFileContext())
    return "it is defined in a class or function";
  if (record.getDescribedClassTemplate() ||
      dyn_cast<clang::ClassTemplateSpecializationDecl>(&record))
    return "it is a template";
  if (record.isUnion() || record.getNumBases() != 0 || record.isPolymorphic())
    return "it is a union or has base classes or virtual functions";
  if (std::ranges::any_of(methods, [](const auto &one) { return one.second.hasStatic; }))
    return "a method that copies it has a static variable";
  for (const clang::Decl *member : record.decls()) {
    if (member->isImplicit() || llvm::isa<clang::AccessSpecDecl, clang::EmptyDecl>(member))
      continue;
    const auto *function = dyn_cast<clang::CXXMethodDecl>(member);
    const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(member);
    if (constructor && constructor->isDefaultConstructor())
      if (const auto known = methods.find(symbolOf(unit, constructor->getCanonicalDecl()));
          known != methods.end() && known->second.isOfOneType)
        return "its default constructor gives it memory";
    if (function && !methods.contains(symbolOf(unit, function->getCanonicalDecl())) &&
        !function->isDefaulted() && !function->isDeleted())
      return fmt::format("no file of the program defines '{}'", function->getNameAsString());
    if (!function && !llvm::isa<clang::FieldDecl>(member))
      return "it has members other than variables and functions";
  }
  return {};
}

/// Objects that have one type.
class ObjectSets {
public:
  explicit ObjectSets(const StructObjects &objects) {
    for (const auto &[object, place] : objects.device)
      sets_[root(object)].device = true;
    for (const auto &[object, place] : objects.host) {
      Set &set = sets_[root(object)];
      set.host = true;
      if (set.device && !meeting_)
        meeting_ = place;
    }
    for (const std::string &object : objects.given)
      sets_[root(object)].given = true;
    for (const StructObjects::Join &one : objects.joins)
      join(one.a, one.b, one.place);
  }

  void join(const std::string &a, const std::string &b, const SourcePlace &place) {
    const std::string x = root(a), y = root(b);
    if (x == y)
      return;
    Set &into = sets_[y];
    const Set &from = sets_[x];
    const bool wasOfBoth = (into.device && into.host) || (from.device && from.host);
    into.device |= from.device;
    into.host |= from.host;
    into.given |= from.given;
    parents_[x] = y;
    if (into.device && into.host && !wasOfBoth && !meeting_)
      meeting_ = place;
  }

  [[nodiscard]] bool isDevice(const std::string &object) { return sets_[root(object)].device; }
  /// A pointer in it may lead to the device all the same.
  [[nodiscard]] bool isGiven(const std::string &object) { return sets_[root(object)].given; }
  /// Where an object of one kind becomes one of the other.
  [[nodiscard]] const std::optional<SourcePlace> &meeting() const { return meeting_; }

private:
  struct Set {
    bool device = false, host = false;
    bool given = false; ///< pointers of which that is not seen
  };

  std::string root(std::string object) {
    for (auto parent = parents_.find(object); parent != parents_.end();
         parent = parents_.find(object))
      object = parent->second;
    return object;
  }

  std::map<std::string, std::string> parents_;
  std::map<std::string, Set> sets_;
  std::optional<SourcePlace> meeting_;
};

class Splitter {
public:
  Splitter(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
           const HolderStruct &holder)
      : units_(units), flows_(flows), holder_(holder) {}

  /// \returns  nothing where no kernel has objects of it
  std::optional<SharedHolder> split(SplitText &text) {
    SharedHolder result{holder_.name, {}, holder_.place, holder_.fields, {}, holder_.place};
    const StructObjects objects = objectsOf(holder_, units_);
    if (objects.device.empty())
      return std::nullopt;
    const std::size_t unit = unitOfDefinition();
    result.obstacle = obstacleIn(*units_[unit], *holder_.definitions[unit], objects.methods);
    if (!result.obstacle.empty())
      return result;
    if (objects.obstacle) {
      std::tie(result.obstacle, result.obstaclePlace) = *objects.obstacle;
      return result;
    }
    ObjectSets sets(objects);
    TwoTypes types;
    types.holder = &holder_;
    types.suffix = freeSuffix();
    types.deviceName = holder_.name + types.suffix;
    types.leftOut = holder_.fields;
    types.isDevice = [&sets](const std::string &object) { return sets.isDevice(object); };
    types.conversion = conversionName(types.deviceName);
    types.isKnownName = [this](const std::string &name) { return isKnownName(name); };
    decideCopies(objects, sets, types);
    decideMethods(objects.methods, sets, types);
    if (sets.meeting()) {
      result.obstacle = "an object of device memory and one of the host's are one here";
      result.obstaclePlace = *sets.meeting();
    } else if (sets.isDevice(kOfLibrary)) {
      result.obstacle = "a container or function of a library holds objects of device memory";
    } else {
      result.obstacle = text.add(types, objects);
    }
    if (result.obstacle.empty())
      result.deviceName = types.deviceName;
    return result;
  }

private:
  std::size_t unitOfDefinition() const {
    const auto known =
        std::ranges::find_if(holder_.definitions, [](const auto *one) { return one != nullptr; });
    return static_cast<std::size_t>(known - holder_.definitions.begin());
  }

  bool isKnownName(const std::string &name) const {
    return std::ranges::any_of(units_, [&](ParsedUnit *unit) {
      clang::IdentifierTable &table = unit->preprocessor().getIdentifierTable();
      return table.find(name) != table.end();
    });
  }

  bool isSnakeCase() const {
    return std::ranges::none_of(holder_.name, [](unsigned char c) { return std::isupper(c) != 0; });
  }

  /// What makes a name that nothing has.
  std::string freeSuffix() const {
    const std::string wanted = isSnakeCase() ? "_device" : "Device";
    std::string suffix = wanted;
    for (int number = 2; isKnownName(holder_.name + suffix); ++number)
      suffix = wanted + std::to_string(number);
    return suffix;
  }

  std::string conversionName(const std::string &deviceName) const {
    return (isSnakeCase() ? "to_" : "to") + deviceName;
  }

  /// Copies from an object of one kind to one of the other convert; all others join.
  void decideCopies(const StructObjects &objects, ObjectSets &sets, TwoTypes &types) const {
    std::set<const ObjectCopy *> joined;
    const auto joinOnce = [&](const ObjectCopy &copy) {
      sets.join(copy.into, copy.from, copy.place);
      return joined.insert(&copy).second;
    };
    for (bool changes = true; changes;) {
      changes = false;
      for (const ObjectCopy &copy : objects.copies) {
        const bool crosses = sets.isDevice(copy.into) && !sets.isDevice(copy.from);
        const bool isOfDevice = sets.isDevice(copy.into) || sets.isDevice(copy.from);
        if (!joined.contains(&copy) && isOfDevice &&
            (!crosses || leftOutOf(copy, sets, types).empty()))
          changes |= joinOnce(copy);
      }
    }
    for (const ObjectCopy &copy : objects.copies) {
      if (sets.isDevice(copy.into) == sets.isDevice(copy.from)) {
        joinOnce(copy);
        continue;
      }
      types.conversions.push_back(&copy);
      const std::set<std::string> own = leftOutOf(copy, sets, types);
      std::erase_if(types.leftOut, [&](const std::string &field) { return !own.contains(field); });
    }
  }

  /// A method is of the type, or types, of the objects that it is called on; of the first where
  /// nothing calls it.
  static void decideMethods(const HolderMethods &methods, ObjectSets &sets, TwoTypes &types) {
    std::set<std::string> first, second, called;
    for (const auto &[symbol, method] : methods)
      called.insert(method.callees.begin(), method.callees.end());
    for (const auto &[symbol, method] : methods) {
      const auto isDevice = [&](const std::string &object) { return sets.isDevice(object); };
      const bool isOfSecond = method.isOfOneType ? isDevice(thisOf(symbol))
                                                 : std::ranges::any_of(method.objects, isDevice);
      const bool isOfFirst = method.isOfOneType || method.objects.empty()
                                 ? !isOfSecond && !called.contains(symbol)
                                 : !std::ranges::all_of(method.objects, isDevice);
      // Objects that are members or elements are constructed by no call in the text.
      const bool isOfBoth = method.isCopied || (method.isConstructor && !method.isOfOneType);
      if (isOfBoth || isOfSecond)
        second.insert(symbol);
      if (isOfBoth || isOfFirst)
        first.insert(symbol);
    }
    addCallees(methods, first);
    addCallees(methods, second);
    for (const auto &[symbol, method] : methods)
      if (!second.contains(symbol))
        types.onlyOfFirst.insert(symbol);
      else if (!first.contains(symbol))
        types.onlyOfSecond.insert(symbol);
  }

  static void addCallees(const HolderMethods &methods, std::set<std::string> &of) {
    std::vector<std::string> added(of.begin(), of.end());
    while (!added.empty()) {
      const std::string symbol = std::move(added.back());
      added.pop_back();
      for (const std::string &callee : methods.at(symbol).callees)
        if (methods.contains(callee) && of.insert(callee).second)
          added.push_back(callee);
    }
  }

  /// The members that the copy need not have.
  std::set<std::string> leftOutOf(const ObjectCopy &copy, ObjectSets &sets,
                                  const TwoTypes &types) const {
    if (copy.call)
      return holder_.fields;
    std::set<std::string> fields;
    const clang::CXXRecordDecl *record = copy.variable->getType()->getAsCXXRecordDecl();
    for (const clang::FieldDecl *field : record->getDefinition()->fields()) {
      if (!holder_.fields.contains(field->getNameAsString()))
        continue;
      const FirstUse use = firstUse(*copy.variable, *field, *copy.block, copy.index);
      if (use == FirstUse::Never || use == FirstUse::Overwritten ||
          (use == FirstUse::OverwrittenOrNot && !sets.isGiven(copy.from) &&
           !isTestedOf(*field, types)))
        fields.insert(field->getNameAsString());
    }
    return fields;
  }

  /// Of an object of the second type, or in device code.
  bool isTestedOf(const clang::FieldDecl &field, const TwoTypes &types) const {
    return isTested(units_, flows_, field, [&](ParsedUnit &unit, const clang::Expr &object) {
      const auto *record = holder_.definitions[static_cast<std::size_t>(
          std::ranges::find(units_, &unit) - units_.begin())];
      if (!record)
        return false;
      std::vector<std::string> names;
      ObjectNames(unit, record).refer(&object, names);
      return names.empty() || std::ranges::any_of(names, types.isDevice);
    });
  }

  const std::vector<ParsedUnit *> &units_;
  const std::vector<ArrayFlow> &flows_;
  const HolderStruct &holder_;
};

/// Text that this build leaves out, and a unit in C, keep the struct's name.
std::string obstacleAround(const HolderStruct &holder, const std::vector<ParsedUnit *> &units) {
  for (ParsedUnit *unit : units) {
    const clang::LangOptions &language = unit->ast().getLangOpts();
    if (!language.CPlusPlus)
      return "a unit of the program is C";
    for (const clang::SourceRange &range : unit->skippedRanges())
      if (clang::Lexer::getSourceText(clang::CharSourceRange::getCharRange(range), unit->sources(),
                                      language)
              .contains(holder.name))
        return "text that this build leaves out names it";
  }
  return {};
}

} // namespace

SplitProgram splitStructs(const std::vector<ParsedUnit *> &units,
                          const std::vector<ArrayFlow> &flows, const std::set<std::string> *only) {
  SplitProgram split;
  SplitText text(units);
  for (const HolderStruct &shared : holdersIn(units, flows)) {
    if (only && !only->contains(shared.name))
      continue;
    if (std::string obstacle = obstacleAround(shared, units); !obstacle.empty())
      split.holders.push_back(
          {shared.name, {}, shared.place, shared.fields, std::move(obstacle), shared.place});
    else if (auto holder = Splitter(units, flows, shared).split(text))
      split.holders.push_back(std::move(*holder));
  }
  if (auto texts = text.texts())
    split.texts = std::move(*texts);
  return split;
}

std::set<std::string>
usefulHolders(const std::vector<SharedHolder> &holders, const std::vector<ArrayFlow> &flows,
              bool (*isOf)(const SharedHolder &holder, const clang::ValueDecl &declaration)) {
  std::set<std::string> useful;
  for (const ArrayFlow &flow : flows)
    for (const ArrayGroup &group : flow.groups()) {
      if (group.origins.areMixed() || !group.mayBeDeviceArrays())
        continue;
      for (const clang::ValueDecl *declaration : group.declarations)
        for (const SharedHolder &holder : holders)
          if (!holder.deviceName.empty() && isOf(holder, *declaration))
            useful.insert(holder.name);
    }
  return useful;
}

std::set<std::string> usefulSplits(const std::vector<SharedHolder> &holders,
                                   const std::vector<ArrayFlow> &flows) {
  return usefulHolders(holders, flows, [](const SharedHolder &holder, const auto &declaration) {
    const auto *field = dyn_cast<clang::FieldDecl>(&declaration);
    const auto *record = field ? dyn_cast<clang::CXXRecordDecl>(field->getParent()) : nullptr;
    return record && nameOf(*record) == holder.deviceName;
  });
}

std::set<std::string> outermostSplits(const std::vector<SharedHolder> &holders,
                                      const std::vector<ArrayFlow> &flows) {
  std::set<std::string> outer;
  for (const SharedHolder &holder : holders)
    if (!holder.deviceName.empty())
      outer.insert(holder.name);
  const std::set<std::string> all = outer;
  for (const ArrayFlow &flow : flows)
    for (const ArrayGroup &group : flow.groups())
      for (const clang::ValueDecl *declaration : group.declarations) {
        const auto *field = dyn_cast<clang::FieldDecl>(declaration);
        const auto *record = field ? dyn_cast<clang::CXXRecordDecl>(field->getParent()) : nullptr;
        const clang::CXXRecordDecl *inner =
            record ? field->getType()->getPointeeCXXRecordDecl() : nullptr;
        if (inner && nameOf(*inner) != nameOf(*record) && all.contains(nameOf(*record)))
          outer.erase(nameOf(*inner));
      }
  return outer == all ? std::set<std::string>() : outer;
}

} // namespace relayout::instrument
