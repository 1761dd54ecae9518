// SPDX-License-Identifier: Apache-2.0
// Joins declarations that can hold pointers into the same array of records; flow-insensitive, unit
// by unit (flow_reader.cpp), then across units (flow_linker.cpp). It may join too much, which costs
// a choice; joining too little would be a bug. Here: what the rest of relayout asks of the result.
#include "relayout/instrument/clang/array_flow.h"

#include "model/referents.h"
#include "relayout/trace/site_table.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <llvm/Support/Path.h>

#include <fmt/format.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Another declaration of the function may name it; else its number.
std::string nameOfUnnamed(const clang::ParmVarDecl &parameter) {
  const unsigned index = parameter.getFunctionScopeIndex();
  if (const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext()))
    for (const clang::FunctionDecl *other : function->redecls())
      if (index < other->getNumParams() && !other->getParamDecl(index)->getName().empty())
        return other->getParamDecl(index)->getName().str();
  return "#" + std::to_string(index);
}

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
  const auto *tag = dyn_cast<clang::TagDecl>(scope);
  const clang::TypedefNameDecl *alias = tag ? tag->getTypedefNameForAnonDecl() : nullptr;
  const std::string own = alias ? alias->getNameAsString() : scope->getNameAsString();
  return outer.empty() ? own : outer + "::" + own;
}

} // namespace

bool ArrayGroup::mayBeDeviceArrays() const {
  if (origins.device || origins.managed || origins.symbol || origins.unknown || origins.ownShared)
    return true;
  if (origins.pinned)
    return isInKernels;
  return !origins.local && !origins.shared && !origins.host && holdsPointers;
}

std::string ArrayGroup::whyNotPlain() const {
  const bool isOfThrust =
      !unknownFlows.empty() && std::ranges::all_of(unknownFlows, [](const auto &flow) {
        return flow.first == kStorageOfThrust;
      });
  if (origins.unknown && !isOfThrust)
    return unknownFlows.empty()
               ? "what it points to is not followed"
               : fmt::format("it may hold {} ({}:{})", unknownFlows.front().first,
                             unknownFlows.front().second.file, unknownFlows.front().second.line);
  if (origins.symbol)
    return "a __device__ or __constant__ variable has no layout of its own to choose";
  if (origins.shared)
    return "the same pointers lead to shared memory";
  if (origins.host || origins.local || origins.pinned)
    return "the same pointers lead to memory of the host";
  if (!origins.device && !origins.managed && !origins.unknown)
    return "no allocation of it is seen";
  return {};
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

bool ArrayFlow::takesValue(const clang::ParmVarDecl &parameter) const {
  return alwaysTakesValue(parameter) || values_.count(canonical(&parameter)) != 0;
}

namespace {

/// `void (*step)(Body *)`: where the pointer's type is written stands for a scope.
std::string scopeOfPointer(const clang::ParmVarDecl &parameter) {
  const clang::PresumedLoc place =
      parameter.getASTContext().getSourceManager().getPresumedLoc(parameter.getLocation());
  return place.isInvalid()
             ? std::string()
             : fmt::format("({}:{})", llvm::sys::path::filename(place.getFilename()).str(),
                           place.getLine());
}

} // namespace

std::string ArrayFlow::nameOf(const clang::ValueDecl *declaration) {
  declaration = canonical(declaration);
  const auto *ofPointer = dyn_cast<clang::ParmVarDecl>(declaration);
  const std::string scope = ofPointer && declaration->getDeclContext()->isTranslationUnit()
                                ? scopeOfPointer(*ofPointer)
                                : scopeOf(declaration->getDeclContext());
  std::string name = declaration->getNameAsString();
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration); parameter && name.empty())
    name = nameOfUnnamed(*parameter);
  if (isa<clang::VarDecl>(declaration) && declaration->isImplicit())
    name = "(range)"; // of a `for`
  return scope.empty() ? name : scope + "::" + name;
}

} // namespace relayout::instrument
