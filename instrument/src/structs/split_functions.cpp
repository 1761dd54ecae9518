// SPDX-License-Identifier: Apache-2.0
// Finds the functions, tells their calls apart, and has the copies written.
#include "structs/split_functions.h"

#include "model/flow_apart.h"
#include "relayout/instrument/clang/symbols.h"
#include "structs/given_memory.h"
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

/// A function that the host may call, with a place for a copy behind it.
bool mayBeCopied(const clang::FunctionDecl &function) {
  const bool isOfDeviceAlone =
      function.hasAttr<clang::CUDAGlobalAttr>() ||
      (function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>());
  return !isa<clang::CXXMethodDecl>(function) && !function.isMain() && !isOfDeviceAlone &&
         isWrittenOnce(function) && function.getDeclContext()->isFileContext() &&
         !function.isExternC() && !function.isOverloadedOperator();
}

class CandidateVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  CandidateVisitor(ParsedUnit &unit, const ArrayFlow &flow, SharedFunctions &functions)
      : unit_(unit), flow_(flow), functions_(functions) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!function->doesThisDeclarationHaveABody() || !isUsers(unit_, *function) ||
        !mayBeCopied(*function))
      return true;
    SharedFunction shared;
    for (const clang::ParmVarDecl *parameter : function->parameters()) {
      const clang::ValueDecl *pointer = parameter;
      const trace::Index group =
          pointer->getType()->isPointerType() ? flow_.groupOf(pointer) : trace::kNone;
      if (group == trace::kNone || !flow_.groups()[group].origins.areOfBothSides())
        continue;
      shared.parameters[parameter->getFunctionScopeIndex()] = parameter->getNameAsString();
    }
    if (shared.parameters.empty())
      return true;
    shared.name = function->getNameAsString();
    shared.place = shared.obstaclePlace = unit_.place(function->getLocation());
    // Of another instance of a template, some parameters are known already.
    SharedFunction &known =
        functions_.try_emplace(writtenSymbol(unit_, function), shared).first->second;
    known.parameters.merge(shared.parameters);
    return true;
  }

private:
  ParsedUnit &unit_;
  const ArrayFlow &flow_;
  SharedFunctions &functions_;
};

/// Writes the copy behind each declaration of a function, and its name at calls.
class CopyVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  CopyVisitor(ParsedUnit &unit, const SharedFunctions &functions, const NamedCalls &calls,
              SplitText &text)
      : unit_(unit), functions_(functions), calls_(calls), text_(text) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const auto found = functions_.find(writtenSymbol(unit_, function));
    if (found == functions_.end() || found->second.suffix.empty() || !isUsers(unit_, *function))
      return true;
    const bool isDefinition = function->doesThisDeclarationHaveABody();
    const clang::FunctionTemplateDecl *written = function->getDescribedFunctionTemplate();
    auto begin = filePlace(unit_, unit_.sources().getExpansionLoc(
                                      written ? written->getBeginLoc() : function->getBeginLoc()));
    const auto name = filePlace(unit_, function->getLocation());
    const auto last = filePlace(unit_, function->getEndLoc());
    if (!begin || !name || !last || begin->path != name->path || last->path != name->path)
      return failed = true;
    const std::optional<unsigned> end =
        isDefinition ? std::optional(last->offset + 1)
                     : behindToken(unit_, function->getEndLoc(), clang::tok::semi);
    if (!end)
      return failed = true;
    for (const unsigned side : sidesOf(*function, *begin))
      begin->offset = std::min(begin->offset, side);
    add(*begin, *name, *end, *function, found->second);
    return true;
  }

  bool failed = false;

private:
  void add(const TypePlace &begin, const TypePlace &name, unsigned end,
           const clang::FunctionDecl &declaration, const SharedFunction &function) {
    struct Change {
      unsigned end = 0;
      std::string text;
    };
    const unsigned behindName = name.offset + static_cast<unsigned>(function.name.size());
    std::map<unsigned, Change> changes{{behindName, {behindName, function.suffix}}};
    for (auto call = calls_.lower_bound(begin);
         call != calls_.end() && call->first.path == begin.path && call->first.offset < end;
         ++call) {
      const SharedFunction &callee = functions_.at(call->second.callee);
      const unsigned behind = call->first.offset + static_cast<unsigned>(callee.name.size());
      if (!callee.suffix.empty() && !call->second.given.cuda)
        changes[behind] = {behind, callee.suffix};
    }
    const std::string &file = text_.textOf(begin.path);
    for (const unsigned side : sidesOf(declaration, begin)) {
      unsigned behind = side;
      while (behind < end &&
             (std::isalnum(static_cast<unsigned char>(file[behind])) || file[behind] == '_'))
        ++behind;
      while (behind < end && std::isspace(static_cast<unsigned char>(file[behind])))
        ++behind;
      changes[side] = {behind, {}};
    }
    std::string copy;
    unsigned done = begin.offset;
    for (const auto &[offset, change] : changes) {
      copy += file.substr(done, offset - done) + change.text;
      done = change.end;
    }
    copy += file.substr(done, end - done) + "\n";
    if (declaration.isInlineSpecified() && !declaration.getDescribedFunctionTemplate() &&
        file.substr(begin.offset, name.offset - begin.offset).find("inline") == std::string::npos)
      copy.insert(0, "inline "); // it was in a macro
    const bool isDefinition = declaration.doesThisDeclarationHaveABody();
    const unsigned line = lineAt(file, begin.offset);
    const char *gap = isDefinition ? "\n" : "";
    if (const auto next = nextLine(file, end))
      text_.insert(begin.path, *next, gap + copy, line);
    else
      text_.insert(begin.path, end, "\n" + (gap + copy), line);
  }

  /// Where words stand that say on which side the function runs: the copy runs on the host.
  std::set<unsigned> sidesOf(const clang::FunctionDecl &declaration, const TypePlace &begin) {
    std::set<unsigned> sides;
    if (!isOfDevice(declaration))
      return sides;
    for (const clang::Attr *attribute : declaration.attrs()) {
      if (attribute->isImplicit() || attribute->isInherited() ||
          !isa<clang::CUDAHostAttr, clang::CUDADeviceAttr>(attribute))
        continue;
      // `__device__` is a macro of CUDA's, and may stand in one of the program's.
      const auto side = filePlace(unit_, unit_.sources().getExpansionLoc(attribute->getLocation()));
      if (!side || side->path != begin.path)
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
};

class FunctionSplitter {
public:
  FunctionSplitter(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
                   const std::set<std::string> *only)
      : units_(units) {
    for (std::size_t u = 0; u < units.size(); ++u)
      CandidateVisitor(*units[u], flows[u], functions_).TraverseAST(units[u]->ast());
    std::erase_if(functions_, [&](const auto &entry) {
      return only && !only->contains(entry.second.name + "()");
    });
  }

  SplitProgram split() {
    SplitProgram result;
    if (functions_.empty())
      return result;
    std::set<std::string> symbols;
    for (const auto &[symbol, function] : functions_)
      symbols.insert(symbol);
    calls_ = callsOf(units_, flowApart(units_, symbols), functions_);
    decide();
    for (const auto &[symbol, function] : functions_)
      if (function.servesBoth())
        result.holders.push_back(
            {function.name + "()",
             function.suffix.empty() ? std::string() : function.name + function.suffix + "()",
             function.place, namesOf(function), function.obstacle, function.obstaclePlace});
    result.texts = texts();
    return result;
  }

private:
  static std::set<std::string> namesOf(const SharedFunction &function) {
    std::set<std::string> names;
    for (const auto &[i, name] : function.parameters)
      names.insert(name);
    return names;
  }

  /// Which functions get a copy, and its name.
  void decide() {
    for (auto &[symbol, function] : functions_) {
      if (!function.servesBoth() || !function.obstacle.empty())
        continue;
      const bool isSnakeCase =
          std::ranges::none_of(function.name, [](unsigned char c) { return std::isupper(c) != 0; });
      const std::string wanted = isSnakeCase ? "_host" : "Host";
      function.suffix = wanted;
      for (int number = 2; isKnownName(function.name + function.suffix); ++number)
        function.suffix = wanted + std::to_string(number);
    }
  }

  bool isKnownName(const std::string &name) const {
    return std::ranges::any_of(units_, [&](ParsedUnit *unit) {
      const clang::IdentifierTable &table = unit->preprocessor().getIdentifierTable();
      return table.find(name) != table.end();
    });
  }

  std::vector<ReplacedText> texts() const {
    if (std::ranges::all_of(functions_,
                            [](const auto &entry) { return entry.second.suffix.empty(); }))
      return {};
    SplitText text(units_);
    for (ParsedUnit *unit : units_) {
      CopyVisitor copies(*unit, functions_, calls_, text);
      copies.TraverseAST(unit->ast());
      if (copies.failed)
        return {};
    }
    for (const auto &[place, call] : calls_) {
      const SharedFunction &callee = functions_.at(call.callee);
      if (!callee.suffix.empty() && call.given.other && !call.given.cuda)
        text.insert(place.path, place.offset + static_cast<unsigned>(callee.name.size()),
                    callee.suffix, 0);
    }
    return text.texts().value_or(std::vector<ReplacedText>());
  }

  const std::vector<ParsedUnit *> &units_;
  SharedFunctions functions_;
  NamedCalls calls_;
};

} // namespace

SplitProgram splitFunctions(const std::vector<ParsedUnit *> &units,
                            const std::vector<ArrayFlow> &flows,
                            const std::set<std::string> *only) {
  return FunctionSplitter(units, flows, only).split();
}

std::set<std::string> usefulCopies(const std::vector<SharedHolder> &functions,
                                   const std::vector<ArrayFlow> &flows) {
  return usefulHolders(functions, flows, [](const SharedHolder &shared, const auto &declaration) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declaration.getDeclContext());
    return function && isa<clang::ParmVarDecl>(declaration) &&
           function->getNameAsString() + "()" == shared.name;
  });
}

} // namespace relayout::instrument
