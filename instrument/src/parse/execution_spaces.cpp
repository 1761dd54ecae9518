// SPDX-License-Identifier: Apache-2.0
// Finds and joins declarations of one function in several execution spaces: see the header.
#include "parse/execution_spaces.h"

#include "parse/declaration_visitor.h"
#include "relayout/instrument/clang/front_end.h"

#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace relayout::instrument {
namespace {

/// Where a function may be called.
using Space = std::pair<bool, bool>; // host, device

Space spaceOf(const clang::FunctionDecl &function) {
  const bool isDevice = function.hasAttr<clang::CUDADeviceAttr>();
  return {!isDevice || function.hasAttr<clang::CUDAHostAttr>(), isDevice};
}

/// Groups declarations by what they would be one function by: scope, name and type.
class DeclarationGroups : public DeclarationVisitor {
public:
  explicit DeclarationGroups(ParsedUnit &unit) : unit_(unit) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const clang::SourceManager &sources = unit_.sources();
    const clang::SourceLocation name = sources.getExpansionLoc(function->getLocation());
    if (function->isImplicit() || function->hasAttr<clang::CUDAGlobalAttr>() ||
        function->getTemplateSpecializationInfo() || name.isInvalid() ||
        !unit_.isUserFile(sources.getFileID(name)))
      return true;
    const clang::DeclContext *scope = function->getDeclContext()->getRedeclContext();
    groups_[{scope->getPrimaryContext(), function->getDeclName().getAsOpaquePtr(),
             function->getType().getCanonicalType().getAsOpaquePtr()}]
        .push_back(function);
    if (const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(function))
      for (const clang::CXXMethodDecl *base : method->overridden_methods()) {
        related_[method->getCanonicalDecl()].insert(base->getCanonicalDecl());
        related_[base->getCanonicalDecl()].insert(method->getCanonicalDecl());
      }
    return true;
  }

  [[nodiscard]] DeclaredNames differing() const {
    DeclaredNames names;
    std::set<const clang::FunctionDecl *> added;
    for (const auto &[identity, declarations] : groups_) {
      const auto isOther = [&](const clang::FunctionDecl *declaration) {
        return spaceOf(*declaration) != spaceOf(*declarations.front());
      };
      const auto isDefinition = [](const clang::FunctionDecl *declaration) {
        return declaration->isThisDeclarationADefinition();
      };
      if (std::ranges::any_of(declarations, isOther) &&
          std::ranges::count_if(declarations, isDefinition) <= 1)
        for (const clang::FunctionDecl *declaration : declarations) {
          names.add(declaration->getLocation(), unit_, unit_.sources());
          addRelated(declaration->getCanonicalDecl(), added, names);
        }
    }
    return names;
  }

private:
  /// All that a virtual function overrides, and that overrides it: one in another space would be
  /// another function.
  void addRelated(const clang::FunctionDecl *function, std::set<const clang::FunctionDecl *> &added,
                  DeclaredNames &names) const {
    const auto related = related_.find(function);
    if (!added.insert(function).second || related == related_.end())
      return;
    for (const clang::FunctionDecl *other : related->second) {
      for (const clang::FunctionDecl *declaration : other->redecls())
        names.add(declaration->getLocation(), unit_, unit_.sources());
      addRelated(other, added, names);
    }
  }

  using Identity = std::tuple<const void *, const void *, const void *>;

  ParsedUnit &unit_;
  std::map<Identity, std::vector<const clang::FunctionDecl *>> groups_;
  std::map<const clang::FunctionDecl *, std::set<const clang::FunctionDecl *>> related_;
};

class DeviceFunctions : public clang::DynamicRecursiveASTVisitor {
public:
  DeviceFunctions(const std::vector<clang::SourceLocation> &places, ParsedUnit &unit)
      : places_(places), unit_(unit) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const clang::SourceManager &sources = unit_.sources();
    const auto isInside = [&](clang::SourceLocation place) {
      return sources.isPointWithin(sources.getExpansionLoc(place),
                                   sources.getExpansionLoc(function->getBeginLoc()),
                                   sources.getExpansionLoc(function->getEndLoc()));
    };
    if (spaceOf(*function) == Space(false, true) && function->doesThisDeclarationHaveABody() &&
        unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(function->getLocation()))) &&
        std::ranges::any_of(places_, isInside))
      names.add(function->getLocation(), unit_, sources);
    return true;
  }

  DeclaredNames names;

private:
  const std::vector<clang::SourceLocation> &places_;
  ParsedUnit &unit_;
};

} // namespace

bool DeclaredNames::contains(const clang::Token &token, const ParsedUnit &unit,
                             const clang::SourceManager &sources) const {
  const clang::SourceLocation name = sources.getExpansionLoc(token.getLocation());
  const clang::FileID file = sources.getFileID(name);
  return places_.contains({unit.pathOf(file), sources.getFileOffset(name)});
}

void DeclaredNames::add(clang::SourceLocation name, const ParsedUnit &unit,
                        const clang::SourceManager &sources) {
  const clang::SourceLocation written = sources.getExpansionLoc(name);
  places_.emplace(unit.pathOf(sources.getFileID(written)), sources.getFileOffset(written));
}

DeclaredNames declaredForSeveralSpaces(ParsedUnit &unit) {
  DeclarationGroups groups(unit);
  groups.TraverseDecl(unit.ast().getTranslationUnitDecl());
  return groups.differing();
}

DeclaredNames deviceFunctionsAround(const std::vector<clang::SourceLocation> &places,
                                    ParsedUnit &unit) {
  DeviceFunctions functions(places, unit);
  if (!places.empty())
    functions.TraverseDecl(unit.ast().getTranslationUnitDecl());
  return std::move(functions.names);
}

void SpaceJoiner::onToken(const clang::Token &token, clang::CompilerInstance &compiler) {
  if (names_.empty() || token.isAnnotation() || !compiler.hasSema())
    return;
  clang::SemaCUDA &cuda = compiler.getSema().CUDA();
  // Clang makes the declaration when it has read the token that ends its declarator.
  if (state_ == State::AtItsEnd) {
    cuda.PopForceHostDevice();
    state_ = State::Outside;
  }
  if (state_ == State::InDeclarator) {
    depth_ += token.is(clang::tok::l_paren) ? 1 : 0;
    depth_ -= token.is(clang::tok::r_paren) ? 1 : 0;
    if (depth_ == 0 && token.isOneOf(clang::tok::semi, clang::tok::l_brace))
      state_ = State::AtItsEnd;
  } else if (token.isOneOf(clang::tok::identifier, clang::tok::kw_operator, clang::tok::tilde) &&
             names_.contains(token, unit_, compiler.getSourceManager())) {
    cuda.PushForceHostDevice();
    state_ = State::InDeclarator;
    depth_ = 0;
  }
}

} // namespace relayout::instrument
