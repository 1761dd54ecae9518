// SPDX-License-Identifier: Apache-2.0
// One text, two meanings.
#include "rules/one_meaning.h"

#include "rules/template_copies.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

bool isOther(const Program &program, const clang::ValueDecl &declaration) {
  return !declaration.isImplicit() && !isa<clang::FunctionDecl>(declaration) &&
         !program.targetOf(&declaration) && isUsers(program, declaration);
}

void refuse(Program &program, const clang::ValueDecl &declaration, clang::SourceLocation where) {
  if (!program.unit.ast().getLangOpts().CPlusPlus)
    return program.findings.refuse(
        {Code::ConflictingEdits,
         fmt::format("'{}' becomes a view, and a C file, which has none, reads the declaration",
                     declaration.getNameAsString()),
         where, "compile that file as C++, or keep the declaration from it"});
  program.findings.refuse(
      {Code::ConflictingEdits,
       fmt::format("'{}' stands for a rewritten array here and for something else where the same "
                   "text is read again",
                   declaration.getNameAsString()),
       where,
       "a file that is included twice, or a template, would need two texts; write them out"});
}

} // namespace

void refuseOtherMeanings(Program &program) {
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    if (!isOther(program, *declarator) || declarator->getDeclContext()->isDependentContext())
      continue;
    const std::optional<FilePlace> place = program.reader.place(declarator->getLocation());
    if (place && program.edits.has(*place)) {
      separateInstances(program, declarator->getDeclContext());
      refuse(program, *declarator, declarator->getLocation());
    }
  }
  for (const Naming &naming : program.index.namings()) {
    const clang::ValueDecl *named = namedBy(naming);
    if (!named || naming.isDependent || !isOther(program, *named))
      continue;
    const clang::SourceLocation where = naming.expression->getExprLoc();
    const std::optional<FilePlace> place = program.reader.place(where);
    if (place && program.edits.has(*place)) {
      separateInstances(program, naming.function);
      refuse(program, *named, where);
    }
  }
}

void refuseRepeatedDefinitions(Program &program) {
  std::map<FilePlace, const clang::RecordDecl *> definitions; ///< by the place of a field
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const auto *field = dyn_cast<clang::FieldDecl>(declarator);
    const auto *owner = field ? dyn_cast<clang::CXXRecordDecl>(field->getParent()) : nullptr;
    const std::optional<FilePlace> place = owner && !owner->getTemplateInstantiationPattern()
                                               ? program.reader.place(field->getLocation())
                                               : std::nullopt;
    if (!place)
      continue;
    const auto [known, isNew] = definitions.try_emplace(*place, owner);
    if (isNew || known->second->getCanonicalDecl() == owner->getCanonicalDecl())
      continue;
    for (const clang::RecordDecl *record : {known->second, clang::cast<clang::RecordDecl>(owner)})
      if (program.targetOf(clang::cast<clang::CXXRecordDecl>(record)))
        return program.findings.refuse(
            {Code::ConflictingEdits,
             fmt::format("the text that defines '{}' defines another record as well",
                         record->getNameAsString()),
             record->getLocation(), "define each record by itself"});
  }
}

} // namespace relayout::rewriter
