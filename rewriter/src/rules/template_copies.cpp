// SPDX-License-Identifier: Apache-2.0
// Writes instantiations of function templates out.
#include "rules/template_copies.h"

#include "legality/template_arguments.h"
#include "rules/declaration_checks.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// The spelled type of a variable, or of what a function returns.
clang::TypeLoc spelledTypeOf(const clang::DeclaratorDecl &declarator) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&declarator)) {
    const clang::FunctionTypeLoc type = function->getFunctionTypeLoc();
    return type && type.getReturnLoc().getBeginLoc().isValid() ? type.getReturnLoc()
                                                               : clang::TypeLoc();
  }
  const clang::TypeSourceInfo *type = declarator.getTypeSourceInfo();
  return type ? type->getTypeLoc() : clang::TypeLoc();
}

bool isOfTemplateParameter(const clang::DeclaratorDecl &declarator) {
  const clang::TypeLoc type = spelledTypeOf(declarator);
  return type && readType(type).isOfTemplate;
}

/// What a copy could not say, or say otherwise.
class PatternChecker : public clang::RecursiveASTVisitor<PatternChecker> {
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
    if (variable->isStaticLocal())
      obstacle = "has a static variable";
    return true;
  }
  std::string obstacle;
};

std::string obstacleTo(const clang::FunctionDecl &instance) {
  const clang::FunctionDecl *pattern = instance.getTemplateInstantiationPattern();
  const clang::FunctionTemplateDecl *described =
      pattern ? pattern->getDescribedFunctionTemplate() : nullptr;
  if (!described || !pattern->doesThisDeclarationHaveABody() ||
      instance.getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation ||
      isa<clang::CXXMethodDecl>(instance) ||
      !pattern->getDeclContext()->getRedeclContext()->isFileContext())
    return "is no plain function template";
  if (!areSpelled(instance.getTemplateSpecializationArgs()->asArray()))
    return "has template arguments that are neither types nor numbers";
  if (instance.getReturnType()->getContainedAutoType())
    return "has a deduced return type";
  PatternChecker checker;
  checker.TraverseStmt(pattern->getBody());
  return checker.obstacle;
}

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

/// True where no parameter becomes a view, nor the result: what the function is called with tells
/// nothing of its copy, which specializes the template instead.
bool keepsItsType(const Program &program, const clang::FunctionDecl &function) {
  return !program.targetOf(&function) &&
         std::ranges::none_of(function.parameters(), [&](const clang::ParmVarDecl *parameter) {
           return program.targetOf(parameter) != nullptr;
         });
}

class CopyWriter {
public:
  CopyWriter(Program &program, const clang::FunctionDecl &instance, EditSet &edits)
      : program_(program), reader_(program.reader), instance_(instance),
        pattern_(*instance.getTemplateInstantiationPattern()), edits_(edits) {}

  void write() {
    const std::optional<FileRange> range = rangeOfPattern();
    if (!range)
      return refuse("is spelled by a macro", "write the template out");
    if (!declaresViewsAlone())
      return refuse("declares a view and something else in one declaration",
                    "declare the two in separate declarations");
    if (!nameParameters())
      return refuse("names its parameters in a macro", "write the names out");
    const bool isSpecialization = keepsItsType(program_, instance_);
    if (isSpecialization && !specialize(*range))
      return refuse("has default arguments or a name in a macro", "write the template out");
    if (!isSpecialization && !isTold())
      return refuse("has template arguments that its parameters do not tell",
                    "call it with one set of arguments for each type of its parameters");
    const FilePlace place = placeBehind(*range);
    if (const clang::SourceLocation early = callBefore(place); early.isValid())
      return program_.findings.refuse(
          {Code::UsedBeforeDefinition,
           fmt::format("'{}' is called before the function for '{}' can be written",
                       instance_.getNameAsString(), recordName()),
           early, "define record and template before the call"});
    const std::optional<std::string> text = edits_.textOf(*range, reader_);
    if (!text)
      return refuse("has two edits at one place", "write the function out");
    const bool isAtPattern = place.offset == range->end;
    const std::string head = isSpecialization ? "template <> " + prefix(*range) : prefix(*range);
    const std::string copy = isAtPattern ? "\n\n" + head + *text : "\n" + head + *text + "\n";
    if (!program_.edits.add(keyOf(*range), {{{place, place.offset}, copy, {0, 1}}}))
      refuse("would have two copies", "write the functions out");
  }

private:
  void refuse(const std::string &why, std::string remedy) {
    program_.findings.refuse(
        {Code::TemplateDecidesType,
         fmt::format("'{}' {}, and its instantiation for '{}' cannot be written out",
                     instance_.getNameAsString(), why, recordName()),
         pattern_.getLocation(), std::move(remedy)});
  }

  [[nodiscard]] std::string recordName() const {
    for (const auto &[group, target] : program_.targets)
      for (const clang::ValueDecl *each : program_.flow.groups()[group].declarations)
        if (each == &instance_ || each->getDeclContext() == &instance_)
          return target->shape.name;
    return "a record";
  }

  /// From behind `template <…>` to the end of the body.
  [[nodiscard]] std::optional<FileRange> rangeOfPattern() const {
    const std::optional<clang::SourceLocation> angle = reader_.spelled(
        pattern_.getDescribedFunctionTemplate()->getTemplateParameters()->getRAngleLoc());
    const std::optional<clang::Token> first = angle ? reader_.tokenAfter(*angle) : std::nullopt;
    const std::optional<FilePlace> begin =
        first ? reader_.place(first->getLocation()) : std::nullopt;
    const std::optional<FileRange> end = reader_.tokenRange(pattern_.getBody()->getEndLoc());
    if (!begin || !end || begin->path != end->begin.path)
      return std::nullopt;
    return FileRange{*begin, end->end};
  }

  /// No other copy has the same parameters.
  [[nodiscard]] bool isTold() const {
    return std::ranges::none_of(program_.copies, [this](const auto &copy) {
      return copy.first != &instance_ &&
             copy.first->getTemplateInstantiationPattern() == &pattern_ &&
             copy.first->getType().getCanonicalType() == instance_.getType().getCanonicalType();
    });
  }

  /// Of the declarators that share a type's name all are views of one kind, or none.
  [[nodiscard]] bool declaresViewsAlone() const {
    std::map<FilePlace, std::set<std::pair<const Target *, bool>>> kinds;
    for (const clang::DeclaratorDecl *declarator : program_.index.declarators())
      if (functionOf(*declarator) == &instance_ && !isa<clang::FunctionDecl>(declarator))
        if (const clang::TypeLoc type = spelledTypeOf(*declarator))
          if (const auto base = reader_.place(readSharedBase(type).base))
            kinds[*base].insert(
                {program_.targetOf(declarator), declarator->getType()->isArrayType()});
    return std::ranges::all_of(kinds, [](const auto &kind) { return kind.second.size() == 1; });
  }

  bool nameParameters() {
    ParameterNames visitor(
        pattern_.getDescribedFunctionTemplate()->getTemplateParameters()->getDepth());
    visitor.TraverseDecl(const_cast<clang::FunctionDecl *>(&pattern_));
    const auto arguments = instance_.getTemplateSpecializationArgs()->asArray();
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

  /// Names the arguments behind the function's name, and leaves out what a specialization may not
  /// say again: storage class and default arguments.
  bool specialize(const FileRange &range) {
    const std::optional<FileRange> name = reader_.tokenRange(pattern_.getLocation());
    if (!name)
      return false;
    bool isWhole = edits_.add(
        name->begin, {{*name, pattern_.getNameAsString() +
                                  spelledList(instance_.getTemplateSpecializationArgs()->asArray(),
                                              program_.unit.ast())}});
    const std::size_t word = reader_.text(range).find("static ");
    if (pattern_.getStorageClass() == clang::SC_Static && word != std::string::npos)
      isWhole &= erase({{range.begin.path, range.begin.offset + static_cast<unsigned>(word)},
                        range.begin.offset + static_cast<unsigned>(word + 7)});
    for (const clang::ParmVarDecl *parameter : pattern_.parameters()) {
      if (!parameter->hasDefaultArg())
        continue;
      const std::optional<FileRange> declared = reader_.tokenRange(parameter->getLocation());
      const std::optional<FileRange> given =
          reader_.tokenRange(parameter->getDefaultArgRange().getEnd());
      isWhole &= !parameter->getName().empty() && declared && given &&
                 declared->begin.path == given->begin.path &&
                 erase({{declared->begin.path, declared->end}, given->end});
    }
    return isWhole;
  }

  bool erase(const FileRange &range) { return edits_.add(range.begin, {{range, ""}}); }

  /// Behind the template, or behind the include of the header where that follows.
  [[nodiscard]] FilePlace placeBehind(const FileRange &pattern) const {
    const clang::SourceManager &sources = program_.unit.sources();
    FilePlace place{pattern.begin.path, pattern.end};
    clang::SourceLocation last = pattern_.getBody()->getEndLoc();
    for (const auto &[record, include] : program_.includes)
      if (concerns(record) && record->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
          sources.isBeforeInTranslationUnit(last, record->getBraceRange().getEnd())) {
        place = include;
        last = record->getBraceRange().getEnd();
      }
    return place;
  }

  [[nodiscard]] bool concerns(const clang::CXXRecordDecl *record) const {
    for (const clang::DeclaratorDecl *declarator : program_.index.declarators())
      if (functionOf(*declarator) == &instance_)
        if (const Target *target = program_.targetOf(declarator);
            target && target->record == record)
          return true;
    return false;
  }

  /// A call that the compiler reads before the copy.
  [[nodiscard]] clang::SourceLocation callBefore(const FilePlace &place) const {
    for (const Naming &naming : program_.index.namings()) {
      const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
      if (!name || naming.isDependent || name->getDecl() != &instance_)
        continue;
      const std::optional<FilePlace> use = reader_.place(name->getLocation());
      if (!use || (use->path == place.path && use->offset < place.offset))
        return name->getLocation();
    }
    return {};
  }

  /// Copies of one template each have a key of their own: characters of its head.
  [[nodiscard]] FilePlace keyOf(const FileRange &range) const {
    unsigned number = 0;
    for (const auto &[function, edits] : program_.copies) {
      if (function == &instance_)
        break;
      number += function->getTemplateInstantiationPattern() == &pattern_;
    }
    return {range.begin.path, range.begin.offset - 1 - number};
  }

  /// A function in a header may be defined in several translation units.
  [[nodiscard]] std::string prefix(const FileRange &range) const {
    const clang::SourceManager &sources = program_.unit.sources();
    const bool isMain = sources.getFileID(sources.getExpansionLoc(pattern_.getLocation())) ==
                        sources.getMainFileID();
    const std::string start = reader_.text(range).substr(0, 80);
    if (isMain || start.find("static") != std::string::npos ||
        start.find("inline") != std::string::npos)
      return {};
    return instance_.hasAttr<clang::CUDAGlobalAttr>() && !keepsItsType(program_, instance_)
               ? "static "
               : "inline ";
  }

  Program &program_;
  const SourceReader &reader_;
  const clang::FunctionDecl &instance_;
  const clang::FunctionDecl &pattern_;
  EditSet &edits_;
};

} // namespace

namespace {

/// True for the name in `name(…)`; a function that is named as a value is one of several.
bool isCallee(const ParentIndex &index, const clang::DeclRefExpr &name) {
  const clang::Stmt *current = &name;
  const clang::Stmt *parent = index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(parent)) {
    current = parent;
    parent = index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  return call && call->getCallee() == current;
}

} // namespace

void findTemplateCopies(Program &program) {
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const clang::FunctionDecl *function = functionOf(*declarator);
    if (!function || function->isDependentContext() || !function->isTemplateInstantiation() ||
        !program.targetOf(declarator) || isKeptReference(declarator) ||
        !isOfTemplateParameter(*declarator) || program.copies.count(function))
      continue;
    if (const std::string obstacle = obstacleTo(*function); !obstacle.empty()) {
      program.findings.refuse(
          {Code::TemplateDecidesType,
           fmt::format("'{}' gets its type from a template parameter, and '{}' {}",
                       declarator->getNameAsString(), function->getNameAsString(), obstacle),
           declarator->getLocation(), "write its type out"});
      continue;
    }
    program.copies.try_emplace(function);
  }
}

void writeTemplateCopies(Program &program) {
  for (auto &[function, edits] : program.copies)
    CopyWriter(program, *function, edits).write();
}

void editTemplateArguments(Program &program, const Naming &naming, const clang::DeclRefExpr &name) {
  const auto *function = dyn_cast<clang::FunctionDecl>(name.getDecl());
  if (!function || naming.isDependent || !program.copies.count(function) ||
      !name.hasExplicitTemplateArgs() || keepsItsType(program, *function))
    return;
  const std::optional<FileRange> arguments =
      program.reader.range({name.getLAngleLoc(), name.getRAngleLoc()});
  EditSet &edits = program.editsIn(naming.function);
  const bool isShared =
      &edits == &program.edits && naming.function && naming.function->isTemplateInstantiation();
  bool mentions = false;
  for (const clang::ParmVarDecl *parameter : function->parameters())
    mentions |= program.targetOf(parameter) != nullptr;
  if (isShared || !mentions || !isCallee(program.index, name) || !arguments ||
      !edits.add(arguments->begin, {{*arguments, ""}}))
    program.findings.refuse(
        {Code::TemplateDecidesType,
         fmt::format("'{}' is called with template arguments that the function written out for "
                     "them does not have",
                     function->getNameAsString()),
         name.getLocation(), "let the arguments decide, or write the function out"});
}

} // namespace relayout::rewriter
