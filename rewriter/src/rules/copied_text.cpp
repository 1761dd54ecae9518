// SPDX-License-Identifier: Apache-2.0
// Writes the text of a template's instance.
#include "rules/copied_text.h"

#include "edits/leading_directives.h"
#include "legality/template_arguments.h"
#include "rules/declaration_checks.h"
#include "rules/later_overloads.h"
#include "rules/parameter_names.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

class ObstacleFinder : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    if (lambda->isGenericLambda())
      obstacle = "has a generic lambda";
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    // Shared memory is a kernel's own, and a constant is the same in every copy.
    if (variable->isStaticLocal() && !variable->hasAttr<clang::CUDASharedAttr>() &&
        !variable->isConstexpr())
      obstacle = "has a static variable";
    return true;
  }
  std::string obstacle;
};

/// Every `if constexpr`, of a template or of an instance, by its place.
class ConstantBranches : public clang::DynamicRecursiveASTVisitor {
public:
  ConstantBranches() { ShouldVisitTemplateInstantiations = true; }

  bool VisitIfStmt(clang::IfStmt *branch) override {
    if (branch->isConstexpr())
      branches.emplace(branch->getIfLoc(), branch);
    return true;
  }

  std::map<clang::SourceLocation, const clang::IfStmt *> branches;
};

/// True where a semicolon behind the statement's last token belongs to it.
bool endsInSemicolon(const clang::Stmt &statement) {
  if (const auto *branch = dyn_cast<clang::IfStmt>(&statement))
    return endsInSemicolon(branch->getElse() ? *branch->getElse() : *branch->getThen());
  if (const auto *loop = dyn_cast<clang::ForStmt>(&statement))
    return endsInSemicolon(*loop->getBody());
  if (const auto *loop = dyn_cast<clang::CXXForRangeStmt>(&statement))
    return endsInSemicolon(*loop->getBody());
  if (const auto *loop = dyn_cast<clang::WhileStmt>(&statement))
    return endsInSemicolon(*loop->getBody());
  if (const auto *choice = dyn_cast<clang::SwitchStmt>(&statement))
    return endsInSemicolon(*choice->getBody());
  if (const auto *attributed = dyn_cast<clang::AttributedStmt>(&statement))
    return endsInSemicolon(*attributed->getSubStmt());
  return !isa<clang::CompoundStmt, clang::CXXTryStmt>(statement);
}

/// Where the template of an instance that is written out is declared.
clang::SourceLocation placeOfTemplate(const clang::NamedDecl &instance) {
  const clang::NamedDecl *pattern = nullptr;
  if (const auto *record = dyn_cast<clang::CXXRecordDecl>(&instance))
    pattern = record->getTemplateInstantiationPattern();
  else if (const auto *function = dyn_cast<clang::FunctionDecl>(&instance))
    pattern = function->getTemplateInstantiationPattern();
  return (pattern ? *pattern : instance).getLocation();
}

/// The record itself where no class is around it.
const clang::CXXRecordDecl &classAround(const clang::CXXRecordDecl &record) {
  const clang::CXXRecordDecl *outermost = &record;
  while (const auto *around = dyn_cast<clang::CXXRecordDecl>(outermost->getDeclContext()))
    outermost = around;
  return *outermost;
}

} // namespace

const clang::TemplateParameterList &parametersOf(const clang::NamedDecl &pattern) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&pattern))
    return *function->getDescribedFunctionTemplate()->getTemplateParameters();
  return *clang::cast<clang::CXXRecordDecl>(pattern)
              .getDescribedClassTemplate()
              ->getTemplateParameters();
}

const clang::NamedDecl *patternOf(const clang::Decl &instance) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&instance))
    return function->getTemplateInstantiationPattern();
  const auto *record = dyn_cast<clang::CXXRecordDecl>(&instance);
  return record ? record->getTemplateInstantiationPattern() : nullptr;
}

bool hasConstantBranches(const clang::NamedDecl &pattern) {
  ConstantBranches written;
  written.TraverseDecl(const_cast<clang::NamedDecl *>(&pattern));
  return !written.branches.empty();
}

std::string obstacleInside(const clang::NamedDecl &pattern) {
  ObstacleFinder finder;
  finder.TraverseDecl(const_cast<clang::NamedDecl *>(&pattern));
  return finder.obstacle;
}

void CopiedText::refuse(const std::string &why, std::string remedy, clang::SourceLocation where) {
  program_.findings.refuse(
      {Code::TemplateDecidesType,
       fmt::format("'{}' {}, and its instantiation for '{}' cannot be written out",
                   instance_.getNameAsString(), why, recordName()),
       where.isValid() ? where : pattern_.getLocation(), std::move(remedy)});
}

bool CopiedText::holds(const clang::DeclaratorDecl &declarator) const {
  return program_.copyAround(scopeOf(program_, declarator)) == &instance_;
}

std::string CopiedText::recordName() const {
  for (const clang::DeclaratorDecl *declarator : program_.index.declarators())
    if (const Target *target = program_.targetOf(declarator); target && holds(*declarator))
      return target->shape.name;
  return "a record";
}

std::optional<FileRange> CopiedText::rangeTo(clang::SourceLocation last) const {
  const clang::TemplateParameterList &parameters = parametersOf(pattern_);
  const clang::Expr *required = parameters.getRequiresClause();
  const std::optional<clang::SourceLocation> header =
      reader_.spelled(required ? required->getEndLoc() : parameters.getRAngleLoc());
  const std::optional<clang::Token> first = header ? reader_.tokenAfter(*header) : std::nullopt;
  const std::optional<FilePlace> begin = first ? reader_.place(first->getLocation()) : std::nullopt;
  const std::optional<FileRange> end = reader_.tokenRange(last);
  if (!begin || !end || begin->path != end->begin.path)
    return std::nullopt;
  return FileRange{*begin, end->end};
}

namespace {

/// `unsigned char`, `int *`: neither a name nor an instance of a template.
bool isOfSeveralWords(clang::QualType type) {
  return type->isPointerType() || type->isReferenceType() ||
         (type->isBuiltinType() && type.getAsString().find(' ') != std::string::npos);
}

bool isBehindConst(std::string_view before) {
  before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
  return before.ends_with("const") || before.ends_with("volatile");
}

} // namespace

std::string CopiedText::nameParameters(llvm::ArrayRef<clang::TemplateArgument> arguments) {
  for (const ParameterName &written : parameterNames(pattern_)) {
    if (kept_.contains(written.index))
      continue;
    const std::optional<FileRange> token = reader_.tokenRange(written.where);
    if (!token || written.index >= arguments.size())
      return "names its parameters in a macro";
    if (edits_.touches(*token)) // a view
      continue;
    const clang::TemplateArgument &argument = arguments[written.index];
    std::string name = spelledValue(argument, program_.unit.ast());
    if (argument.getKind() == clang::TemplateArgument::Type) {
      const clang::QualType type = argument.getAsType();
      const std::string_view file = reader_.fileText(token->begin.path);
      if (type->isPointerType() &&
          (written.isShared || isBehindConst(file.substr(0, token->begin.offset))))
        return fmt::format("says const before a parameter that is '{}', or declares several by it",
                           name);
      if (written.makesValue && type->isSpecificBuiltinType(clang::BuiltinType::UInt))
        name = "unsigned";
      else if (written.makesValue && isOfSeveralWords(type))
        return fmt::format("makes values by a parameter that is '{}'", name);
    }
    (void)edits_.add(token->begin, {{*token, name}});
  }
  return {};
}

bool CopiedText::dropDiscarded() {
  ConstantBranches written, instantiated;
  written.TraverseDecl(const_cast<clang::NamedDecl *>(&pattern_));
  instantiated.TraverseDecl(const_cast<clang::NamedDecl *>(&instance_));
  for (const auto &[where, branch] : instantiated.branches) {
    const auto pattern = written.branches.find(where);
    if (pattern == written.branches.end() || branch->getCond()->isValueDependent())
      return false;
    const bool isTrue = !branch->getCond()->EvaluateKnownConstInt(program_.unit.ast()).isZero();
    const clang::Stmt *discarded = isTrue ? pattern->second->getElse() : pattern->second->getThen();
    if (!discarded)
      continue;
    std::optional<FileRange> range = reader_.range(discarded->getSourceRange());
    if (range && endsInSemicolon(*discarded)) {
      const std::optional<clang::SourceLocation> last = reader_.spelled(discarded->getEndLoc());
      const std::optional<clang::Token> token = last ? reader_.tokenAt(*last) : std::nullopt;
      const std::optional<clang::Token> behind = token && token->is(clang::tok::semi) ? token
                                                 : last ? reader_.tokenAfter(*last)
                                                        : std::nullopt;
      const std::optional<FileRange> sign = behind && behind->is(clang::tok::semi)
                                                ? reader_.tokenRange(behind->getLocation())
                                                : std::nullopt;
      if (!sign)
        return false;
      range->end = sign->end;
    }
    if (!range || !edits_.add(range->begin, {{*range, "{}"}}))
      return false;
  }
  return true;
}

std::string CopiedText::namespaces() const {
  std::string text;
  for (const clang::DeclContext *scope = pattern_.getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
        space && !space->isAnonymousNamespace())
      text.insert(0, space->getNameAsString() + "::");
  return text;
}

/// The place outside of the namespaces in which the copy cannot stand: a class is specialized in
/// one around the template's, and a function is its namespace's.
std::optional<CodePlace> CopiedText::leaving(CodePlace place) const {
  const std::string around = namespaces();
  std::vector<std::string> kept = place.scopes;
  const auto isPossible = [&] {
    const std::string open = namespacesOf(kept);
    const bool isInUnnamed = !kept.empty() && kept.back() == "namespace ";
    return (isa<clang::FunctionDecl>(pattern_) ? open.empty() || open == around
                                               : around.starts_with(open)) &&
           (!isInUnnamed || pattern_.isInAnonymousNamespace());
  };
  while (!isPossible()) {
    const std::string scope = kept.back();
    kept.pop_back();
    if (scope.find("namespace ") == std::string::npos)
      return std::nullopt; // `extern "C"`
    place.closing += fmt::format("}} // {}\n", scope.substr(0, scope.find_last_not_of(' ') + 1));
    place.opening = scope + (scope.ends_with(' ') ? "{\n" : " {\n") + place.opening;
  }
  if (!place.closing.empty()) {
    place.closing += "\n";
    program_.edits.drop(place.opening + "\n" + place.closing);
    place.opening.insert(0, "\n\n");
    place.opening.pop_back(); // the copy's own line end
  }
  place.namespaces = namespacesOf(kept);
  return place;
}

/// The header of a record that moves out of a class is included in front of the class, of which a
/// function may name other members.
CodePlace CopiedText::behindClass(const clang::CXXRecordDecl &around,
                                  const CodePlace &include) const {
  const std::optional<clang::SourceLocation> brace =
      reader_.spelled(around.getBraceRange().getEnd());
  const std::optional<clang::Token> semicolon = brace ? reader_.tokenAfter(*brace) : std::nullopt;
  const std::optional<FileRange> end =
      semicolon ? reader_.tokenRange(semicolon->getLocation()) : std::nullopt;
  if (!end || reader_.text(*semicolon) != ";")
    return include;
  const std::string &file = reader_.fileText(end->begin.path);
  const std::size_t line = std::min(file.find('\n', end->end), file.size() - 1);
  return {{end->begin.path, static_cast<unsigned>(line) + 1}, include.namespaces, include.scopes};
}

CodePlace CopiedText::placeBehind(const FileRange &pattern, clang::SourceLocation last) const {
  const clang::SourceManager &sources = program_.unit.sources();
  CodePlace place{{pattern.begin.path, pattern.end}, namespaces()};
  const std::string &own = pattern.begin.path.text();
  for (const auto &[record, include] : program_.includes) {
    if (!concerns(record) || includeRecordInstead(own, include.place.path.text()))
      continue;
    const bool isNested =
        isa<clang::FunctionDecl>(pattern_) && isa<clang::CXXRecordDecl>(record->getDeclContext());
    const clang::CXXRecordDecl &before =
        isNested ? classAround(*record) : definedBeforeHeader(*record);
    const clang::SourceLocation end = before.getBraceRange().getEnd();
    if (const std::optional<CodePlace> possible =
            sources.isBeforeInTranslationUnit(last, end)
                ? leaving(isNested ? behindClass(before, include) : include)
                : std::nullopt) {
      place = *possible;
      last = end;
    }
  }
  const std::string &file = place.place.path.text();
  return program_.definitions.areReadTogether(file, own) ? place : placeInIncluder(place, last);
}

/// Where some units read a template in front of a record and others behind it, lets its file
/// include the record's, so that all read them in one order.
/// \returns  whether that is so
bool CopiedText::includeRecordInstead(const std::string &own, const std::string &ofRecord) const {
  if (own == ofRecord || program_.definitions.areReadInOneOrder(own, ofRecord) ||
      !leadingDirectives(reader_.fileText(ofRecord)).isGuarded)
    return false;
  const unsigned offset = leadingDirectives(reader_.fileText(own)).end;
  namespace fs = std::filesystem;
  const std::string name =
      fs::path(ofRecord).lexically_relative(fs::path(own).parent_path()).string();
  program_.edits.set({own + "|" + ofRecord, offset},
                     {{{{own, offset}, offset}, fmt::format("#include \"{}\"\n", name), {0, 0}}});
  return true;
}

/// Some units read the file of the place without the template: behind the include that leads there,
/// in the file that leads to the template as well.
CodePlace CopiedText::placeInIncluder(const CodePlace &place, clang::SourceLocation last) const {
  const clang::SourceManager &sources = program_.unit.sources();
  const auto fileOf = [&](clang::SourceLocation location) {
    return sources.getFileID(sources.getExpansionLoc(location));
  };
  std::set<clang::FileID> leadToTemplate;
  for (clang::FileID file = fileOf(pattern_.getLocation()); file.isValid();
       file = fileOf(sources.getIncludeLoc(file)))
    leadToTemplate.insert(file);
  clang::SourceLocation include = last;
  while (include.isValid() && !leadToTemplate.contains(fileOf(include)))
    include = sources.getIncludeLoc(fileOf(include));
  std::optional<FilePlace> line = include.isValid() ? reader_.place(include) : std::nullopt;
  const std::size_t end =
      line ? reader_.fileText(line->path).find('\n', line->offset) : std::string::npos;
  if (end == std::string::npos)
    return place;
  line->offset = static_cast<unsigned>(end) + 1;
  return {*line, {}};
}

bool CopiedText::concerns(const clang::CXXRecordDecl *record) const {
  const auto isOfRecord = [&](const clang::ValueDecl *declaration) {
    const Target *target = declaration ? program_.targetOf(declaration) : nullptr;
    return target && target->record == record;
  };
  return std::ranges::any_of(program_.index.declarators(),
                             [&](const clang::DeclaratorDecl *declarator) {
                               return isOfRecord(declarator) && holds(*declarator);
                             }) ||
         std::ranges::any_of(program_.index.namings(), [&](const Naming &naming) {
           return naming.function && program_.copyAround(naming.function) == &instance_ &&
                  isOfRecord(namedBy(naming));
         });
}

clang::SourceLocation CopiedText::behindRecords(clang::SourceLocation place) const {
  const clang::SourceManager &sources = program_.unit.sources();
  for (const auto &[record, include] : program_.includes)
    if (const clang::SourceLocation end = definedBeforeHeader(*record).getBraceRange().getEnd();
        concerns(record) && sources.isBeforeInTranslationUnit(place, end))
      place = end;
  return place;
}

void CopiedText::add(const FileRange &range, const FilePlace &place, const std::string &head,
                     const std::string &tail, const std::string &indentation) {
  if (const clang::FunctionDecl *called =
          calledWithLaterOverload(program_, instance_, behindRecords(pattern_.getEndLoc())))
    return refuse(fmt::format("calls '{}', of which another overload is declared behind it",
                              called->getNameAsString()),
                  "declare the overloads first, or the record");
  SharedCopy &copy = shared();
  if (!kept_.empty() &&
      !copy.alike.try_emplace(&program_.unit, edits_).first->second.hasSameUses(edits_))
    return refuse("is instantiated for functions that take elements in different ways",
                  "let all take values, or all take references that are not const");
  if (copy.unused)
    std::erase_if(*copy.unused, [&](const FileRange &code) { return !unused_.contains(code); });
  else
    copy.unused = unused_;
  bool isWhole = copy.edits.addAll(edits_);
  EditSet whole = copy.edits;
  for (const FileRange &code : *copy.unused)
    whole.dropWithin(code);
  for (const FileRange &code : *copy.unused)
    isWhole &= whole.add(code.begin, {{code, ";"}});
  std::optional<std::string> text = isWhole ? whole.textOf(range, reader_) : std::nullopt;
  if (!text)
    return refuse("has two edits at one place", "write the instance out");
  text = outdented(*std::move(text), indentation);
  const std::pair start{place, head};
  if (copy.start.value_or(start) != start)
    return refuse("would have two copies", "write the instances out");
  copy.start = start;
  const bool isBehindCode =
      reader_.text({{place.path, place.offset - 1}, place.offset}) != "\n"; // not behind an include
  program_.edits.set(keyOf(range), {{{place, place.offset},
                                     isBehindCode ? "\n\n" + head + *text + tail
                                                  : "\n" + head + *text + tail + "\n",
                                     {0, orderAtOnePlace()}}});
}

/// Copies follow each other as their templates do, which may have objects of one another.
long CopiedText::orderAtOnePlace() const {
  const auto isBefore = [this](const auto &copy) {
    return program_.unit.sources().isBeforeInTranslationUnit(placeOfTemplate(*copy.first),
                                                             pattern_.getLocation());
  };
  return 1 + std::ranges::count_if(program_.copies, isBefore); // behind includes
}

void CopiedText::addDeclaration(const FileRange &declared, const FilePlace &place,
                                const FileRange &signature, const std::string &head,
                                const std::string &tail) {
  std::optional<std::string> text = edits_.textOf(signature, reader_);
  if (!text)
    return refuse("has two edits at one place", "write the instance out");
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  const bool isAtTemplate = place == FilePlace{declared.begin.path, declared.end};
  const std::string copy = "\n" + head + *text + ";" + tail + (isAtTemplate ? "" : "\n");
  if (!program_.edits.add(keyOf(declared), {{{place, place.offset}, copy, {0, 1}}}))
    refuse("would have two copies", "write the instances out");
}

void CopiedText::addEarlyDeclaration(const FileRange &definition, const FilePlace &place,
                                     const FileRange &signature, const std::string &head) {
  std::optional<std::string> text = edits_.textOf(signature, reader_);
  if (!text)
    return refuse("has two edits at one place", "write the instance out");
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  // Keyed by characters of the definition's end, as its copies are by those of its head.
  const FilePlace key{definition.begin.path, definition.end - 1 - shared().number};
  if (!program_.edits.add(key, {{{place, place.offset}, "\n\n" + head + *text + ";", {0, 0}}}))
    refuse("would have two copies", "write the instances out");
}

bool CopiedText::knowsRecordsAt(clang::SourceLocation place) const {
  return behindRecords(place) == place;
}

SharedCopy &CopiedText::shared() const {
  return program_.sharedCopies.of(reader_.place(pattern_.getLocation()).value_or(FilePlace{}),
                                  symbol());
}

/// One for all instances that differ in nothing but the parameters that are kept.
std::string CopiedText::symbol() const {
  if (kept_.empty())
    return instrument::symbolOf(program_.unit, &instance_);
  const auto &function = clang::cast<clang::FunctionDecl>(instance_);
  const auto arguments = function.getTemplateSpecializationArgs()->asArray();
  std::string symbol = "template";
  for (unsigned i = 0; i < arguments.size(); ++i)
    symbol += ' ' + (kept_.contains(i) ? std::string("*")
                                       : spelledArgument(arguments[i], program_.unit.ast()));
  return symbol;
}

/// Copies of one template each have a key of their own: characters of its head.
FilePlace CopiedText::keyOf(const FileRange &range) const {
  return {range.begin.path, range.begin.offset - 1 - shared().number};
}

} // namespace relayout::rewriter
