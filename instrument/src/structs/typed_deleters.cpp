// SPDX-License-Identifier: Apache-2.0
// Writes the type into a deleter's function: the record's, where it frees arrays of one record and
// is defined behind it, or else the parameter of a template that the class becomes.
#include "structs/typed_deleters.h"

#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/pointer_owners.h"
#include "relayout/instrument/clang/symbols.h"
#include "structs/name_text.h"
#include "structs/named_deleters.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace relayout::instrument {
namespace {

using clang::isa;
using Owner = clang::ClassTemplateSpecializationDecl;

/// What `void operator()(void *p)` of a class frees.
struct UntypedDeleter {
  std::vector<std::pair<ParsedUnit *, const clang::CXXRecordDecl *>> classes; ///< a unit each
  std::set<std::string> owned;                                                ///< types of elements
  const clang::CXXRecordDecl *record = nullptr; ///< one of them, if they are records
  ParsedUnit *unit = nullptr;                   ///< of that record
};

/// The only function of the class, with one parameter; null: it is none of the program's classes.
const clang::CXXMethodDecl *callOf(ParsedUnit &unit, const Owner &owner) {
  const clang::CXXRecordDecl *deleter = deleterOf(owner)->getAsCXXRecordDecl();
  if (!deleter || !(deleter = deleter->getDefinition()) || deleter->isLambda() ||
      !filePlace(unit, deleter->getLocation()))
    return nullptr;
  const clang::CXXMethodDecl *call = onlyCallOf(*deleter);
  return call && call->getNumParams() == 1 ? call : nullptr;
}

/// The word `void` of its parameter.
clang::BuiltinTypeLoc wordOf(const clang::CXXMethodDecl &call) {
  const clang::TypeSourceInfo *written = call.getParamDecl(0)->getTypeSourceInfo();
  const auto pointer =
      written ? written->getTypeLoc().getUnqualifiedLoc().getAs<clang::PointerTypeLoc>()
              : clang::PointerTypeLoc();
  return pointer ? pointer.getPointeeLoc().getAs<clang::BuiltinTypeLoc>() : clang::BuiltinTypeLoc();
}

/// `X` of `std::unique_ptr<X[], D>`, from behind the `<` to the deleter.
std::string elementOf(std::string arguments) {
  const auto trim = [&] {
    while (!arguments.empty() && std::isspace(static_cast<unsigned char>(arguments.back())) != 0)
      arguments.pop_back();
  };
  arguments.erase(std::min(arguments.rfind(','), arguments.size()));
  trim();
  if (arguments.ends_with("]")) {
    arguments.erase(std::min(arguments.rfind('['), arguments.size()));
    trim();
  }
  arguments.erase(0, std::min(arguments.find_first_not_of(" \t\r\n"), arguments.size()));
  return arguments;
}

class TypedDeleters {
public:
  TypedDeleters(const UnitsWithOwners &units, SplitText &text) : units_(units), text_(text) {}

  std::map<std::string, TypedDeleter> find() {
    for (const auto &[unit, uses] : units_)
      for (const Owner *owner : ownersIn(unit->ast()))
        addClass(*unit, *owner);
    for (const auto &[key, untyped] : untyped_)
      giveType(untyped, deleters_.at(key));
    addNamedDeleters(units_, text_, deleters_);
    for (const auto &[unit, uses] : units_)
      for (const clang::CXXOperatorCallExpr *element : uses.elements)
        namePointer(*unit, *element);
    return std::move(deleters_);
  }

private:
  void addClass(ParsedUnit &unit, const Owner &owner) {
    const clang::CXXMethodDecl *call = callOf(unit, owner);
    if (!call)
      return;
    const std::string key = deleterKey(unit, owner);
    TypedDeleter &deleter = deleters_[key];
    deleter.name = ArrayFlow::nameOf(call->getParamDecl(0));
    deleter.className = call->getParent()->getNameAsString();
    deleter.place = unit.place(call->getParent()->getLocation());
    if (!call->getParamDecl(0)->getType()->isVoidPointerType())
      return;
    UntypedDeleter &untyped = untyped_[key];
    const clang::CXXRecordDecl &deleterClass = *call->getParent();
    if (std::ranges::find(untyped.classes, std::pair(&unit, &deleterClass)) ==
        untyped.classes.end())
      untyped.classes.emplace_back(&unit, &deleterClass);
    const clang::QualType element = ownedElement(owner);
    const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl();
    untyped.owned.insert(record
                             ? symbolOf(unit, record) + (element.isConstQualified() ? " const" : "")
                             : element.getAsString());
    if (record && record->getDefinition()) {
      untyped.record = record->getDefinition();
      untyped.unit = &unit;
    }
  }

  void giveType(const UntypedDeleter &untyped, TypedDeleter &deleter) {
    for (const auto &[unit, deleterClass] : untyped.classes) {
      const clang::CXXMethodDecl &call = *onlyCallOf(*deleterClass);
      deleter.isKept |= deleterClass->getNumBases() != 0 || isa<Owner>(deleterClass) ||
                        pointerTypeOf(*deleterClass) || !call.doesThisDeclarationHaveABody() ||
                        !wordOf(call) || !filePlace(*unit, wordOf(call).getBeginLoc());
    }
    if (deleter.isKept)
      return;
    if (const std::string record = recordOf(untyped); !record.empty())
      return replaceWord(untyped, record, deleter);
    for (const auto &[unit, deleterClass] : untyped.classes)
      deleter.isKept |= !makeTemplate(*unit, *deleterClass, deleter);
  }

  static void replaceWord(const UntypedDeleter &untyped, const std::string &type,
                          TypedDeleter &deleter) {
    for (const auto &[unit, deleterClass] : untyped.classes) {
      const clang::SourceLocation word = wordOf(*onlyCallOf(*deleterClass)).getBeginLoc();
      deleter.edits.insert({*filePlace(*unit, word), behind(*unit, word)->offset, type});
    }
  }

  /// The only record whose arrays the class frees, as it is written there; empty: there are others,
  /// or it is not known there.
  [[nodiscard]] std::string recordOf(const UntypedDeleter &untyped) const {
    if (!untyped.record || untyped.owned.size() != 1 ||
        *untyped.owned.begin() != symbolOf(*untyped.unit, untyped.record))
      return {};
    for (const auto &[unit, deleterClass] : untyped.classes) {
      if (unit == untyped.unit &&
          !unit->sources().isBeforeInTranslationUnit(untyped.record->getBraceRange().getEnd(),
                                                     deleterClass->getBeginLoc()))
        return {};
      for (const auto &[other, uses] : units_)
        for (const OwnerMention &mention : uses.mentions)
          if (other == unit && !mention.instance && names(mention, *deleterClass))
            return {};
    }
    return nameIn(*untyped.classes.front().second, *untyped.record);
  }

  static bool names(const OwnerMention &mention, const clang::CXXRecordDecl &deleterClass) {
    const clang::CXXRecordDecl *named = mention.deleter.getType()->getAsCXXRecordDecl();
    return named && named->getCanonicalDecl() == deleterClass.getCanonicalDecl();
  }

  /// `template <class T> struct Free { void operator()(T *p) const; };`
  bool makeTemplate(ParsedUnit &unit, const clang::CXXRecordDecl &deleterClass,
                    TypedDeleter &deleter) {
    const auto begin = filePlace(unit, deleterClass.getBeginLoc());
    const auto end = behind(unit, deleterClass.getBraceRange().getEnd());
    if (!begin || !end || begin->path != end->path ||
        !deleterClass.getDeclContext()->isFileContext() || !deleterClass.isFirstDecl() ||
        deleterClass.getMostRecentDecl() != &deleterClass || deleterClass.isUnion())
      return false;
    const std::string &file = text_.textOf(begin->path);
    const std::string own = file.substr(begin->offset, end->offset - begin->offset);
    const char *parameter = containsWord(own, "T") ? "Owned" : "T";
    const clang::SourceLocation word = wordOf(*onlyCallOf(deleterClass)).getBeginLoc();
    if (containsWord(own, parameter))
      return false;
    deleter.edits.insert({*begin, begin->offset, fmt::format("template <class {}> ", parameter)});
    deleter.edits.insert({*filePlace(unit, word), behind(unit, word)->offset, parameter});
    return nameArguments(unit, deleterClass, deleter);
  }

  /// `std::unique_ptr<X[], Free>` becomes `std::unique_ptr<X[], Free<X>>`.
  bool nameArguments(ParsedUnit &unit, const clang::CXXRecordDecl &deleterClass,
                     TypedDeleter &deleter) {
    const OwnerUses &uses =
        std::ranges::find(units_, &unit, [](const auto &entry) { return entry.first; })->second;
    std::set<TypePlace> mentioned;
    for (const OwnerMention &mention : uses.mentions) {
      if (!names(mention, deleterClass))
        continue;
      const auto left = behind(unit, mention.begin);
      const auto type = filePlace(unit, mention.deleter.getBeginLoc());
      const auto name = filePlace(unit, mention.deleter.getEndLoc());
      const auto right = behind(unit, mention.deleter.getEndLoc());
      if (!left || !type || !name || left->path != name->path || type->path != name->path)
        return false;
      const std::string element =
          elementOf(text_.textOf(left->path).substr(left->offset, type->offset - left->offset));
      if (element.empty())
        return false;
      mentioned.insert(*name);
      deleter.edits.insert({*right, right->offset, "<" + element + ">"});
    }
    return std::ranges::all_of(uses.names, [&](const auto &named) {
      const auto place = filePlace(unit, named.second);
      return named.first != deleterClass.getCanonicalDecl() ||
             (place && mentioned.contains(*place));
    });
  }

  /// `p[i]` becomes `p.get()[i]`: the view of a rewritten array has no other elements.
  void namePointer(ParsedUnit &unit, const clang::CXXOperatorCallExpr &element) {
    const auto *method = clang::cast<clang::CXXMethodDecl>(element.getDirectCallee());
    const auto entry = deleters_.find(deleterKey(unit, *clang::cast<Owner>(method->getParent())));
    if (entry == deleters_.end())
      return;
    const clang::Expr *object = element.getArg(0)->IgnoreImplicit();
    const auto end = behind(unit, object->getEndLoc());
    const bool isPostfix = isa<clang::DeclRefExpr, clang::MemberExpr, clang::CallExpr,
                               clang::ParenExpr, clang::ArraySubscriptExpr>(object);
    if (!end || !isPostfix)
      entry->second.isKept = true;
    else
      entry->second.edits.insert({*end, end->offset, ".get()"});
  }

  const UnitsWithOwners &units_;
  SplitText &text_;
  std::map<std::string, UntypedDeleter> untyped_; ///< by the key of the class
  std::map<std::string, TypedDeleter> deleters_;
};

} // namespace

SplitProgram typeDeleters(const std::vector<ParsedUnit *> &units,
                          const std::vector<ArrayFlow> & /*flows*/,
                          const std::set<std::string> *only) {
  UnitsWithOwners withOwners;
  for (ParsedUnit *unit : units)
    if (!ownersIn(unit->ast()).empty())
      withOwners.emplace_back(unit, ownerUses(*unit));
  SplitProgram split;
  SplitText text(units);
  for (const auto &[key, deleter] : TypedDeleters(withOwners, text).find()) {
    if (deleter.isKept || deleter.edits.empty() || (only && !only->contains(deleter.name)))
      continue;
    for (const DeleterEdit &edit : deleter.edits)
      if (edit.line != 0)
        text.insert(edit.begin.path, edit.begin.offset, edit.text, edit.line);
      else
        text.replace(edit.begin.path, edit.begin.offset, edit.end, edit.text);
    SharedHolder &holder = split.holders.emplace_back();
    holder.name = deleter.name;
    holder.deviceName = deleter.className;
    holder.place = holder.obstaclePlace = deleter.place;
  }
  if (auto texts = text.texts())
    split.texts = std::move(*texts);
  return split;
}

std::set<std::string> usefulDeleters(const std::vector<SharedHolder> &deleters,
                                     const std::vector<ArrayFlow> &flows) {
  return usefulHolders(deleters, flows, [](const SharedHolder &holder, const auto &declaration) {
    return ArrayFlow::nameOf(&declaration) == holder.name;
  });
}

} // namespace relayout::instrument
