// SPDX-License-Identifier: Apache-2.0
// Finds the instances of templates that are written out, and writes those of functions.
#include "rules/template_copies.h"

#include "legality/forwarded_arguments.h"
#include "legality/template_arguments.h"
#include "rules/class_copies.h"
#include "rules/copy_names.h"
#include "rules/copy_obstacles.h"
#include "rules/declaration_checks.h"
#include "rules/explicit_instantiations.h"
#include "rules/function_text.h"
#include "rules/kept_parameters.h"
#include "rules/method_copies.h"
#include "rules/told_by_arguments.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

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

class FunctionCopyWriter : FunctionText {
public:
  FunctionCopyWriter(Program &program, const clang::FunctionDecl &instance, EditSet &edits)
      : FunctionText(program, instance, edits), function_(instance),
        template_(*instance.getTemplateInstantiationPattern()) {
    kept_ = parametersToKeep(program, instance);
  }

  void write() {
    const std::optional<FileRange> range = functionText();
    if (!range)
      return;
    for (const FileRange &instantiation : explicitInstantiationsOf(program_, function_))
      program_.edits.set(instantiation.begin, {{withLine(instantiation), ""}});
    if (isDeclaredAlone(function_))
      return declareAlone(*range);
    const bool isSpecialization = keepsItsType(program_, function_);
    if (isSpecialization && !specialize(*range))
      return refuse("has default arguments or a name in a macro", "write the template out");
    if (!functionName())
      return;
    const std::string head = isSpecialization ? "template <> " + prefix()
                             : kept_.empty()  ? prefix()
                                              : templateHead(*range);
    const FilePlace place = placeFor(*range);
    if (const clang::SourceLocation early = callBefore(place);
        early.isValid() && !declare(*range, head) &&
        (isSpecialization || !declareBeforeCopies(*range, place, head)))
      return program_.findings.refuse(
          {Code::UsedBeforeDefinition,
           fmt::format("'{}' is called before the function for '{}' can be written",
                       function_.getNameAsString(), recordName()),
           early, "define record and template before the call"});
    const CodePlace behind = placeBehind(*range, template_.getBody()->getEndLoc());
    const bool isBehind = behind.place == place;
    const std::string inner =
        isBehind ? namespaces().substr(behind.namespaces.size()) : std::string();
    if (!inner.empty()) // the next copy stands in them as well
      program_.edits.drop(closedNamespaces(inner).substr(1) + "\n\n" + openedNamespaces(inner));
    add(*range, place, (isBehind ? behind.closing : "") + openedNamespaces(inner) + head,
        closedNamespaces(inner) + (isBehind ? behind.opening : ""));
  }

private:
  /// The whole lines of a declaration; itself where other code stands beside it.
  [[nodiscard]] FileRange withLine(FileRange range) const {
    const std::string &file = reader_.fileText(range.begin.path);
    const std::size_t line = file.find_last_not_of(" \t", range.begin.offset - 1) + 1;
    const std::size_t next = file.find_first_not_of(" \t\r", range.end);
    const bool isFirst = range.begin.offset == 0 || line == 0 || file[line - 1] == '\n';
    if (!isFirst || (next != std::string::npos && file[next] != '\n'))
      return range;
    range.begin.offset = range.begin.offset == 0 ? 0 : static_cast<unsigned>(line);
    range.end = static_cast<unsigned>(std::min(next, file.size() - 1)) + 1;
    return range;
  }

  /// The unit that defines the template writes the copy, which is declared behind the template's
  /// declaration, or behind the include of the header where that follows.
  void declareAlone(const FileRange &range) {
    const LinkedFunction definition = program_.linked.bodyOf(program_, function_);
    if (!definition.program || !definition.program->copies.contains(definition.body))
      return refuse("is a template that another unit defines", "write the instance out");
    const auto last = reader_.spelled(template_.getEndLoc());
    const std::optional<clang::Token> behind = last ? reader_.tokenAfter(*last) : std::nullopt;
    if (!behind || behind->isNot(clang::tok::semi))
      return refuse("is declared with other functions", "declare it by itself");
    if (!functionName())
      return;
    const FileRange declared{range.begin, reader_.tokenRange(behind->getLocation())->end};
    const CodePlace code = placeBehind(declared, template_.getEndLoc());
    if (const clang::SourceLocation early = callBefore(code.place); early.isValid())
      return program_.findings.refuse(
          {Code::UsedBeforeDefinition,
           fmt::format("'{}' is called before the function for '{}' can be declared",
                       function_.getNameAsString(), recordName()),
           early, "define the record before the call"});
    const std::string inner = namespaces().substr(code.namespaces.size());
    addDeclaration(declared, code.place, range, code.closing + openedNamespaces(inner),
                   closedNamespaces(inner) + code.opening);
  }

  /// Whether a unit that only calls the copy declares it behind this declaration of the template.
  [[nodiscard]] bool isDeclaredElsewhere(const FilePlace &name) const {
    return std::ranges::any_of(
        program_.linked.declaredAlone(program_, function_), [&](const LinkedFunction &other) {
          return other.program->copies.contains(other.body) &&
                 other.program->reader.place(patternOf(*other.body)->getLocation()) == name;
        });
  }

  /// Names the arguments behind the function's name, and leaves out what a specialization may not
  /// say again: storage class and default arguments.
  bool specialize(const FileRange &range) {
    const std::optional<FileRange> name = reader_.tokenRange(pattern_.getLocation());
    if (!name)
      return false;
    bool isWhole = edits_.add(
        name->begin, {{*name, pattern_.getNameAsString() +
                                  spelledList(function_.getTemplateSpecializationArgs()->asArray(),
                                              program_.unit.ast())}});
    return leaveOutSaidBefore(range) && isWhole;
  }

  /// Declares the copy behind a declaration of the template that precedes all calls.
  /// \returns  false where there is none
  [[nodiscard]] bool declare(const FileRange &definition, const std::string &head) {
    const std::optional<FilePlace> body = reader_.place(template_.getBody()->getBeginLoc());
    for (const clang::FunctionDecl *declared : template_.redecls()) {
      const auto begin = reader_.place(declared->getBeginLoc());
      const auto last = reader_.spelled(declared->getEndLoc());
      const std::optional<clang::Token> behind = last ? reader_.tokenAfter(*last) : std::nullopt;
      if (declared == &template_ || !declared->getLexicalDeclContext()->isFileContext() || !begin ||
          !body || !behind || behind->isNot(clang::tok::semi))
        continue;
      const auto name = reader_.place(declared->getLocation());
      const bool isElsewhere = name && isDeclaredElsewhere(*name);
      if (!isElsewhere && (hasDefaultArguments(*declared) || hasDefaultArguments(template_)))
        continue;
      const FileRange range{*begin, reader_.tokenRange(behind->getLocation())->end};
      const FilePlace place = placeBehind(range, declared->getEndLoc()).place;
      if (callBefore(place).isValid())
        continue;
      if (isElsewhere)
        return true;
      const FileRange signature{definition.begin, body->offset};
      addDeclaration(range, place, signature, head);
      return true;
    }
    return false;
  }

  /// Declares the copy in front of the first copy that calls it: the template's own calls find
  /// templates that follow, by their arguments.
  /// \returns  false where others call it, or where a record's view is not known there yet
  [[nodiscard]] bool declareBeforeCopies(const FileRange &definition, const FilePlace &own,
                                         const std::string &head) {
    const std::optional<FilePlace> body = reader_.place(template_.getBody()->getBeginLoc());
    std::optional<FilePlace> first;
    for (const Naming *naming : namingsBefore(own)) {
      const clang::FunctionDecl *caller = naming->function;
      if (!caller || isa<clang::CXXMethodDecl>(caller) || !program_.copies.contains(caller))
        return false;
      const FunctionCopyWriter copy(program_, *caller, edits_);
      const clang::SourceLocation end = copy.template_.getBody()->getEndLoc();
      const std::optional<FileRange> range = copy.rangeTo(end);
      if (!range || range->begin.path != definition.begin.path || !knowsRecordsAt(end))
        return false;
      const FilePlace place = copy.placeFor(*range);
      first = first ? std::min(*first, place) : place;
    }
    if (!first || !body)
      return false;
    addEarlyDeclaration(definition, *first, {definition.begin, body->offset}, head);
    return true;
  }

  static bool hasDefaultArguments(const clang::FunctionDecl &function) {
    return std::ranges::any_of(function.parameters(), [](const clang::ParmVarDecl *parameter) {
      return parameter->hasDefaultArg();
    });
  }

  /// True in a template that hands views on and is no copy: its call finds, by the namespace of a
  /// view that it is given, what is declared behind it as well.
  [[nodiscard]] bool isFoundByArguments(const clang::DeclRefExpr &name,
                                        const clang::FunctionDecl *caller) const {
    const auto isBesideView = [&](const clang::ParmVarDecl *parameter) {
      const Target *target = program_.targetOf(parameter);
      return target && target->record->getEnclosingNamespaceContext()->Equals(
                           function_.getEnclosingNamespaceContext());
    };
    return caller && caller->isTemplateInstantiation() && !program_.copies.contains(caller) &&
           !name.hasQualifier() && !name.hasExplicitTemplateArgs() &&
           std::ranges::any_of(function_.parameters(), isBesideView);
  }

  /// Behind the template, and behind what its calls find by their arguments where it is made into
  /// a function: the copy's calls find only what precedes it.
  [[nodiscard]] FilePlace placeFor(const FileRange &range) const {
    FilePlace place = placeBehind(range, template_.getBody()->getEndLoc()).place;
    for (const clang::FunctionDecl *called : program_.index.calleesOf(&function_)) {
      const clang::FunctionDecl *pattern = called->getTemplateInstantiationPattern();
      const clang::FunctionDecl &first = *(pattern ? pattern : called)->getCanonicalDecl();
      if (!first.getDeclContext()->getRedeclContext()->isFileContext() ||
          !first.doesThisDeclarationHaveABody())
        continue;
      const std::optional<FileRange> end = reader_.tokenRange(first.getBody()->getEndLoc());
      if (end && end->begin.path == place.path)
        place.offset = std::max(place.offset, end->end);
    }
    return place;
  }

  /// True in a template whose own copy follows: that one calls the copy, and the template is made
  /// for others.
  [[nodiscard]] bool isInLaterCopy(const Naming &naming, const FilePlace &place) const {
    const clang::FunctionDecl *caller = naming.function;
    if (!caller || caller == &function_ || isa<clang::CXXMethodDecl>(caller) ||
        !program_.copies.contains(caller))
      return false;
    const FunctionCopyWriter copy(program_, *caller, edits_);
    const std::optional<FileRange> range = copy.rangeTo(copy.template_.getBody()->getEndLoc());
    if (!range)
      return false;
    const FilePlace theirs = copy.placeFor(*range);
    return theirs.path == place.path &&
           (theirs.offset > place.offset ||
            (theirs.offset == place.offset &&
             program_.unit.sources().isBeforeInTranslationUnit(pattern_.getLocation(),
                                                               copy.pattern_.getLocation())));
  }

  /// Where the compiler reads the function's name before the copy.
  [[nodiscard]] std::vector<const Naming *> namingsBefore(const FilePlace &place) const {
    std::vector<const Naming *> early;
    for (const Naming &naming : program_.index.namings()) {
      const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
      if (!name || naming.isDependent || name->getDecl() != &instance_ ||
          isFoundByArguments(*name, naming.function) || isInLaterCopy(naming, place))
        continue;
      const std::optional<FilePlace> use = reader_.place(name->getLocation());
      if (!use || (use->path == place.path && use->offset < place.offset))
        early.push_back(&naming);
    }
    return early;
  }
  [[nodiscard]] clang::SourceLocation callBefore(const FilePlace &place) const {
    const std::vector<const Naming *> early = namingsBefore(place);
    return early.empty() ? clang::SourceLocation() : early.front()->expression->getExprLoc();
  }

  /// `template <class F>` with what stands behind it.
  [[nodiscard]] std::string templateHead(const FileRange &range) const {
    const std::string &file = reader_.fileText(range.begin.path);
    const std::size_t angle = file.rfind('>', range.begin.offset);
    const bool isOnNextLine = file.find('\n', angle) < range.begin.offset;
    return fmt::format("template <{}>{}", spelledParameters(function_, kept_),
                       isOnNextLine ? '\n' : ' ');
  }

  /// A function in a header may be defined in several translation units, unless it is defined for
  /// those that do not read that; so may one whose template each of them has in its own file.
  [[nodiscard]] std::string prefix() const {
    const clang::SourceManager &sources = program_.unit.sources();
    const bool isMain = sources.getFileID(sources.getExpansionLoc(pattern_.getLocation())) ==
                        sources.getMainFileID();
    if ((isMain && !program_.linked.isDefinedBySeveral(program_, function_)) ||
        !program_.linked.declaredAlone(program_, function_).empty() || mayBeDefinedAgain(template_))
      return {};
    return function_.hasAttr<clang::CUDAGlobalAttr>() && !keepsItsType(program_, function_)
               ? "static "
               : "inline ";
  }

  const clang::FunctionDecl &function_;
  const clang::FunctionDecl &template_;
};

/// The outermost class instance around a scope, or else the outermost instance of a function
/// template; null outside of templates.
const clang::NamedDecl *instanceAround(const clang::DeclContext *scope) {
  const clang::NamedDecl *function = nullptr, *record = nullptr;
  for (; scope; scope = scopeAround(*scope))
    if (const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(scope);
        instance && !instance->isExplicitSpecialization())
      record = instance;
    else if (const auto *called = dyn_cast<clang::FunctionDecl>(scope);
             called && called->isTemplateInstantiation())
      function = called;
  return record ? record : function;
}

const clang::FunctionDecl *functionInstanceAround(const clang::DeclContext *scope) {
  return dyn_cast_or_null<clang::FunctionDecl>(instanceAround(scope));
}

FilePlace placeOfPattern(const Program &program, const clang::FunctionDecl &instance) {
  return program.reader.place(patternOf(instance)->getLocation()).value_or(FilePlace{});
}

void findSeparateInstances(Program &program) {
  for (const Naming &naming : program.index.namings()) {
    const clang::FunctionDecl *instance =
        naming.isDependent ? nullptr : functionInstanceAround(naming.function);
    const clang::ValueDecl *named = namedBy(naming);
    if (instance && named && program.targetOf(named) && !program.copies.contains(instance) &&
        program.separate.contains(placeOfPattern(program, *instance)) &&
        obstacleToCopy(program, *instance).empty())
      program.copies.try_emplace(instance);
  }
}

} // namespace

void separateInstances(Program &program, const clang::DeclContext *scope) {
  const clang::FunctionDecl *instance = functionInstanceAround(scope);
  if (instance && !program.copyAround(scope))
    program.separate.ask(placeOfPattern(program, *instance));
}

void findTemplateCopies(Program &program) {
  findSeparateInstances(program);
  for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
    const clang::DeclContext *scope = scopeOf(program, *declarator);
    if (scope->isDependentContext() || !program.targetOf(declarator) ||
        isKeptReference(program, declarator) || !isOfTemplateParameter(*declarator) ||
        program.copyAround(scope) || isForwarded(program, *declarator))
      continue;
    const clang::NamedDecl *instance = instanceAround(scope);
    if (!instance)
      continue;
    if (const std::string obstacle = obstacleToCopy(program, *instance); !obstacle.empty()) {
      program.findings.refuse(
          {Code::TemplateDecidesType,
           fmt::format("'{}' gets its type from a template parameter, and '{}' {}",
                       declarator->getNameAsString(), instance->getNameAsString(), obstacle),
           declarator->getLocation(), "write its type out"});
      continue;
    }
    program.copies.try_emplace(instance);
  }
}

void writeTemplateCopies(Program &program) {
  for (auto &[instance, edits] : program.copies)
    if (const auto *record = dyn_cast<clang::ClassTemplateSpecializationDecl>(instance))
      writeClassCopy(program, *record, edits);
    else if (const auto *method = dyn_cast<clang::CXXMethodDecl>(instance))
      writeMethodCopy(program, *method, edits);
    else
      FunctionCopyWriter(program, clang::cast<clang::FunctionDecl>(*instance), edits).write();
}

void editTemplateArguments(Program &program, const Naming &naming) {
  const std::optional<FunctionName> name =
      naming.isDependent ? std::nullopt : functionNameOf(*naming.expression);
  if (!name || !program.copies.count(name->function) || name->leftAngle.isInvalid() ||
      keepsItsType(program, *name->function))
    return;
  const clang::FunctionDecl &function = *name->function;
  const std::optional<FileRange> arguments =
      program.reader.range({name->leftAngle, name->rightAngle});
  EditSet &edits = program.editsIn(naming.function);
  // Of a template that stays one: its other instances lose the arguments as well.
  const bool isShared =
      &edits == &program.edits && naming.function && naming.function->isTemplateInstantiation();
  const bool isNeeded =
      isShared && (needsOwnName(program, function) || !isToldInEachInstance(program, *name));
  std::vector<Edit> edited;
  if (arguments)
    edited.push_back({*arguments, ""});
  if (const auto keyword =
          name->keyword.isValid() ? program.reader.tokenRange(name->keyword) : std::nullopt)
    edited.push_back({withSpaceBehind(*keyword, program.reader), ""});
  const clang::CallExpr *call = callOf(program.index, *naming.expression);
  bool isNamed =
      (call && isToldByArguments(program, function, *call)) ||
      std::ranges::any_of(function.parameters(), [&](const clang::ParmVarDecl *parameter) {
        return program.targetOf(parameter) != nullptr;
      });
  if (needsOwnName(program, function)) {
    const std::optional<FileRange> written = program.reader.tokenRange(name->place);
    const std::optional<std::string> own = ownNameOf(program, function);
    isNamed = written && own;
    if (isNamed)
      edited.push_back({*written, *own});
  }
  if (isNeeded || !isNamed || !arguments || !edits.add(arguments->begin, std::move(edited)))
    program.findings.refuse(
        {Code::TemplateDecidesType,
         fmt::format("'{}' is called with template arguments that the function written out for "
                     "them does not have",
                     function.getNameAsString()),
         name->place, "let the arguments decide, or write the function out"});
}

} // namespace relayout::rewriter
