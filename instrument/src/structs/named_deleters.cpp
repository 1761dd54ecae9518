// SPDX-License-Identifier: Apache-2.0
// Writes a class with the body of a lambda, or with a call of the function, where the type of the
// first object is named, or in the place of the lambda.
#include "structs/named_deleters.h"

#include "relayout/base/name_words.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/pointer_owners.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;
using Owner = clang::ClassTemplateSpecializationDecl;

/// What the deleter that an object is constructed with is, without the conversions around it.
const clang::Expr *bareDeleter(const clang::Expr *given) {
  while (true) {
    const clang::Expr *inner = given->IgnoreParenImpCasts();
    if (const auto *wrapper = dyn_cast<clang::FullExpr>(inner))
      inner = wrapper->getSubExpr();
    else if (const auto *value = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = value->getSubExpr();
    else if (const auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto *call = dyn_cast<clang::CXXMemberCallExpr>(inner);
             call && isa_and_nonnull<clang::CXXConversionDecl>(call->getMethodDecl()))
      inner = call->getImplicitObjectArgument();
    else if (const auto *sign = dyn_cast<clang::UnaryOperator>(inner);
             sign && (sign->getOpcode() == clang::UO_AddrOf || sign->getOpcode() == clang::UO_Plus))
      inner = sign->getSubExpr();
    if (inner == given)
      return given;
    given = inner;
  }
}

const clang::FunctionDecl *functionIn(const clang::Expr &deleter) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(&deleter);
  return name ? dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
}

/// Whether a body names locals of the function around it.
class NamesLocals : public clang::DynamicRecursiveASTVisitor {
public:
  explicit NamesLocals(const clang::LambdaExpr &lambda) : own_(lambda.getCallOperator()) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const clang::ValueDecl *named = name->getDecl();
    found |= !named->getDeclContext()->getRedeclContext()->isFileContext() &&
             named->getDeclContext() != own_ && !named->isCXXClassMember();
    return true;
  }
  bool found = false;

private:
  const clang::DeclContext *own_;
};

/// `R *` or `void *`, spelled by a word for the latter.
bool takes(const clang::ParmVarDecl &parameter, clang::QualType element) {
  const clang::ASTContext &ast = parameter.getASTContext();
  return parameter.getType()->isVoidPointerType() ||
         ast.hasSameType(parameter.getType(), ast.getPointerType(element));
}

/// `void operator()(R *p) const { … }` with the text of a lambda; nothing where that is more.
std::optional<std::string> callOf(ParsedUnit &unit, const clang::LambdaExpr &lambda,
                                  clang::QualType element, const std::string &record,
                                  const SplitText &text) {
  const clang::CXXMethodDecl *call = lambda.getCallOperator();
  const clang::FunctionTypeLoc type = call->getFunctionTypeLoc();
  if (lambda.capture_size() != 0 || lambda.isGenericLambda() || !type ||
      call->getNumParams() != 1 || !takes(*call->getParamDecl(0), element) ||
      call->getParamDecl(0)->getName().empty())
    return std::nullopt;
  const auto introduced = behind(unit, lambda.getIntroducerRange().getEnd());
  const auto left = filePlace(unit, type.getLParenLoc());
  const auto right = behind(unit, type.getRParenLoc());
  const auto body = filePlace(unit, lambda.getBody()->getBeginLoc());
  const auto end = behind(unit, lambda.getBody()->getEndLoc());
  if (!introduced || !left || !right || !body || !end || introduced->path != end->path)
    return std::nullopt;
  const std::string &file = text.textOf(end->path);
  const auto part = [&](unsigned from, unsigned to) { return file.substr(from, to - from); };
  if (part(introduced->offset, left->offset).find_first_not_of(" \t\r\n") != std::string::npos)
    return std::nullopt;
  std::string parameters = part(left->offset, right->offset);
  if (call->getParamDecl(0)->getType()->isVoidPointerType()) {
    static constexpr std::string_view kVoid = "void";
    const std::size_t word = parameters.find(kVoid);
    if (word == std::string::npos)
      return std::nullopt;
    parameters.replace(word, kVoid.size(), record);
  }
  const std::string behindThem = part(right->offset, body->offset);
  if (behindThem.find("mutable") != std::string::npos ||
      behindThem.find("__attribute") != std::string::npos)
    return std::nullopt;
  const bool isDeduced =
      behindThem.find("->") != std::string::npos || !call->getReturnType()->isVoidType();
  return fmt::format("{} operator(){} const{}{}", isDeduced ? "auto" : "void", parameters,
                     behindThem, part(body->offset, end->offset));
}

class NamedDeleters {
public:
  NamedDeleters(const UnitsWithOwners &units, const SplitText &text,
                std::map<std::string, TypedDeleter> &deleters)
      : units_(units), text_(text), deleters_(deleters) {}

  void add() {
    for (const auto &[unit, uses] : units_) {
      for (const clang::VarDecl *variable : uses.lambdas)
        addLambda(*unit, *variable);
      for (const Owner *owner : ownersIn(unit->ast()))
        if (isOfFunction(*owner))
          addFunction(*unit, uses, *owner);
    }
    for (auto &[key, deleter] : deleters_)
      if (callOf_.contains(key))
        finish(key, deleter);
  }

private:
  /// The class of a record whose arrays are freed by a function.
  struct Call {
    std::set<std::string> calls; ///< as text: one
    std::set<TypePlace> lambdas; ///< at most one
    std::set<TypePlace> places;  ///< of the class: one
  };

  static bool isOfFunction(const Owner &owner) { return deleterOf(owner)->isFunctionPointerType(); }

  /// A name that the program does not have.
  std::string classFor(const clang::CXXRecordDecl &record) {
    const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl();
    const std::string own = alias ? alias->getNameAsString() : record.getNameAsString();
    const std::string wanted = joinedWords(wordsOf(own)) + "Deleter";
    std::string name = wanted;
    for (int number = 2; used_.contains(name) ||
                         std::ranges::any_of(units_,
                                             [&](const auto &entry) {
                                               clang::IdentifierTable &table =
                                                   entry.first->preprocessor().getIdentifierTable();
                                               return table.find(name) != table.end();
                                             });
         ++number)
      name = wanted + std::to_string(number);
    used_.insert(name);
    return name;
  }

  /// `auto free = [](R *p) { … };` becomes `struct RDeleter { … } free;`.
  void addLambda(ParsedUnit &unit, const clang::VarDecl &variable) {
    const auto &lambda = *clang::cast<clang::LambdaExpr>(variable.getInit()->IgnoreImplicit());
    const Owner *owned = nullptr;
    for (const Owner *owner : ownersIn(unit.ast()))
      if (deleterOf(*owner)->getAsCXXRecordDecl() == lambda.getLambdaClass())
        owned = owned ? nullptr : owner;
    const clang::CXXRecordDecl *record =
        owned ? ownedElement(*owned)->getAsCXXRecordDecl() : nullptr;
    if (!record)
      return;
    TypedDeleter &deleter = deleters_[deleterKey(unit, *owned)];
    deleter.isKept = true;
    const std::string recordName = nameIn(*variable.getDeclContext(), *record);
    const auto call = callOf(unit, lambda, ownedElement(*owned), recordName, text_);
    const auto begin = filePlace(unit, variable.getBeginLoc());
    const auto end = behind(unit, variable.getInit()->getEndLoc());
    if (!call || recordName.empty() || !begin || !end || begin->path != end->path ||
        !variable.getType()->getContainedAutoType() || !variable.isLocalVarDecl() ||
        variable.isConstexpr())
      return;
    deleter.isKept = false;
    deleter.className = classFor(*record);
    const std::string scope = ArrayFlow::nameOf(&variable);
    deleter.name = fmt::format(
        "{}{}::operator()::{}", scope.substr(0, scope.size() - variable.getName().size()),
        deleter.className, lambda.getCallOperator()->getParamDecl(0)->getName().str());
    deleter.place = unit.place(variable.getLocation());
    deleter.edits.insert(
        {*begin, end->offset,
         fmt::format("{}struct {} {{ {} }} {}", variable.isStaticLocal() ? "static " : "",
                     deleter.className, *call, variable.getName().str())});
  }

  void addFunction(ParsedUnit &unit, const OwnerUses &uses, const Owner &owner) {
    const clang::CXXRecordDecl *record = ownedElement(owner)->getAsCXXRecordDecl();
    if (!record || !record->getDefinition())
      return;
    const std::string key = deleterKey(unit, owner);
    TypedDeleter &deleter = deleters_[key];
    Call &call = callOf_[key];
    if (deleter.className.empty())
      deleter.className = classFor(*record);
    bool isNamed = false;
    for (const OwnerMention &mention : uses.mentions)
      if (!mention.instance) // of a template
        deleter.isKept |= mention.deleter.getType()->isFunctionPointerType();
      else if (mention.instance->getCanonicalDecl() == owner.getCanonicalDecl()) {
        isNamed = true;
        deleter.isKept |= !addMention(unit, mention, deleter, call);
      }
    deleter.isKept |= !isNamed;
    for (const clang::CXXConstructExpr *made : uses.constructions)
      if (made->getConstructor()->getParent()->getCanonicalDecl() == owner.getCanonicalDecl())
        deleter.isKept |= !addConstruction(unit, *made, owner, deleter, call);
  }

  /// Names the class, which stands in front of the declaration.
  bool addMention(ParsedUnit &unit, const OwnerMention &mention, TypedDeleter &deleter,
                  Call &call) {
    const auto begin = filePlace(unit, mention.deleter.getBeginLoc());
    const auto end = behind(unit, mention.deleter.getEndLoc());
    const auto outer = mention.around ? filePlace(unit, mention.around->getBeginLoc())
                                      : std::optional<TypePlace>();
    if (!begin || !end || begin->path != end->path || !outer)
      return false;
    deleter.edits.insert({*begin, end->offset, deleter.className});
    if (call.places.empty() || outer->path == call.places.begin()->path)
      call.places.insert(*outer);
    else
      return false;
    if (call.places.begin()->offset == outer->offset) {
      deleter.place = unit.place(mention.deleter.getBeginLoc());
      scopeOf_[&deleter] = mention.around->getDeclContext();
    }
    return true;
  }

  bool addConstruction(ParsedUnit &unit, const clang::CXXConstructExpr &made, const Owner &owner,
                       TypedDeleter &deleter, Call &call) {
    const clang::CXXConstructorDecl &constructor = *made.getConstructor();
    if (constructor.isCopyOrMoveConstructor() || made.getNumArgs() == 0 ||
        isa<clang::CXXDefaultArgExpr>(made.getArg(0)))
      return true;
    const auto pointer = behind(unit, made.getArg(0)->getEndLoc());
    const auto end = behind(unit, made.getArg(1)->getEndLoc());
    const clang::Expr &given = *bareDeleter(made.getArg(1));
    if (!pointer || !end || pointer->path != end->path || made.getNumArgs() != 2)
      return false;
    deleter.edits.insert({*pointer, end->offset, ""});
    const clang::QualType element = ownedElement(owner);
    const clang::CXXRecordDecl &record = *element->getAsCXXRecordDecl()->getDefinition();
    const clang::DeclContext &space = *unit.ast().getTranslationUnitDecl();
    recordOf_[&deleter] = &record;
    if (const clang::FunctionDecl *function = functionIn(given)) {
      if (function->getNumParams() != 1 || !takes(*function->getParamDecl(0), element) ||
          !function->getDeclContext()->getRedeclContext()->isFileContext() ||
          function->isTemplateInstantiation())
        return false;
      firstUse_[&deleter] = function;
      call.calls.insert(fmt::format("void operator()({} *pointer) const {{ {}(pointer); }}",
                                    nameIn(space, record), function->getQualifiedNameAsString()));
      parameterOf_[&deleter] = "pointer";
      return true;
    }
    const auto *lambda = dyn_cast<clang::LambdaExpr>(&given);
    if (!lambda)
      return false;
    const auto place = filePlace(unit, lambda->getBeginLoc());
    const auto text = callOf(unit, *lambda, element, nameIn(space, record), text_);
    if (!text || !place)
      return false;
    NamesLocals locals(*lambda);
    locals.TraverseStmt(lambda->getBody());
    call.lambdas.insert(*place);
    call.calls.insert(*text);
    parameterOf_[&deleter] = lambda->getCallOperator()->getParamDecl(0)->getName().str();
    return !locals.found;
  }

  /// Writes the class, if there is one for all objects.
  void finish(const std::string &key, TypedDeleter &deleter) {
    const Call &call = callOf_.at(key);
    const auto scope = scopeOf_.find(&deleter);
    deleter.isKept |= call.calls.size() != 1 || call.places.empty() || call.lambdas.size() > 1 ||
                      scope == scopeOf_.end() || !isDefinedBefore(deleter);
    if (deleter.isKept)
      return;
    const TypePlace place = *call.places.begin();
    const std::string &file = text_.textOf(place.path);
    const unsigned begin = beginOfLines(file, place.offset);
    deleter.edits.insert(
        {{place.path, begin},
         begin,
         fmt::format("struct {} {{\n  {}\n}};\n\n", deleter.className, *call.calls.begin()),
         lineAt(file, begin)});
    std::string spaces;
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope->second);
        space && !space->isAnonymousNamespace())
      spaces = space->getQualifiedNameAsString() + "::";
    deleter.name =
        fmt::format("{}{}::operator()::{}", spaces, deleter.className, parameterOf_.at(&deleter));
  }

  /// The record and the function are known where the class will stand.
  bool isDefinedBefore(const TypedDeleter &deleter) {
    const TypePlace place = *callOf_.at(keyOf(deleter)).places.begin();
    const auto isBefore = [&](const clang::Decl &declaration, clang::SourceLocation end) {
      for (const auto &[unit, uses] : units_) {
        if (&unit->ast() != &declaration.getASTContext())
          continue;
        const auto own = filePlace(*unit, end);
        return !own || own->path != place.path || own->offset < place.offset;
      }
      return false;
    };
    const clang::CXXRecordDecl &record = *recordOf_.at(&deleter);
    const auto function = firstUse_.find(&deleter);
    return isBefore(record, record.getBraceRange().getEnd()) &&
           (function == firstUse_.end() ||
            isBefore(*function->second, function->second->getCanonicalDecl()->getLocation()));
  }
  const std::string &keyOf(const TypedDeleter &deleter) const {
    return std::ranges::find_if(deleters_,
                                [&](const auto &entry) { return &entry.second == &deleter; })
        ->first;
  }

  const UnitsWithOwners &units_;
  const SplitText &text_;
  std::map<std::string, TypedDeleter> &deleters_;
  std::set<std::string> used_;         ///< names of classes
  std::map<std::string, Call> callOf_; ///< by the deleter's key
  std::map<const TypedDeleter *, const clang::DeclContext *> scopeOf_;
  std::map<const TypedDeleter *, const clang::CXXRecordDecl *> recordOf_;
  std::map<const TypedDeleter *, const clang::FunctionDecl *> firstUse_;
  std::map<const TypedDeleter *, std::string> parameterOf_;
};

} // namespace

void addNamedDeleters(const UnitsWithOwners &units, const SplitText &text,
                      std::map<std::string, TypedDeleter> &deleters) {
  NamedDeleters(units, text, deleters).add();
}

std::string deleterKey(ParsedUnit &unit, const Owner &owner) {
  const clang::CXXRecordDecl *deleter = deleterOf(owner)->getAsCXXRecordDecl();
  if (deleter && !deleter->isInStdNamespace()) {
    const clang::CXXRecordDecl *pattern = deleter->getTemplateInstantiationPattern();
    return symbolOf(unit, pattern ? pattern : deleter);
  }
  const clang::CXXRecordDecl *record = ownedElement(owner)->getAsCXXRecordDecl();
  return record ? "of " + symbolOf(unit, record) : std::string();
}

std::string nameIn(const clang::DeclContext &scope, const clang::CXXRecordDecl &record) {
  const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl();
  const clang::NamedDecl &named = alias ? static_cast<const clang::NamedDecl &>(*alias) : record;
  if (isa<clang::ClassTemplateSpecializationDecl>(record) || named.getName().empty() ||
      !record.getDeclContext()->getRedeclContext()->isFileContext())
    return {};
  const clang::DeclContext *space = scope.getEnclosingNamespaceContext();
  if (space->Equals(record.getDeclContext()->getRedeclContext()))
    return named.getNameAsString();
  std::string name = named.getQualifiedNameAsString();
  const std::string unnamed = "(anonymous namespace)::";
  if (const std::size_t at = name.find(unnamed); at != std::string::npos)
    name.erase(at, unnamed.size());
  return name;
}

std::optional<TypePlace> behind(ParsedUnit &unit, clang::SourceLocation token) {
  const clang::SourceManager &sources = unit.sources();
  if (token.isMacroID() && sources.getSpellingLoc(token) == sources.getExpansionLoc(token)) {
    std::optional<TypePlace> half = filePlace(unit, sources.getSpellingLoc(token)); // `>` of `>>`
    if (half)
      ++half->offset;
    return half;
  }
  std::optional<TypePlace> place = filePlace(unit, token);
  if (place)
    place->offset += clang::Lexer::MeasureTokenLength(unit.sources().getSpellingLoc(token),
                                                      unit.sources(), unit.ast().getLangOpts());
  return place;
}

} // namespace relayout::instrument
