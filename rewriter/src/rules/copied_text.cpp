// SPDX-License-Identifier: Apache-2.0
// Writes the text of a template's instance.
#include "rules/copied_text.h"

#include "legality/template_arguments.h"
#include "rules/declaration_checks.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

class ObstacleFinder : public clang::RecursiveASTVisitor<ObstacleFinder> {
public:
  bool VisitIfStmt(clang::IfStmt *branch) {
    if (branch->isConstexpr())
      obstacle = "has an `if constexpr`, whose other branch would have to compile";
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    if (lambda->isGenericLambda())
      obstacle = "has a generic lambda";
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    // Shared memory is a kernel's own, and a constant is the same in every copy.
    if (variable->isStaticLocal() && !variable->hasAttr<clang::CUDASharedAttr>() &&
        !variable->isConstexpr())
      obstacle = "has a static variable";
    return true;
  }
  std::string obstacle;
};

/// The places where a template names its parameters.
class ParameterNames : public clang::RecursiveASTVisitor<ParameterNames> {
public:
  explicit ParameterNames(unsigned depth) : depth_(depth) {}

  bool VisitTemplateTypeParmTypeLoc(clang::TemplateTypeParmTypeLoc name) {
    if (name.getTypePtr()->getDepth() == depth_)
      names.emplace_back(name.getNameLoc(), name.getTypePtr()->getIndex());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) {
    if (const auto *parameter = dyn_cast<clang::NonTypeTemplateParmDecl>(name->getDecl());
        parameter && parameter->getDepth() == depth_)
      names.emplace_back(name->getLocation(), parameter->getIndex());
    return true;
  }

  std::vector<std::pair<clang::SourceLocation, unsigned>> names;

private:
  unsigned depth_;
};

const clang::TemplateParameterList &parametersOf(const clang::NamedDecl &pattern) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&pattern))
    return *function->getDescribedFunctionTemplate()->getTemplateParameters();
  return *clang::cast<clang::CXXRecordDecl>(pattern)
              .getDescribedClassTemplate()
              ->getTemplateParameters();
}

clang::SourceLocation endOf(const clang::NamedDecl &pattern) {
  const auto *function = dyn_cast<clang::FunctionDecl>(&pattern);
  return function ? function->getBody()->getEndLoc()
                  : clang::cast<clang::CXXRecordDecl>(pattern).getBraceRange().getEnd();
}

} // namespace

const clang::NamedDecl *patternOf(const clang::Decl &instance) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&instance))
    return function->getTemplateInstantiationPattern();
  const auto *record = dyn_cast<clang::CXXRecordDecl>(&instance);
  return record ? record->getTemplateInstantiationPattern() : nullptr;
}

std::string obstacleInside(const clang::NamedDecl &pattern) {
  ObstacleFinder finder;
  finder.TraverseDecl(const_cast<clang::NamedDecl *>(&pattern));
  return finder.obstacle;
}

void CopiedText::refuse(const std::string &why, std::string remedy) {
  program_.findings.refuse(
      {Code::TemplateDecidesType,
       fmt::format("'{}' {}, and its instantiation for '{}' cannot be written out",
                   instance_.getNameAsString(), why, recordName()),
       pattern_.getLocation(), std::move(remedy)});
}

bool CopiedText::holds(const clang::DeclaratorDecl &declarator) const {
  return program_.copyAround(scopeOf(declarator)) == &instance_;
}

std::string CopiedText::recordName() const {
  for (const clang::DeclaratorDecl *declarator : program_.index.declarators())
    if (const Target *target = program_.targetOf(declarator); target && holds(*declarator))
      return target->shape.name;
  return "a record";
}

std::optional<FileRange> CopiedText::rangeTo(clang::SourceLocation last) const {
  const std::optional<clang::SourceLocation> angle =
      reader_.spelled(parametersOf(pattern_).getRAngleLoc());
  const std::optional<clang::Token> first = angle ? reader_.tokenAfter(*angle) : std::nullopt;
  const std::optional<FilePlace> begin = first ? reader_.place(first->getLocation()) : std::nullopt;
  const std::optional<FileRange> end = reader_.tokenRange(last);
  if (!begin || !end || begin->path != end->begin.path)
    return std::nullopt;
  return FileRange{*begin, end->end};
}

bool CopiedText::declaresViewsAlone() const {
  std::map<FilePlace, std::set<std::pair<const Target *, bool>>> kinds;
  for (const clang::DeclaratorDecl *declarator : program_.index.declarators()) {
    const clang::TypeSourceInfo *type = declarator->getTypeSourceInfo();
    if (!isa<clang::FunctionDecl>(declarator) && type && holds(*declarator))
      if (const auto base = reader_.place(readSharedBase(type->getTypeLoc()).base))
        kinds[*base].insert({program_.targetOf(declarator), declarator->getType()->isArrayType()});
  }
  return std::ranges::all_of(kinds, [](const auto &kind) { return kind.second.size() == 1; });
}

bool CopiedText::nameParameters(llvm::ArrayRef<clang::TemplateArgument> arguments) {
  ParameterNames visitor(parametersOf(pattern_).getDepth());
  visitor.TraverseDecl(const_cast<clang::NamedDecl *>(&pattern_));
  for (const auto &[where, index] : visitor.names) {
    const std::optional<FileRange> token = reader_.tokenRange(where);
    if (!token || index >= arguments.size())
      return false;
    if (!edits_.touches(*token))
      (void)edits_.add(token->begin,
                       {{*token, spelledArgument(arguments[index], program_.unit.ast())}});
  }
  return true;
}

FilePlace CopiedText::placeBehind(const FileRange &pattern) const {
  const clang::SourceManager &sources = program_.unit.sources();
  FilePlace place{pattern.begin.path, pattern.end};
  clang::SourceLocation last = endOf(pattern_);
  for (const auto &[record, include] : program_.includes)
    if (concerns(record) && record->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
        sources.isBeforeInTranslationUnit(last, record->getBraceRange().getEnd())) {
      place = include;
      last = record->getBraceRange().getEnd();
    }
  return place;
}

bool CopiedText::concerns(const clang::CXXRecordDecl *record) const {
  return std::ranges::any_of(program_.index.declarators(),
                             [&](const clang::DeclaratorDecl *declarator) {
                               const Target *target = program_.targetOf(declarator);
                               return target && target->record == record && holds(*declarator);
                             });
}

void CopiedText::add(const FileRange &range, const FilePlace &place, const std::string &head) {
  const std::optional<std::string> text = edits_.textOf(range, reader_);
  if (!text)
    return refuse("has two edits at one place", "write the instance out");
  const bool isAtPattern = place == FilePlace{range.begin.path, range.end};
  const std::string copy = isAtPattern ? "\n\n" + head + *text : "\n" + head + *text + "\n";
  if (!program_.edits.add(keyOf(range), {{{place, place.offset}, copy, {0, 1}}}))
    refuse("would have two copies", "write the instances out");
}

/// Copies of one template each have a key of their own: characters of its head.
FilePlace CopiedText::keyOf(const FileRange &range) const {
  unsigned number = 0;
  for (const auto &[instance, edits] : program_.copies) {
    if (instance == &instance_)
      break;
    number += patternOf(*instance) == &pattern_;
  }
  return {range.begin.path, range.begin.offset - 1 - number};
}

} // namespace relayout::rewriter
