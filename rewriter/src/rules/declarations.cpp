// SPDX-License-Identifier: Apache-2.0
// Changes the types of declarations to views.
#include "legality/forwarded_arguments.h"
#include "legality/function_values.h"
#include "legality/macro_names.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "rules/alike_overloads.h"
#include "rules/copied_text.h"
#include "rules/declaration_checks.h"
#include "rules/declared_type.h"
#include "rules/deleter_types.h"
#include "rules/early_declarations.h"
#include "rules/macro_uses.h"
#include "rules/mixed_declarations.h"
#include "rules/one_meaning.h"
#include "rules/template_copies.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Finds the loops that declare iterators.
class RangeLoops : public clang::DynamicRecursiveASTVisitor {
public:
  RangeLoops() { ShouldVisitTemplateInstantiations = true; }

  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *loop) override {
    for (const clang::DeclStmt *iterator : {loop->getBeginStmt(), loop->getEndStmt()})
      if (iterator)
        loops_[iterator->getSingleDecl()] = loop;
    return true;
  }

  [[nodiscard]] const clang::CXXForRangeStmt *of(const clang::Decl &iterator) const {
    const auto loop = loops_.find(&iterator);
    return loop == loops_.end() ? nullptr : loop->second;
  }

private:
  std::map<const clang::Decl *, const clang::CXXForRangeStmt *> loops_;
};

class DeclarationRewriter {
public:
  explicit DeclarationRewriter(Program &program) : program_(program), mixed_(program) {
    for (const auto &[instance, text] : program.copies)
      if (const clang::NamedDecl *pattern = patternOf(*instance))
        writtenOut_.insert(pattern->getCanonicalDecl());
  }

  void run() {
    for (const clang::DeclaratorDecl *declarator : program_.index.declarators())
      if (const Target *target = program_.targetOf(declarator))
        rewrite(*declarator, *target);
    mixed_.splitAll();
    refuseUnseen();
  }

private:
  void rewrite(const clang::DeclaratorDecl &declarator, const Target &target) {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(&declarator))
      return rewriteReturn(*function, target);
    const auto *variable = dyn_cast<clang::VarDecl>(&declarator);
    if (isKeptReference(program_, &declarator) || isForwarded(program_, declarator))
      return noteSeen(declarator);
    if (isOfTemplate(declarator, declarator.getType()))
      return;
    if (std::optional<Refusal> refusal = refusalOf(program_, declarator, target))
      return program_.findings.refuse(*refusal);
    if (variable && variable->isInitCapture()) // has no type of its own to edit
      return noteSeen(declarator);
    const clang::TypeSourceInfo *type = declarator.getTypeSourceInfo();
    edit(declarator, type ? type->getTypeLoc() : clang::TypeLoc(), declarator.getType(), target);
  }

  void rewriteReturn(const clang::FunctionDecl &function, const Target &target) {
    if (isOfTemplate(function, function.getReturnType()))
      return;
    if (std::optional<Refusal> refusal = refusalOfReturn(program_, function, target))
      return program_.findings.refuse(*refusal);
    const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
    const clang::FunctionTypeLoc type = function.getFunctionTypeLoc();
    const bool isDeduced = !type || type.getReturnLoc().getBeginLoc().isInvalid() ||
                           function.getReturnType()->getContainedAutoType();
    if (method && method->getParent()->isLambda() && isDeduced)
      return noteSeen(function);
    if (const auto *prototype = function.getType()->getAs<clang::FunctionProtoType>();
        prototype && prototype->hasTrailingReturn())
      return program_.findings.refuse(
          {Code::DeclarationFixed,
           fmt::format("'{}' has a trailing return type", function.getNameAsString()),
           function.getLocation(), "write the return type in front"});
    edit(function, type ? type.getReturnLoc() : clang::TypeLoc(), function.getReturnType(), target);
  }

  /// A template whose instantiations decide the type; they are looked at one by one. So are those
  /// of a template of which some are written out: others change its own text.
  [[nodiscard]] bool isOfTemplate(const clang::DeclaratorDecl &declarator,
                                  clang::QualType type) const {
    const clang::DeclContext *scope = scopeOf(program_, declarator);
    if (!scope->isDependentContext())
      return false;
    for (; scope; scope = scope->getParent())
      if (writtenOut_.contains(clang::Decl::castFromDeclContext(scope)->getCanonicalDecl()))
        return true;
    return declarator.getDeclContext()->isDependentContext() && type->isDependentType();
  }

  void noteSeen(const clang::DeclaratorDecl &declarator) { seen_.insert(declarator.getLocation()); }

  void edit(const clang::DeclaratorDecl &declarator, clang::TypeLoc spelling, clang::QualType type,
            const Target &target) {
    const clang::TypeLoc inTemplate = typeInDefinition(declarator);
    const WrittenType written = inTemplate ? readTypeInTemplate(inTemplate)
                                : spelling
                                    ? readType(spelling)
                                    : WrittenType{.problem = "has a type that is not written out"};
    TypeEdits edits = editType(program_, declarator, written, heldPointer(type), target);
    const std::optional<FilePlace> use = program_.reader.place(declarator.getLocation());
    if (edits.refusal)
      return program_.findings.refuse(*edits.refusal);
    if (!use || edits.own.failed() || edits.shared.failed()) {
      const auto failed = edits.own.failed() ? edits.own.failedAt() : edits.shared.failedAt();
      program_.macrosOfDeclarations.merge(
          macrosAround(program_, !use || !failed ? declarator.getLocation() : *failed));
      return program_.findings.refuse(
          {Code::EditInMacro,
           fmt::format("'{}' has its type in the body of a macro", declarator.getNameAsString()),
           declarator.getLocation(),
           "write the declaration out, or take the type out of the macro"});
    }
    noteSeen(declarator);
    program_.editedFiles[&target].insert(use->path);
    std::vector<Edit> own = edits.own.take();
    std::vector<Edit> shared = edits.shared.take();
    EditSet &text = program_.editsIn(scopeOf(program_, declarator));
    const bool isHeld = written.container.isValid();
    const std::optional<FilePlace> base =
        program_.reader.place(isHeld ? written.container.getEnd() : written.base);
    if (isHeld) { // the pointer's sign is one of the type that all declarators share
      shared.insert(shared.end(), own.begin(), own.end());
      own.clear();
    }
    if (!base || !mixed_.add(*base, declarator, shared))
      own.insert(own.end(), shared.begin(), shared.end());
    declareEarly(program_, declarator, target);
    if (!text.add(*use, std::move(own)))
      program_.findings.refuse(
          {Code::TemplateDecidesType,
           fmt::format("'{}' would need different types in different instantiations",
                       declarator.getNameAsString()),
           declarator.getLocation(), "write its type out"});
  }

  /// The result or a parameter of an instance that is written out, where the template's definition
  /// spells it, and the instance was made from an earlier declaration; null for all others.
  clang::TypeLoc typeInDefinition(const clang::DeclaratorDecl &declarator) const {
    const auto *function = dyn_cast<clang::FunctionDecl>(scopeOf(program_, declarator));
    const clang::FunctionDecl *pattern = function && program_.copies.contains(function)
                                             ? function->getTemplateInstantiationPattern()
                                             : nullptr;
    if (!pattern || pattern->isFirstDecl())
      return {};
    if (&declarator == function)
      return pattern->getFunctionTypeLoc().getReturnLoc();
    const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator);
    const clang::TypeSourceInfo *written =
        parameter && parameter->getFunctionScopeIndex() < pattern->getNumParams()
            ? pattern->getParamDecl(parameter->getFunctionScopeIndex())->getTypeSourceInfo()
            : nullptr;
    return written ? written->getTypeLoc() : clang::TypeLoc();
  }

  /// What a range-based `for` over an array or container of pointers declares by itself.
  static bool isOfLoop(const clang::ValueDecl &declaration) {
    const clang::QualType type = declaration.getType().getNonReferenceType();
    return declaration.isImplicit() && isa<clang::VarDecl>(declaration) &&
           (instrument::isPointerContainer(type) || type->isPointerType() ||
            (type->isArrayType() && type->getArrayElementTypeNoTypeQual()->isPointerType()));
  }

  /// `for (const Edge &e : graph.edges(v))`, of a class with `begin()` and `end()`: the views that
  /// these return are compared, stepped, and give the element.
  void noteLoop(const clang::ValueDecl &declaration, const Target &target) {
    const clang::QualType type = declaration.getType();
    if (!type->isPointerType() || type->getPointeeType()->isPointerType())
      return;
    if (!loops_)
      loops_.emplace().TraverseDecl(program_.unit.ast().getTranslationUnitDecl());
    const clang::CXXForRangeStmt *loop = loops_->of(declaration);
    if (!loop || !loop->getLoopVariable()->getType()->isReferenceType())
      return program_.findings.refuse(
          {Code::UnsupportedElementUse,
           fmt::format("a loop copies elements of an array of '{}' that a range leads to",
                       target.shape.name),
           loop ? loop->getLoopVariable()->getLocation() : declaration.getLocation(),
           "take them by reference: for (const auto &element : range)"});
    HeaderParts &parts = program_.parts[&target];
    parts.operations.insert(ViewOperation::Equality);
    (type->getPointeeType().isConstQualified() ? parts.ofConst : parts.operations)
        .insert({ViewOperation::Increment, ViewOperation::Walk});
  }

  /// A declaration of the group that the walk over the user's text did not meet.
  void refuseUnseen() {
    if (!program_.findings.empty())
      return;
    for (const auto &[group, target] : program_.targets)
      for (const clang::ValueDecl *declaration : program_.flow.groups()[group].declarations)
        if (isOfLoop(*declaration))
          noteLoop(*declaration, *target);
        else if (!seen_.count(declaration->getLocation()))
          program_.findings.refuse(
              {Code::TemplateDecidesType,
               fmt::format("'{}' points into an array of '{}' where its type is not written out",
                           instrument::ArrayFlow::nameOf(declaration), target->shape.name),
               declaration->getLocation(),
               "write its type out instead of leaving it to a template"});
  }

  Program &program_;
  MixedDeclarations mixed_;
  std::set<const clang::Decl *> writtenOut_ = {}; ///< templates
  std::set<clang::SourceLocation> seen_;
  std::optional<RangeLoops> loops_ = {};
};

} // namespace

void rewriteDeclarations(Program &program) {
  refuseRepeatedDefinitions(program);
  refuseMacrosOfNames(program);
  refuseAlikeOverloads(program);
  refuseOtherFunctions(program);
  findTemplateCopies(program);
  if (program.findings.empty())
    DeclarationRewriter(program).run();
  if (program.findings.empty())
    editDeleters(program);
}

} // namespace relayout::rewriter
