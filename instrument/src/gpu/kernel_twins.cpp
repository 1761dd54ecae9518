// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which kernels can have a twin, and how their instances are named.
#include "gpu/kernel_twins.h"

#include "gpu/untraced_copies.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Whether two functions with this in them do what one of them does. Each has variables of its own,
/// which makes a difference only for those that keep their values; and another name.
bool mayBeInTwoKernels(const clang::Stmt *statement) {
  if (!statement)
    return true;
  if (isa<clang::LambdaExpr, clang::StmtExpr, clang::PredefinedExpr>(statement))
    return false;
  if (const auto *made = dyn_cast<clang::DeclStmt>(statement))
    for (const clang::Decl *declaration : made->decls()) {
      const auto *variable = dyn_cast<clang::VarDecl>(declaration);
      if (isa<clang::TagDecl>(declaration) ||
          (variable && variable->isStaticLocal() && !variable->hasAttr<clang::CUDASharedAttr>()))
        return false;
    }
  return std::ranges::all_of(statement->children(), mayBeInTwoKernels);
}

/// Whether a kernel's time may be in a loop, its own or that of a function that it calls. Others
/// are over before it matters how many of their blocks run together.
bool hasLoop(const clang::Stmt *statement, std::set<const clang::FunctionDecl *> &seen) {
  if (!statement)
    return false;
  if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement))
    return true;
  const auto *call = dyn_cast<clang::CallExpr>(statement);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const clang::FunctionDecl *body = nullptr;
  if (callee && callee->hasBody(body) && seen.insert(body).second && hasLoop(body->getBody(), seen))
    return true;
  return std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return hasLoop(child, seen); });
}

/// Whether `&name` means one kernel once its type or its template arguments are known.
bool isAloneOfItsName(const clang::FunctionDecl *pattern) {
  if (!pattern->getDescribedFunctionTemplate())
    return pattern->getTemplateSpecializationKind() == clang::TSK_Undeclared;
  const auto others = pattern->getDeclContext()->getRedeclContext()->lookup(pattern->getDeclName());
  return std::ranges::count_if(others, [](const clang::NamedDecl *declaration) {
           return isa<clang::FunctionTemplateDecl>(declaration);
         }) == 1;
}

/// Where the declaration begins, with its template's parameters, but without what `[[ ]]` says in
/// front. Invalid where it is not this declaration that makes a kernel of it.
clang::SourceLocation beginOf(const clang::FunctionDecl *pattern,
                              const clang::SourceManager &sources) {
  const clang::FunctionTemplateDecl *whole = pattern->getDescribedFunctionTemplate();
  const clang::SourceLocation begin =
      sources.getExpansionLoc(whole ? whole->getBeginLoc() : pattern->getBeginLoc());
  const auto *makesKernel = pattern->getAttr<clang::CUDAGlobalAttr>();
  const bool isMade = makesKernel && !makesKernel->isInherited() &&
                      !sources.isBeforeInTranslationUnit(
                          sources.getExpansionLoc(makesKernel->getLocation()), begin);
  return isMade ? begin : clang::SourceLocation();
}

/// Whether the type has a name at the end of the unit: closures have none, and nvcc takes neither
/// local nor private types here.
bool hasName(clang::QualType type) {
  type = type.getCanonicalType();
  while (type->isPointerType() || type->isReferenceType())
    type = type->getPointeeType();
  if (type->isBuiltinType())
    return true;
  const clang::TagDecl *tag = type->getAsTagDecl();
  if (!tag || !tag->getIdentifier())
    return false;
  const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(tag);
  return !instance ||
         std::ranges::all_of(instance->getTemplateArgs().asArray(),
                             [](const clang::TemplateArgument &argument) {
                               return argument.getKind() == clang::TemplateArgument::Integral ||
                                      (argument.getKind() == clang::TemplateArgument::Type &&
                                       hasName(argument.getAsType()));
                             });
}

/// Names as they are written at the end of the unit.
clang::PrintingPolicy asWritten(const clang::ASTContext &context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  return policy;
}

/// The namespaces around a function, as in `a::b::`.
std::string scopeOf(const clang::FunctionDecl *function) {
  std::string scope;
  llvm::raw_string_ostream text(scope);
  function->printNestedNameSpecifier(text, asWritten(function->getASTContext()));
  return scope;
}

std::string decimal(const llvm::APSInt &value) {
  llvm::SmallString<0> text;
  value.toString(text);
  return text.str().str();
}

/// Adds the arguments as they are written at the end of the unit.
/// \returns  false where one of them cannot be
bool spell(llvm::ArrayRef<clang::TemplateArgument> arguments, const clang::ASTContext &context,
           std::vector<std::string> &list) {
  const clang::PrintingPolicy policy = asWritten(context);
  const auto named = [&](clang::QualType type) {
    return clang::TypeName::getFullyQualifiedName(type.getCanonicalType(), context, policy);
  };
  for (const clang::TemplateArgument &argument : arguments)
    switch (argument.getKind()) {
    case clang::TemplateArgument::Integral:
      if (!hasName(argument.getIntegralType()))
        return false;
      list.push_back(fmt::format("static_cast<{}>({})", named(argument.getIntegralType()),
                                 decimal(argument.getAsIntegral())));
      break;
    case clang::TemplateArgument::Type:
      if (!hasName(argument.getAsType()))
        return false;
      list.push_back(named(argument.getAsType()));
      break;
    case clang::TemplateArgument::Pack:
      if (!spell(argument.getPackAsArray(), context, list))
        return false;
      break;
    default:
      return false;
    }
  return true;
}

} // namespace

std::optional<TwinText> twinText(ReadUnit &unit, const clang::FunctionDecl *pattern,
                                 const std::string &name) {
  const clang::SourceManager &sources = unit.unit->sources();
  const clang::SourceLocation begin = beginOf(pattern, sources);
  const clang::SourceLocation named = pattern->getLocation();
  const auto body = tokensOf(*unit.edits, pattern->getBody());
  std::set<const clang::FunctionDecl *> seen;
  const auto isFriend = [](const clang::Decl *declaration) {
    return declaration->getFriendObjectKind() != clang::Decl::FOK_None;
  };
  const clang::FunctionTemplateDecl *whole = pattern->getDescribedFunctionTemplate();
  if (!hasLoop(pattern->getBody(), seen) || std::ranges::any_of(pattern->redecls(), isFriend) ||
      (whole && std::ranges::any_of(whole->redecls(), isFriend)))
    return std::nullopt;
  if (begin.isInvalid() || !named.isFileID() || !body || !isPieceOfFile(unit, *body) ||
      pattern->getQualifier() || pattern->getStorageClass() == clang::SC_Extern ||
      !isAloneOfItsName(pattern) || !mayBeInTwoKernels(pattern->getBody()))
    return std::nullopt;
  const clang::SourceLocation brace = unit.edits->token(body->first).getLocation();
  const clang::FileID file = sources.getFileID(brace);
  if (sources.getFileID(begin) != file || sources.getFileID(named) != file)
    return std::nullopt;
  const llvm::StringRef text = sources.getBufferData(file);
  const unsigned from = sources.getFileOffset(begin);
  const unsigned at = sources.getFileOffset(named);
  const unsigned to = sources.getFileOffset(brace);
  const llvm::StringRef own = pattern->getName();
  if (from >= at || at + own.size() > to || !text.substr(at).starts_with(own) ||
      !keepsDirectivesWhole(text.slice(from, to)))
    return std::nullopt;
  return TwinText{(pattern->isExternC() ? "extern \"C\" " : "") + text.slice(from, at).str() +
                      name + text.slice(at + own.size(), to).str(),
                  *body, sources.getPresumedLineNumber(begin)};
}

std::string twinRows(const UnitReading &unit) {
  std::set<std::string> rows;
  for (const auto &[definition, index] : unit.host.found.instanceOf) {
    const std::string &twin = unit.host.found.instances[index].source->twin;
    if (twin.empty())
      continue;
    std::string arguments;
    if (const auto *given = definition->getTemplateSpecializationArgs()) {
      std::vector<std::string> list;
      if (!spell(given->asArray(), definition->getASTContext(), list))
        continue;
      arguments = fmt::format("<{}>", fmt::join(list, ", "));
    }
    const std::string scope = scopeOf(definition);
    rows.insert(fmt::format("::relayout::probe::twin(&::{0}{1}{3}, &::{0}{2}{3})", scope,
                            definition->getNameAsString(), twin, arguments));
  }
  return fmt::format("{{{}}}", fmt::join(rows, ",\n    "));
}

} // namespace relayout::instrument
