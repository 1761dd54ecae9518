// SPDX-License-Identifier: Apache-2.0
// Finds the functions, tells their calls apart, and has the copies written.
#include "structs/split_functions.h"

#include "model/flow_apart.h"
#include "model/referents.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/symbols.h"
#include "structs/function_versions.h"
#include "structs/given_memory.h"
#include "structs/name_text.h"
#include "structs/object_names.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <cctype>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A function by itself, or an instance of a template that is never specialized.
bool isWrittenOnce(const clang::FunctionDecl &function) {
  const clang::FunctionTemplateDecl *primary = function.getPrimaryTemplate();
  return primary ? std::ranges::all_of(primary->specializations(),
                                       [](const clang::FunctionDecl *instance) {
                                         return instance->getTemplateSpecializationKind() ==
                                                clang::TSK_ImplicitInstantiation;
                                       })
                 : function.getTemplatedKind() == clang::FunctionDecl::TK_NonTemplate;
}

/// A method that calls name, of a class of the program's that has one name throughout.
bool isPlainMethod(const clang::CXXMethodDecl &method) {
  return !method.isVirtual() && !method.getParent()->isLambda() &&
         !method.getParent()->isLocalClass() &&
         !isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl, clang::CXXConversionDecl>(
             method);
}

/// A function with a place for a copy behind it.
bool mayBeCopied(const clang::FunctionDecl &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  return (method ? isPlainMethod(*method) : function.getDeclContext()->isFileContext()) &&
         !function.isMain() && !function.hasAttr<clang::CUDAGlobalAttr>() &&
         isWrittenOnce(function) && !function.isExternC() && !function.isOverloadedOperator();
}

bool isOfDeviceAlone(const clang::FunctionDecl &function) {
  return isOfDevice(function) && !function.hasAttr<clang::CUDAHostAttr>();
}

/// As messages and plans call it.
std::string shownName(const clang::FunctionDecl &function) {
  return function.getNameAsString() + "()";
}

class CandidateVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  CandidateVisitor(ParsedUnit &unit, const ArrayFlow &flow,
                   const std::set<std::string> &byReferences, SharedFunctions &functions)
      : unit_(unit), flow_(flow), byReferences_(byReferences), functions_(functions) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!function->doesThisDeclarationHaveABody() || !isUsers(unit_, *function) ||
        !mayBeCopied(*function))
      return true;
    SharedFunction shared;
    for (const clang::ParmVarDecl *parameter : function->parameters()) {
      if (isMixedReference(*parameter, *function))
        shared.parameters[parameter->getFunctionScopeIndex()] = parameter->getNameAsString();
      const clang::ValueDecl *pointer = parameter;
      const trace::Index group =
          pointer->getType()->isPointerType() ? flow_.groupOf(pointer) : trace::kNone;
      if (group == trace::kNone || !flow_.groups()[group].origins.mayBeMixed())
        continue;
      const clang::CXXRecordDecl *record = recordTypeOf(pointer->getType()).record;
      if (isScalarRecord(*record)) {
        if (isOfDeviceAlone(*function))
          continue;
        shared.plain.insert(parameter->getFunctionScopeIndex());
      }
      shared.parameters[parameter->getFunctionScopeIndex()] = parameter->getNameAsString();
    }
    if (shared.parameters.empty())
      return true;
    shared.name = function->getNameAsString();
    shared.place = shared.obstaclePlace = unit_.place(function->getLocation());
    shared.isOfDevice = isOfDevice(*function);
    shared.mayBeOverloaded = !function->isTemplateInstantiation();
    // Of another instance of a template, some parameters are known already.
    SharedFunction &known =
        functions_.try_emplace(writtenSymbol(unit_, function), shared).first->second;
    known.parameters.merge(shared.parameters);
    known.plain.merge(shared.plain);
    return true;
  }

private:
  /// `R &`, which is given elements of arrays, and other objects.
  bool isMixedReference(const clang::ParmVarDecl &parameter,
                        const clang::FunctionDecl &function) const {
    return byReferences_.contains(shownName(function)) && flow_.takesValue(parameter) &&
           !alwaysTakesValue(parameter) &&
           !isScalarRecord(*recordTypeOf(parameter.getType()).record);
  }

  ParsedUnit &unit_;
  const ArrayFlow &flow_;
  const std::set<std::string> &byReferences_;
  SharedFunctions &functions_;
};

using Callees = std::map<std::string, std::set<std::string>>; ///< by their callers

class CalleeVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  CalleeVisitor(ParsedUnit &unit, Callees &callees) : unit_(unit), callees_(callees) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (function && !isUsers(unit_, *function))
      return true;
    const std::string around = caller_;
    if (function)
      caller_ = shownName(*function);
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    caller_ = around;
    return goesOn;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (callee && !caller_.empty() && isUsers(unit_, *callee))
      callees_[caller_].insert(shownName(*callee));
    return true;
  }

private:
  ParsedUnit &unit_;
  Callees &callees_;
  std::string caller_;
};

/// Notes declarations that a copy cannot stand behind.
class ObstacleVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  ObstacleVisitor(ParsedUnit &unit, SharedFunctions &functions)
      : unit_(unit), functions_(functions) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const auto found = functions_.find(writtenSymbol(unit_, function));
    if (found == functions_.end() || !isUsers(unit_, *function))
      return true;
    const clang::DeclContext *around = function->getLexicalDeclContext();
    const bool isDefinition = function->doesThisDeclarationHaveABody();
    const char *obstacle = nullptr;
    if (!around->isFileContext() && around != function->getDeclContext())
      obstacle = "a class or function declares it";
    else if (!filePlace(unit_, function->getLocation()) || !filePlace(unit_, function->getEndLoc()))
      obstacle = "a macro declares it";
    else if (!isDefinition && !behindToken(unit_, function->getEndLoc(), clang::tok::semi))
      obstacle = "it is declared together with others";
    if (obstacle) {
      found->second.obstacle = obstacle;
      found->second.obstaclePlace = unit_.place(function->getLocation());
    }
    return true;
  }

private:
  ParsedUnit &unit_;
  SharedFunctions &functions_;
};

/// The blanks that the line begins with, if nothing else stands before the place.
std::string indentationAt(const std::string &text, unsigned offset) {
  const std::size_t end =
      offset == 0 ? std::string::npos : text.find_last_not_of(" \t", offset - 1);
  const std::size_t begin = end == std::string::npos ? 0 : end + 1;
  return begin == 0 || text[begin - 1] == '\n' ? text.substr(begin, offset - begin) : "";
}

/// Writes the copies behind each declaration of a function, and their names at calls.
class CopyVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  /// Where functions stand whose copies are written: several units may read them.
  using Places = std::set<std::pair<std::string, unsigned>>;

  CopyVisitor(ParsedUnit &unit, const SharedFunctions &functions, const NamedCalls &calls,
              SplitText &text, Places &written)
      : unit_(unit), functions_(functions), calls_(calls), text_(text), written_(written) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const auto found = functions_.find(writtenSymbol(unit_, function));
    if (found == functions_.end() || found->second.versions.size() < 2 ||
        !isUsers(unit_, *function))
      return true;
    const bool isDefinition = function->doesThisDeclarationHaveABody();
    const auto range = rangeOf(unit_, *function);
    const auto name = filePlace(unit_, function->getLocation());
    if (!range || !name)
      return failed = true;
    if (!written_.emplace(range->path, name->offset).second)
      return true;
    const std::set<unsigned> sides = sidesOf(*function, range->path);
    const std::string &file = text_.textOf(range->path);
    const std::string indentation = indentationAt(file, range->begin);
    std::string copies;
    for (const FunctionVersion &version : found->second.versions)
      if (!version.suffix.empty())
        copies += (isDefinition ? "\n" : "") + indentation +
                  copyOf(*function, found->second, version, {*range, name->offset, sides}) + "\n";
    const unsigned line = lineAt(file, range->begin);
    if (const auto next = nextLine(file, range->end))
      text_.insert(range->path, *next, copies, line);
    else
      text_.insert(range->path, range->end, "\n" + copies, line);
    return true;
  }

  bool failed = false;

private:
  /// Where a declaration stands.
  struct Text {
    TextRange range;
    unsigned name = 0;
    std::set<unsigned> sides; ///< of the words that say on which side the function runs
  };

  std::string copyOf(const clang::FunctionDecl &declaration, const SharedFunction &function,
                     const FunctionVersion &version, const Text &text) const {
    struct Change {
      unsigned end = 0;
      std::string text;
    };
    const auto &[path, begin, end] = text.range;
    const unsigned behindName = text.name + static_cast<unsigned>(function.name.size());
    std::map<unsigned, Change> changes{{behindName, {behindName, version.suffix}}};
    for (auto call = calls_.lower_bound({path, begin});
         call != calls_.end() && call->first.path == path && call->first.offset < end; ++call) {
      const SharedFunction &callee = functions_.at(call->second.callee);
      const unsigned behind = call->first.offset + static_cast<unsigned>(callee.name.size());
      if (const std::string &suffix = suffixMeantBy(call->second, version.other, functions_);
          !suffix.empty())
        changes[behind] = {behind, suffix};
    }
    const std::string &file = text_.textOf(path);
    const bool isOfHost = !version.isOnDevice && !text.sides.empty();
    for (const unsigned side : text.sides) {
      if (!isOfHost)
        break;
      unsigned behind = side;
      while (behind < end && isWordCharacter(file[behind]))
        ++behind;
      while (behind < end && std::isspace(static_cast<unsigned char>(file[behind])))
        ++behind;
      changes[side] = {behind, {}};
    }
    std::string copy;
    unsigned done = begin;
    for (const auto &[offset, change] : changes) {
      copy += file.substr(done, offset - done) + change.text;
      done = change.end;
    }
    copy += file.substr(done, end - done);
    if (isOfHost && declaration.isInlineSpecified() &&
        !declaration.getDescribedFunctionTemplate() &&
        file.substr(begin, text.name - begin).find("inline") == std::string::npos)
      copy.insert(0, "inline "); // it was in a macro
    return copy;
  }

  /// Where words stand that say on which side the function runs.
  std::set<unsigned> sidesOf(const clang::FunctionDecl &declaration, const std::string &path) {
    std::set<unsigned> sides;
    if (!isOfDevice(declaration))
      return sides;
    for (const clang::Attr *attribute : declaration.attrs()) {
      if (attribute->isImplicit() || attribute->isInherited() ||
          !isa<clang::CUDAHostAttr, clang::CUDADeviceAttr>(attribute))
        continue;
      // `__device__` is a macro of CUDA's, and may stand in one of the program's.
      const auto side = filePlace(unit_, unit_.sources().getExpansionLoc(attribute->getLocation()));
      if (!side || side->path != path)
        failed = true;
      else
        sides.insert(side->offset);
    }
    return sides;
  }

  ParsedUnit &unit_;
  const SharedFunctions &functions_;
  const NamedCalls &calls_;
  SplitText &text_;
  Places &written_;
};

class FunctionSplitter {
public:
  FunctionSplitter(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
                   const std::set<std::string> *only, const std::set<std::string> &byReferences)
      : units_(units) {
    for (std::size_t u = 0; u < units.size(); ++u)
      CandidateVisitor(*units[u], flows[u], byReferences, functions_).TraverseAST(units[u]->ast());
    std::erase_if(functions_, [&](const auto &entry) {
      return only && !only->contains(entry.second.name + "()");
    });
    for (ParsedUnit *unit : units)
      ObstacleVisitor(*unit, functions_).TraverseAST(unit->ast());
  }

  /// Where the arguments of these functions do not join.
  std::vector<ArrayFlow> flowsApart() {
    std::vector<ArrayFlow> apart = flowApart(units_, symbols());
    while (leaveAllocators(apart))
      apart = flowApart(units_, symbols());
    return apart;
  }

  SplitProgram split() {
    SplitProgram result;
    if (functions_.empty())
      return result;
    calls_ = callsOf(units_, flowsApart(), functions_);
    decideVersions(functions_, calls_, [&](const std::string &name) { return isKnownName(name); });
    for (const auto &[symbol, function] : functions_)
      if (function.servesBoth())
        result.holders.push_back({function.name + "()",
                                  function.versions.size() < 2
                                      ? std::string()
                                      : function.name + function.versions.back().suffix + "()",
                                  function.place,
                                  namesOf(function),
                                  function.obstacle,
                                  function.obstaclePlace,
                                  {},
                                  false,
                                  overloadsOf(function)});
    result.texts = texts();
    return result;
  }

private:
  std::set<std::string> symbols() const {
    std::set<std::string> all;
    for (const auto &[symbol, function] : functions_)
      all.insert(symbol);
    return all;
  }

  /// `void make(R **array) { cudaMalloc(array, n); }` gives its callers memory of one kind.
  /// \returns  whether there was one, which stays one function
  bool leaveAllocators(const std::vector<ArrayFlow> &apart) {
    std::set<std::string> allocators;
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const ArrayGroup &group : apart[u].groups())
        for (const clang::ValueDecl *declaration : group.declarations) {
          const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration);
          const auto *function =
              parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
          if (function && parameter->getType()->isPointerType() &&
              parameter->getType()->getPointeeType()->isPointerType() && group.origins.areKnown())
            allocators.insert(writtenSymbol(*units_[u], function));
        }
    return std::erase_if(functions_,
                         [&](const auto &entry) { return allocators.contains(entry.first); }) != 0;
  }

  static std::set<std::string> namesOf(const SharedFunction &function) {
    std::set<std::string> names;
    for (const auto &[i, name] : function.parameters)
      names.insert(name);
    return names;
  }

  /// The names of copies that device code calls; those for the host have names of their own.
  static std::set<std::string> overloadsOf(const SharedFunction &function) {
    std::set<std::string> names;
    for (const FunctionVersion &version : function.versions)
      if (function.mayBeOverloaded && version.isOnDevice && !version.suffix.empty())
        names.insert(function.name + version.suffix);
    return names;
  }

  bool isKnownName(const std::string &name) const {
    return std::ranges::any_of(units_, [&](ParsedUnit *unit) {
      const clang::IdentifierTable &table = unit->preprocessor().getIdentifierTable();
      return table.find(name) != table.end();
    });
  }

  std::vector<ReplacedText> texts() const {
    if (std::ranges::all_of(functions_,
                            [](const auto &entry) { return entry.second.versions.size() < 2; }))
      return {};
    SplitText text(units_);
    // In host C++, the words for sides may mean nothing.
    std::vector<ParsedUnit *> ordered = units_;
    std::ranges::stable_partition(ordered,
                                  [](ParsedUnit *unit) { return unit->ast().getLangOpts().CUDA; });
    CopyVisitor::Places written;
    for (ParsedUnit *unit : ordered) {
      CopyVisitor copies(*unit, functions_, calls_, text, written);
      copies.TraverseAST(unit->ast());
      if (copies.failed)
        return {};
    }
    for (const auto &[place, call] : calls_) {
      const SharedFunction &callee = functions_.at(call.callee);
      if (const std::string &suffix = suffixAt(call, functions_); !suffix.empty())
        text.insert(place.path, place.offset + static_cast<unsigned>(callee.name.size()), suffix,
                    0);
    }
    return text.texts().value_or(std::vector<ReplacedText>());
  }

  const std::vector<ParsedUnit *> &units_;
  SharedFunctions functions_;
  NamedCalls calls_;
};

} // namespace

SplitProgram splitFunctions(const std::vector<ParsedUnit *> &units,
                            const std::vector<ArrayFlow> &flows, const std::set<std::string> *only,
                            const std::set<std::string> &byReferences) {
  return FunctionSplitter(units, flows, only, byReferences).split();
}

std::vector<ArrayFlow> flowsBesideFunctions(const std::vector<ParsedUnit *> &units,
                                            const std::vector<ArrayFlow> &flows,
                                            const std::set<std::string> *only,
                                            const std::set<std::string> &byReferences) {
  return FunctionSplitter(units, flows, only, byReferences).flowsApart();
}

void addCallees(const std::vector<ParsedUnit *> &units, std::set<std::string> &functions) {
  Callees callees;
  for (ParsedUnit *unit : units)
    CalleeVisitor(*unit, callees).TraverseAST(unit->ast());
  std::vector<std::string> added(functions.begin(), functions.end());
  while (!added.empty()) {
    const std::string caller = std::move(added.back());
    added.pop_back();
    for (const std::string &callee : callees[caller])
      if (functions.insert(callee).second)
        added.push_back(callee);
  }
}

std::set<std::string> usefulCopies(const std::vector<SharedHolder> &functions,
                                   const std::vector<ArrayFlow> &flows) {
  return usefulHolders(functions, flows, [](const SharedHolder &shared, const auto &declaration) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declaration.getDeclContext());
    return function && isa<clang::ParmVarDecl>(declaration) && shownName(*function) == shared.name;
  });
}

} // namespace relayout::instrument
