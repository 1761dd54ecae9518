// SPDX-License-Identifier: Apache-2.0
// Splits `Particle *a, b;` where a becomes a view and b does not.
#include "rules/mixed_declarations.h"

#include "edits/words.h"
#include "legality/nested_records.h"
#include "legality/template_arguments.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "rules/copied_text.h"
#include "rules/declaration_checks.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ParentMapContext.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

/// The declarators of each declaration, in order: `Particle *a, b;` has two, which share a base.
MixedDeclarations::MixedDeclarations(Program &program) : program_(program) {
  std::set<Place> known; // an instantiation, or a file read again, declares at the same place
  for (const clang::DeclaratorDecl *declarator : program_.index.declarators()) {
    const std::optional<FilePlace> place = program_.reader.place(declarator->getLocation());
    if (isa<clang::FunctionDecl>(declarator) || !declarator->getTypeSourceInfo() || !place)
      continue;
    const clang::NamedDecl *copy = program_.copyAround(scopeOf(program_, *declarator));
    if (!known.insert({copy, *place}).second)
      continue;
    const WrittenType written = readSharedBase(declarator->getTypeSourceInfo()->getTypeLoc());
    if (const std::optional<FilePlace> base = program_.reader.place(written.base))
      sharers_[{copy, *base}].push_back(declarator);
  }
  for (auto &[place, declarators] : sharers_)
    std::ranges::sort(declarators, [this](const auto *a, const auto *b) {
      return program_.unit.sources().isBeforeInTranslationUnit(a->getLocation(), b->getLocation());
    });
}

/// True when a declaration has both views and others, or views of different names.
bool MixedDeclarations::isMixed(const Declarators &declarators) const {
  const auto target = [this](const clang::DeclaratorDecl *declarator) {
    return program_.targetOf(declarator);
  };
  const auto extent = [](const clang::DeclaratorDecl &declarator) {
    return instrument::isArrayVariable(declarator)
               ? instrument::elementsOf(clang::cast<clang::VarDecl>(declarator))
               : 0;
  };
  return std::ranges::any_of(declarators, [&](const clang::DeclaratorDecl *declarator) {
    return target(declarator) != target(declarators.front()) ||
           extent(*declarator) != extent(*declarators.front()) ||
           declarator->getType().isConstQualified() !=
               declarators.front()->getType().isConstQualified();
  });
}

MixedDeclarations::Key MixedDeclarations::keyOf(const clang::DeclaratorDecl &declarator) const {
  return {program_.copyAround(scopeOf(program_, declarator)), declarator.getLocation()};
}

bool MixedDeclarations::add(const FilePlace &base, const clang::DeclaratorDecl &declarator,
                            std::vector<Edit> edits) {
  const auto sharers = sharers_.find({program_.copyAround(scopeOf(program_, declarator)), base});
  if (sharers == sharers_.end() || !isMixed(sharers->second))
    return false;
  viewBases_[keyOf(declarator)] = std::move(edits);
  return true;
}

void MixedDeclarations::splitAll() {
  for (const auto &[place, declarators] : sharers_)
    if (isMixed(declarators))
      split(place.second, declarators);
}

/// `Particle *a, b;` becomes `ParticleView a; Particle b;`, each with the specifiers it needs.
void MixedDeclarations::split(const FilePlace &base, const Declarators &declarators) {
  const std::optional<FileRange> specifiers = specifiersOf(base, *declarators.front());
  EditSet &text = program_.editsIn(scopeOf(program_, *declarators.front()));
  bool isDone = specifiers.has_value();
  for (std::size_t i = 0; i < declarators.size() && isDone; ++i) {
    const clang::DeclaratorDecl &declarator = *declarators[i];
    const auto view = viewBases_.find(keyOf(declarator));
    if (view == viewBases_.end() && program_.targetOf(&declarator))
      return; // refused for a reason of its own
    const std::vector<Edit> edits = view == viewBases_.end() ? asOther(declarator) : view->second;
    if (i == 0) {
      isDone = view == viewBases_.end() || text.add(base, edits);
      continue;
    }
    const std::optional<FileRange> comma = commaBehind(*declarators[i - 1]);
    const std::string own = edited(*specifiers, edits);
    isDone = comma && !namesParameter(declarator, own) &&
             text.add(comma->begin,
                      {{*comma, ";\n" +
                                    indentationAt(program_.reader.fileText(specifiers->begin.path),
                                                  specifiers->begin.offset) +
                                    own + ' '}});
  }
  if (!isDone)
    program_.findings.refuse(
        Code::DeclarationFixed,
        fmt::format("'{}' shares its declaration with a pointer that becomes a view",
                    declarators.back()->getNameAsString()),
        declarators.back()->getLocation(), "declare the two in separate declarations");
}

/// Of a declarator that is no view: drops the `struct` before the name of a record that moves out
/// of its class, and names what a template's parameter is in an instance that is written out.
std::vector<Edit> MixedDeclarations::asOther(const clang::DeclaratorDecl &declarator) const {
  const clang::Type *type = declarator.getType().getNonReferenceType().getTypePtr();
  while (type->isPointerType() || type->isArrayType())
    type = type->getPointeeOrArrayElementType();
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  const WrittenType written = readSharedBase(declarator.getTypeSourceInfo()->getTypeLoc());
  if (const std::optional<FileRange> name = parameterIn(declarator, written))
    return {{*name, spelledArgument(clang::TemplateArgument(clang::QualType(type, 0)),
                                    program_.unit.ast())}};
  const std::optional<FileRange> keyword =
      record && written.keyword.isValid() && outermostClass(*record) && program_.targetOf(record)
          ? program_.reader.tokenRange(written.keyword)
          : std::nullopt;
  return keyword ? std::vector<Edit>{{withSpaceBehind(*keyword, program_.reader), ""}}
                 : std::vector<Edit>();
}

namespace {

/// Whether a text names a parameter of the template that it is from.
bool names(const clang::NamedDecl &pattern, const std::string &text) {
  const std::set<std::string> words = wordsIn(text);
  return std::ranges::any_of(parametersOf(pattern).asArray(),
                             [&](const clang::NamedDecl *parameter) {
                               return words.contains(parameter->getNameAsString());
                             });
}

} // namespace

/// Where a copy of an instance spells the type by a parameter of the template alone.
std::optional<FileRange> MixedDeclarations::parameterIn(const clang::DeclaratorDecl &declarator,
                                                        const WrittenType &written) const {
  const clang::NamedDecl *copy = program_.copyAround(scopeOf(program_, declarator));
  const std::optional<FileRange> name =
      copy ? program_.reader.tokenRange(written.base) : std::nullopt;
  return name && names(*patternOf(*copy), program_.reader.text(*name)) ? name : std::nullopt;
}

bool MixedDeclarations::namesParameter(const clang::DeclaratorDecl &declarator,
                                       const std::string &text) const {
  const clang::NamedDecl *copy = program_.copyAround(scopeOf(program_, declarator));
  return copy && names(*patternOf(*copy), text);
}

/// The text from a declaration's first token to its type's last, where one statement may become
/// two and no macro is in the way.
std::optional<FileRange> MixedDeclarations::specifiersOf(const FilePlace &base,
                                                         const clang::DeclaratorDecl &first) const {
  if (isa<clang::ParmVarDecl>(first))
    return std::nullopt;
  if (const auto *variable = dyn_cast<clang::VarDecl>(&first);
      variable && variable->isLocalVarDecl() && !standsInBlock(*variable))
    return std::nullopt;
  const std::optional<FilePlace> begin = program_.reader.place(first.getBeginLoc());
  const auto end = specifiersEnd(first);
  if (!begin || !end || begin->path != base.path || end->begin.path != base.path ||
      begin->offset > base.offset)
    return std::nullopt;
  return FileRange{*begin, end->end};
}

/// The last token of the type's name, or the `const` behind it.
std::optional<FileRange>
MixedDeclarations::specifiersEnd(const clang::DeclaratorDecl &declarator) const {
  const WrittenType written = readSharedBase(declarator.getTypeSourceInfo()->getTypeLoc());
  std::optional<clang::SourceLocation> last = program_.reader.spelled(written.base);
  for (std::optional<clang::Token> next = last ? program_.reader.tokenAfter(*last) : std::nullopt;
       next && program_.reader.text(*next) == "const"; next = program_.reader.tokenAfter(*last))
    last = next->getLocation();
  return last ? program_.reader.tokenRange(*last) : std::nullopt;
}

bool MixedDeclarations::standsInBlock(const clang::VarDecl &variable) const {
  clang::ASTContext &context = program_.unit.ast();
  for (const clang::DynTypedNode &statement : context.getParents(variable))
    for (const clang::DynTypedNode &around : context.getParents(statement))
      if (around.get<clang::CompoundStmt>())
        return true;
  return false;
}

/// The comma that follows a declarator, with the spaces behind it.
std::optional<FileRange>
MixedDeclarations::commaBehind(const clang::DeclaratorDecl &declarator) const {
  const clang::SourceLocation end =
      program_.unit.sources().getExpansionRange(declarator.getEndLoc()).getEnd();
  const std::optional<clang::Token> comma = program_.reader.tokenAfter(end);
  if (!comma || comma->isNot(clang::tok::comma))
    return std::nullopt;
  std::optional<FileRange> range = program_.reader.tokenRange(comma->getLocation());
  if (range)
    *range = withSpaceBehind(*range, program_.reader);
  return range;
}

/// A range's text after edits inside it.
std::string MixedDeclarations::edited(const FileRange &range, std::vector<Edit> edits) const {
  std::string text = program_.reader.text(range);
  std::ranges::sort(edits, std::ranges::greater{}, [](const Edit &edit) { return edit.range; });
  for (const Edit &edit : edits) {
    const std::size_t begin = edit.range.begin.offset - range.begin.offset;
    const std::size_t end = std::min<std::size_t>(edit.range.end - range.begin.offset, text.size());
    text.replace(begin, end - begin, edit.text);
  }
  while (text.ends_with(' '))
    text.pop_back();
  return text;
}

} // namespace relayout::rewriter
