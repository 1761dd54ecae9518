// SPDX-License-Identifier: Apache-2.0
// Finds the record's first declaration, and puts the view's in front of it.
#include "rules/early_declarations.h"

#include "legality/template_arguments.h"
#include "rules/declaration_checks.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// The line of the record's first declaration, with the comment above it; nothing where other code
/// stands on it.
std::optional<FilePlace> lineOfFirst(const Program &program, const clang::CXXRecordDecl &record) {
  const clang::TagDecl *first = record.getFirstDecl();
  const SourceReader &reader = program.reader;
  const std::optional<FilePlace> begin = reader.place(first->getBeginLoc());
  if (!begin || isa<clang::ClassTemplateSpecializationDecl>(record) ||
      !record.getDeclContext()->getRedeclContext()->isFileContext() ||
      record.getDeclContext()->isExternCContext())
    return std::nullopt;
  if (!first->isThisDeclarationADefinition()) {
    const std::optional<clang::SourceLocation> name = reader.spelled(first->getLocation());
    const std::optional<clang::Token> behind = name ? reader.tokenAfter(*name) : std::nullopt;
    if (!behind || reader.text(*behind) != ";") // `void step(struct Body *);` declares it as well
      return std::nullopt;
  }
  return reader.lineOf(*begin);
}

const clang::FunctionDecl *functionOf(const clang::DeclaratorDecl &declarator) {
  const auto *function = dyn_cast<clang::FunctionDecl>(&declarator);
  return function ? function : dyn_cast<clang::FunctionDecl>(declarator.getDeclContext());
}

bool standsBefore(const Program &program, const clang::DeclaratorDecl &declarator,
                  const Target &target) {
  return !isWrittenOut(program, declarator) &&
         !program.unit.sources().isBeforeInTranslationUnit(
             definedBeforeHeader(*target.record).getBraceRange().getEnd(),
             declarator.getLocation());
}

/// What is declared with the pointer to functions of which a parameter is: the class whose member
/// it is, `void (*step)(Body *);`, or `typedef void (*Step)(Body *);`. Null: it is none.
const clang::Decl *declaredWith(const Program &program, const clang::DeclaratorDecl &declarator) {
  if (!isa<clang::ParmVarDecl>(declarator) || functionOf(declarator))
    return nullptr;
  for (const ParentIndex::PointerToFunctions &pointer : program.index.pointersToFunctions()) {
    if (!llvm::is_contained(pointer.function.getParams(), &declarator))
      continue;
    if (isa<clang::FieldDecl>(pointer.declared))
      return dyn_cast<clang::CXXRecordDecl>(pointer.declared->getDeclContext());
    if (isa<clang::TypedefNameDecl>(pointer.declared))
      return pointer.declared;
  }
  return nullptr;
}

/// The declaration itself, or the outermost namespace or class that it stands in.
const clang::Decl &outermostAround(const clang::Decl &declaration) {
  const clang::Decl *outermost = &declaration;
  for (const clang::DeclContext *scope = declaration.getLexicalDeclContext();
       scope && !scope->isTranslationUnit(); scope = scope->getLexicalParent())
    outermost = clang::cast<clang::Decl>(scope);
  return *outermost;
}

/// Where a record and its views are declared in front of something, and in which namespaces.
struct EarlyViews {
  FilePlace begin, line;
  std::string opening, closing;
};

std::optional<EarlyViews> viewsBefore(const Program &program, const Target &target,
                                      const clang::Decl &before) {
  const SourceReader &reader = program.reader;
  const clang::CXXRecordDecl &record = *target.record;
  const clang::DeclContext *scope = record.getDeclContext()->getRedeclContext();
  const bool isBeside = scope->Equals(before.getDeclContext()->getRedeclContext());
  const std::optional<FilePlace> begin =
      reader.place(isBeside ? before.getBeginLoc() : outermostAround(before).getBeginLoc());
  const std::optional<FilePlace> line = begin ? reader.lineOf(*begin) : std::nullopt;
  if (!line || isa<clang::ClassTemplateSpecializationDecl>(record) || target.shape.isVectorType ||
      !scope->isFileContext() || record.getDeclContext()->isExternCContext() ||
      record.isInAnonymousNamespace())
    return std::nullopt;
  EarlyViews views{*begin, *line, {}, {}};
  for (; !isBeside && scope->isNamespace(); scope = scope->getParent()->getRedeclContext()) {
    const auto &space = *clang::cast<clang::NamespaceDecl>(scope);
    if (space.isInline())
      return std::nullopt;
    views.opening.insert(0, fmt::format("namespace {} {{\n", space.getNameAsString()));
    views.closing += "}\n";
  }
  return views;
}

} // namespace

bool mayNameEarly(const Program &program, const clang::DeclaratorDecl &declarator,
                  const Target &target) {
  if (const clang::Decl *holder = declaredWith(program, declarator))
    return !holder->isTemplated() && viewsBefore(program, target, *holder);
  const clang::FunctionDecl *function = functionOf(declarator);
  return function && !function->doesThisDeclarationHaveABody() && !function->isTemplated() &&
         !target.shape.isVectorType && lineOfFirst(program, *target.record);
}

void declareEarly(Program &program, const clang::DeclaratorDecl &declarator, const Target &target) {
  if (!standsBefore(program, declarator, target))
    return;
  if (const clang::Decl *holder = declaredWith(program, declarator)) {
    static_cast<void>(declareViewsBefore(program, target, *holder)); // mayNameEarly() asked
    return;
  }
  const std::optional<FilePlace> line = lineOfFirst(program, *target.record);
  const std::optional<FilePlace> name =
      program.reader.place(target.record->getFirstDecl()->getLocation());
  const auto *function = dyn_cast<clang::FunctionDecl>(&declarator);
  const clang::QualType type =
      heldPointer(function ? function->getReturnType() : declarator.getType());
  if (!line || !name)
    return;
  const bool isConst = pointeeOf(type).isConstQualified();
  const std::string &view = isConst ? target.names.constView : target.names.view;
  program.edits.set({name->path, name->offset + (isConst ? 1u : 0u)},
                    {{{*line, line->offset}, fmt::format("class {};\n", view), {0, 0}}});
}

bool declareViewsBefore(Program &program, const Target &target, const clang::Decl &before) {
  const std::optional<EarlyViews> views = viewsBefore(program, target, before);
  if (!views)
    return false;
  const clang::CXXRecordDecl &record = *target.record;
  const bool isKnown = program.unit.sources().isBeforeInTranslationUnit(
      record.getFirstDecl()->getLocation(), before.getBeginLoc());
  const std::string text =
      fmt::format("{}{}class {};\nclass {};\n{}\n", views->opening,
                  isKnown ? std::string()
                          : fmt::format("{} {};\n", record.isStruct() ? "struct" : "class",
                                        record.getNameAsString()),
                  target.names.view, target.names.constView, views->closing);
  // Keyed by the place and the record, of which several methods may ask for the same.
  program.edits.set({views->begin.path.text() + "|" + target.names.view, views->begin.offset},
                    {{{views->line, views->line.offset}, text, {0, 0}}});
  return true;
}

} // namespace relayout::rewriter
