// SPDX-License-Identifier: Apache-2.0
// Writes a struct's definition for the second type, and takes from each what only the other has.
#include "relayout/instrument/clang/symbols.h"
#include "structs/name_text.h"
#include "structs/split_text.h"

#include <clang/AST/DeclCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::instrument {

using clang::dyn_cast;

/// The text that defines the struct, up to its semicolon.
struct SplitText::Definition {
  std::string path;
  unsigned begin = 0, brace = 0, end = 0; ///< `brace` and `end` are behind their tokens
  unsigned members = 0;                   ///< behind the opening brace
  std::vector<std::string> names;         ///< tag and typedef
  bool isTypedef = false;
};

/// A method's declaration in its class.
struct SplitText::MethodText {
  TextRange range;
  unsigned name = 0; ///< where it stands
  std::optional<unsigned> body;
  bool mayBeApart = false; ///< the body may stand outside of the class
  bool isOfOneType = false, isOnlyOfFirst = false, isOnlyOfSecond = false;

  [[nodiscard]] bool holds(const std::string &path, unsigned offset) const {
    return path == range.path && offset >= range.begin && offset < range.end;
  }
};

struct SplitText::ClassText {
  ParsedUnit *unit = nullptr;
  const clang::CXXRecordDecl *record = nullptr;
  Definition definition;
  std::vector<MethodText> methods;          ///< in their order
  std::map<std::string, std::string> names; ///< what the second type calls the first's
};

/// The second type's definition, and what follows the first's.
struct SplitText::SecondText {
  std::string definition, bodies;
};

std::optional<SplitText::Definition>
SplitText::definitionOf(ParsedUnit &unit, const clang::CXXRecordDecl &record) const {
  Definition definition;
  if (record.getIdentifier())
    definition.names.push_back(record.getNameAsString());
  clang::SourceLocation begin = record.getBeginLoc(), last = record.getBraceRange().getEnd();
  const auto brace = filePlace(unit, last);
  if (!brace)
    return std::nullopt;
  definition.brace = brace->offset + 1;
  const auto open = filePlace(unit, record.getBraceRange().getBegin());
  if (!open)
    return std::nullopt;
  definition.members = open->offset + 1;
  for (const clang::Decl *other : record.getDeclContext()->decls()) {
    const auto *alias = dyn_cast<clang::TypedefDecl>(other);
    const auto tag =
        alias ? innermostType(alias->getTypeSourceInfo()->getTypeLoc()).getAs<clang::TagTypeLoc>()
              : clang::TagTypeLoc();
    if (!tag || !tag.isDefinition() || tag.getType()->getAsCXXRecordDecl() != &record)
      continue;
    if (definition.isTypedef || alias->getUnderlyingType()->isPointerType())
      return std::nullopt; // `typedef struct { … } A, *B;`
    definition.isTypedef = true;
    definition.names.push_back(alias->getNameAsString());
    begin = alias->getBeginLoc();
    last = alias->getLocation();
  }
  const auto first = filePlace(unit, begin);
  if (!first || definition.names.empty() || first->path != brace->path)
    return std::nullopt;
  definition.path = first->path;
  definition.begin = first->offset;
  definition.end = behindToken(unit, last, clang::tok::semi).value_or(definition.brace);
  return definition;
}

std::optional<SplitText::ClassText> SplitText::classText(const TwoTypes &types,
                                                         const HolderMethods &methods) const {
  ClassText text;
  for (std::size_t i = 0; i < units_.size() && !text.record; ++i) {
    text.record = types.holder->definitions[i];
    text.unit = units_[i];
  }
  const std::optional<Definition> definition = definitionOf(*text.unit, *text.record);
  if (!definition)
    return std::nullopt;
  text.definition = *definition;
  for (const std::string &name : definition->names)
    text.names[name] = name + types.suffix;
  for (const clang::CXXMethodDecl *method : text.record->methods()) {
    if (method->isImplicit())
      continue;
    const std::string symbol = symbolOf(*text.unit, method->getCanonicalDecl());
    const auto known = methods.find(symbol);
    const auto range = rangeOf(*text.unit, *method);
    const auto name = filePlace(*text.unit, method->getLocation());
    if (!range || !name)
      return std::nullopt;
    MethodText one{*range,
                   name->offset,
                   {},
                   false,
                   known != methods.end() && known->second.isOfOneType,
                   types.onlyOfFirst.contains(symbol),
                   types.onlyOfSecond.contains(symbol)};
    if (method->doesThisDeclarationHaveABody() && !method->isDefaulted())
      if (const auto body = filePlace(*text.unit, method->getBody()->getBeginLoc()))
        one.body = body->offset;
    one.mayBeApart = one.body && !llvm::isa<clang::CXXConstructorDecl>(method) &&
                     std::ranges::none_of(method->parameters(), &clang::ParmVarDecl::hasDefaultArg);
    if (one.isOnlyOfFirst || one.isOnlyOfSecond)
      one.range = wholeLines(textOf(range->path), *range);
    text.methods.push_back(std::move(one));
  }
  std::ranges::sort(text.methods, {}, [](const MethodText &method) { return method.range.begin; });
  return text;
}

std::string SplitText::withEdits(const std::string &file, unsigned begin, unsigned end,
                                 const std::set<Edit> &edits) {
  std::string text;
  unsigned done = begin;
  for (const Edit &edit : edits)
    if (edit.begin >= begin && edit.end <= end) {
      text += file.substr(done, edit.begin - done) + edit.text;
      done = edit.end;
    }
  return text + file.substr(done, end - done);
}

/// \param isApart  bodies that name the first type follow its definition
SplitText::SecondText SplitText::secondText(const TwoTypes &types, const ClassText &first,
                                            unsigned end, const std::set<Edit> &edits,
                                            bool isApart) const {
  const std::string &file = textOf(first.definition.path);
  SecondText text;
  unsigned done = first.definition.begin;
  const auto copyUpTo = [&](unsigned to) {
    text.definition += renamed(file.substr(done, to - done), first.names);
    done = to;
  };
  for (const MethodText &method : first.methods) {
    copyUpTo(method.range.begin);
    const auto &[path, begin, behind] = method.range;
    if (!method.isOnlyOfFirst && !method.isOfOneType) {
      copyUpTo(behind);
    } else if (!method.isOnlyOfFirst && isApart && method.mayBeApart) {
      std::string declaration = withEdits(file, begin, *method.body, edits);
      declaration.erase(declaration.find_last_not_of(" \t\r\n") + 1);
      text.definition += declaration + ";" + (file[behind - 1] == '\n' ? "\n" : "");
      std::set<Edit> named = edits;
      named.insert({method.name, method.name, types.deviceName + "::", 0});
      std::string body = withEdits(file, begin, behind, named);
      const std::size_t indentation = body.find_first_not_of(" \t");
      body = outdented(body.substr(indentation), body.substr(0, indentation));
      text.bodies += (containsWord(declaration, "inline") ? "\n" : "\ninline ") + body +
                     (body.ends_with('\n') ? "" : "\n");
    } else if (!method.isOnlyOfFirst) {
      text.definition += withEdits(file, begin, behind, edits);
    }
    done = behind;
  }
  copyUpTo(end);
  return text;
}

namespace {

bool hasHiddenFields(const clang::CXXRecordDecl &record) {
  return std::ranges::any_of(record.fields(), [](const clang::FieldDecl *field) {
    return field->getAccess() != clang::AS_public;
  });
}

} // namespace

/// Whether a method that the second type has names the first, in its declaration or its body.
bool SplitText::namesFirst(const TwoTypes &types, const ClassText &first,
                           const StructObjects &objects, bool inBodies) {
  return std::ranges::any_of(objects.mentions, [&](const auto &entry) {
    const auto &[place, mention] = entry;
    return std::ranges::any_of(first.methods,
                               [&](const MethodText &method) {
                                 return method.isOfOneType && !method.isOnlyOfFirst &&
                                        (!inBodies || method.body) &&
                                        method.holds(place.path, place.offset);
                               }) &&
           !std::ranges::all_of(mention.objects, types.isDevice);
  });
}

std::string SplitText::addDefinition(const TwoTypes &types, const StructObjects &objects,
                                     Edits &edits) const {
  constexpr const char *kFixed = "its definition cannot be repeated";
  const std::optional<ClassText> first = classText(types, objects.methods);
  if (!first)
    return kFixed;
  const auto &[path, begin, brace, end, members, typeNames, isTypedef] = first->definition;
  std::string problem = addOutside(types, objects.methods, first->names, edits);
  if (problem.empty())
    problem = addFunctions(types, objects.functions, first->names, edits);
  if (!problem.empty())
    return problem;
  std::string conversion;
  if (!types.conversions.empty()) {
    conversion = conversionText(types, *first->record);
    if (conversion.empty())
      return "its members cannot be copied one by one";
  }
  std::set<Edit> &own = edits[path];
  const std::set<Edit> whole = own;
  for (const MethodText &method : first->methods)
    if (method.isOnlyOfSecond) {
      std::erase_if(own, [&](const Edit &edit) { return isInside(edit, method.range); });
      own.insert({method.range.begin, method.range.end, {}, 0});
    }
  const bool namesSecond = std::ranges::any_of(own, [&](const Edit &edit) {
    return isInside(edit, {path, begin, brace}) && !edit.text.empty();
  });
  const bool isMet = namesFirst(types, *first, objects, false);
  const std::string &file = textOf(path);
  const unsigned line = lineAt(file, begin);
  const char *const kind = first->record->getKindName().data();
  const auto befriend = [&](const std::string &name) {
    return hasHiddenFields(*first->record) ? fmt::format("\n  friend {} {};", kind, name)
                                           : std::string();
  };
  if (isMet)
    own.insert({members, members, befriend(types.deviceName), 0});

  if (const TypeMention *declaring = declaringMention(objects)) {
    unsigned behind = 0;
    const TypedDeclarator &declared = declaring->declarators.front();
    const auto start = filePlace(*declared.unit, declared.declaration->getBeginLoc());
    const auto declarations = declarationsOf(types, declaring->declarators, brace, {}, behind);
    if (namesSecond || !start || start->offset != begin || !declarations)
      return kFixed; // `static struct S { … } s;`
    const SecondText second = secondText(types, *first, brace, whole, false);
    own.insert(
        {brace, behind, ";\n" + second.definition + ";\n" + conversion + *declarations, line});
    return {};
  }
  if (end == brace || (namesSecond && isTypedef))
    return kFixed;

  // Behind the first; or in front of it, where the first's methods name it.
  const bool isApart = namesSecond && namesFirst(types, *first, objects, true);
  SecondText second = secondText(types, *first, end, whole, isApart);
  std::string behind = second.definition + "\n";
  if (namesSecond) {
    std::string front = isMet ? fmt::format("{} {};\n", kind, types.holder->name) : std::string();
    const std::string friends = befriend(types.holder->name);
    front += second.definition.insert(second.definition.find('{') + 1, friends) + "\n";
    if (!conversion.empty())
      front += fmt::format("{}inline {} {}(const {} &from);\n",
                           isMet ? "\n" : fmt::format("\n{} {};\n", kind, types.holder->name),
                           types.deviceName, types.conversion, types.holder->name);
    const unsigned above = beginOfLines(file, begin);
    own.insert({above, above, front + "\n", line});
    behind.clear();
  }
  behind += conversion + second.bodies;
  if (behind.empty())
    return {};
  if (const auto next = nextLine(file, end))
    own.insert({*next, *next, behind, line});
  else
    own.insert({end, end, "\n" + behind, line});
  return {};
}

/// `struct S { … } a, b;`
const TypeMention *SplitText::declaringMention(const StructObjects &objects) {
  for (const auto &[place, mention] : objects.mentions)
    if (mention.isDefinition && !mention.declarators.empty())
      return &mention;
  return nullptr;
}

/// Functions that work on any object: those that are given objects of the second type are for it,
/// or get an overload for it.
std::string SplitText::addFunctions(const TwoTypes &types, const HolderFunctions &functions,
                                    const std::map<std::string, std::string> &names,
                                    Edits &edits) const {
  std::set<std::pair<std::string, unsigned>> done;
  for (const auto &[symbol, function] : functions) {
    if (!std::ranges::any_of(function.objects, types.isDevice))
      continue;
    const bool isOnlyOfSecond = std::ranges::all_of(function.objects, types.isDevice);
    for (const auto &[unit, declaration] : function.declarations) {
      const auto range = rangeOf(*unit, *declaration);
      if (!range)
        return fmt::format("a macro declares '{}'", declaration->getNameAsString());
      if (!done.emplace(range->path, range->begin).second)
        continue;
      const std::string &file = textOf(range->path);
      const std::string copy = renamed(file.substr(range->begin, range->end - range->begin), names);
      std::set<Edit> &own = edits[range->path];
      const char *const blank = declaration->doesThisDeclarationHaveABody() ? "\n" : "";
      if (isOnlyOfSecond) {
        own.insert({range->begin, range->end, copy, 0});
      } else {
        const auto next = nextLine(file, range->end);
        const unsigned place = next.value_or(range->end);
        own.insert({place, place, (next ? blank : "\n") + copy + "\n", lineAt(file, range->begin)});
      }
    }
  }
  return {};
}

/// Methods that are defined outside of the struct.
std::string SplitText::addOutside(const TwoTypes &types, const HolderMethods &methods,
                                  const std::map<std::string, std::string> &names,
                                  Edits &edits) const {
  std::set<std::pair<std::string, unsigned>> done;
  for (const auto &[symbol, method] : methods)
    for (const auto &[unit, definition] : method.outside) {
      const auto range = rangeOf(*unit, *definition);
      const auto name = filePlace(*unit, definition->getLocation());
      if (!range || !name)
        return fmt::format("a macro defines '{}'", definition->getNameAsString());
      if (types.onlyOfFirst.contains(symbol) || !done.emplace(range->path, range->begin).second)
        continue;
      const std::string &file = textOf(range->path);
      std::set<Edit> &own = edits[range->path];
      const std::string copy = renamed(file.substr(range->begin, range->end - range->begin), names);
      if (method.isOfOneType && method.isConstructor) { // the class before its name is a mention
        const auto end = static_cast<unsigned>(name->offset + types.holder->name.size());
        own.insert({end, end, types.suffix, 0});
      } else if (method.isOfOneType) {
        continue;
      } else if (types.onlyOfSecond.contains(symbol)) {
        own.insert({range->begin, range->end, copy, 0});
      } else {
        const auto next = nextLine(file, range->end);
        const unsigned place = next.value_or(range->end);
        own.insert({place, place, "\n" + copy + "\n", lineAt(file, range->begin)});
      }
    }
  return {};
}

} // namespace relayout::instrument
