// SPDX-License-Identifier: Apache-2.0
// Looks at all casts and uses of a pointer without a type, or to numbers, and writes the type where
// it is declared.
#include "structs/typed_memory.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A variable or member `void *p`, or `float *p` of which no element is named, throughout the
/// program.
struct UntypedPointer {
  std::string name; ///< as arrays are named
  SourcePlace place;
  std::size_t typeLength = 0;  ///< of the word `void` or `float`
  std::set<std::string> types; ///< that it is cast to, as they are written
  std::set<const clang::CXXRecordDecl *> records;
  bool ofParameter = false; ///< it is cast to the parameter of the template around it
  bool isKept = false;      ///< it is cast to something else, too

  [[nodiscard]] bool hasOneType() const {
    return types.size() == 1 && records.size() == (ofParameter ? 0 : 1);
  }
};
/// By the place of `void` or `float`: declarators share it.
using UntypedPointers = std::map<TypePlace, std::map<TypePlace, UntypedPointer>>;

bool isOfVoid(clang::QualType type) {
  return type->isPointerType() && type->getPointeeType()->isVoidType();
}

/// Whether what a type leads to may be no more than how its memory is counted.
bool isOfVoidOrNumbers(clang::QualType type) {
  return isOfVoid(type) || (type->isPointerType() && type->getPointeeType()->isArithmeticType() &&
                            !type->getPointeeType().isVolatileQualified());
}

clang::BuiltinTypeLoc wordOfType(const clang::DeclaratorDecl &declaration) {
  const clang::TypeSourceInfo *written = declaration.getTypeSourceInfo();
  return written ? innermostType(written->getTypeLoc()).getAs<clang::BuiltinTypeLoc>()
                 : clang::BuiltinTypeLoc();
}

std::optional<TypePlace> placeOfType(ParsedUnit &unit, const clang::DeclaratorDecl &declaration) {
  const clang::BuiltinTypeLoc word = wordOfType(declaration);
  // `unsigned int` is more than a word.
  return word && word.getBeginLoc() == word.getEndLoc() ? filePlace(unit, word.getBeginLoc())
                                                        : std::nullopt;
}

/// A parameter whose type stands at one place, and whose function no other one can be taken for.
bool isOfOneFunction(const clang::ParmVarDecl &parameter, bool isAlone) {
  const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  return function && !isa<clang::CXXMethodDecl>(function) && !function->isVariadic() &&
         function->doesThisDeclarationHaveABody() && function->isFirstDecl() &&
         function->getMostRecentDecl() == function &&
         (isAlone || !function->isExternallyVisible()) &&
         function->getDeclContext()
             ->getRedeclContext()
             ->lookup(function->getDeclName())
             .isSingleResult();
}

/// The variables, members and parameters of one unit.
class UntypedDeclarations : public clang::DynamicRecursiveASTVisitor {
public:
  /// \param isAlone  the program has no other unit
  UntypedDeclarations(ParsedUnit &unit, UntypedPointers &pointers, bool isAlone)
      : unit_(unit), pointers_(pointers), isAlone_(isAlone) {}

  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declaration) override {
    const clang::QualType type = declaration->getType();
    const bool isPointer = type->isPointerType() && innermostOf(type)->isBuiltinType();
    const auto place = isPointer ? placeOfType(unit_, *declaration) : std::nullopt;
    const auto own = filePlace(unit_, declaration->getLocation());
    if (!place || !own)
      return true;
    UntypedPointer &pointer = pointers_[*place][*own];
    pointer.name = ArrayFlow::nameOf(declaration);
    pointer.place = unit_.place(declaration->getLocation());
    pointer.typeLength = clang::Lexer::MeasureTokenLength(
        wordOfType(*declaration).getBeginLoc(), unit_.sources(), unit_.ast().getLangOpts());
    const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration);
    pointer.isKept |= parameter ? !isOfVoid(type) || !isOfOneFunction(*parameter, isAlone_)
                                : !isOfVoidOrNumbers(type) || isa<clang::FunctionDecl>(declaration);
    return true;
  }

private:
  static clang::QualType innermostOf(clang::QualType type) {
    while (type->isPointerType())
      type = type->getPointeeType();
    return type;
  }

  ParsedUnit &unit_;
  UntypedPointers &pointers_;
  bool isAlone_;
};

/// Finds the pointers that expressions name.
class NamedPointers {
public:
  NamedPointers(ParsedUnit &unit, UntypedPointers &pointers) : unit_(unit), pointers_(pointers) {}

  UntypedPointer *namedBy(const clang::Expr &expression) {
    const clang::DeclaratorDecl *declarator = declaratorOf(expression);
    return declarator ? at(*declarator) : nullptr;
  }

  UntypedPointer *at(const clang::DeclaratorDecl &declarator) {
    if (!isOfVoidOrNumbers(declarator.getType()))
      return nullptr;
    const auto place = placeOfType(unit_, declarator);
    const auto own = filePlace(unit_, declarator.getLocation());
    if (!place || !own)
      return nullptr;
    const auto declarators = pointers_.find(*place);
    if (declarators == pointers_.end())
      return nullptr;
    const auto found = declarators->second.find(*own);
    return found == declarators->second.end() ? nullptr : &found->second;
  }

  static const clang::DeclaratorDecl *declaratorOf(const clang::Expr &expression) {
    const clang::ValueDecl *declaration = nullptr;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(&expression))
      declaration = name->getDecl();
    else if (const auto *member = dyn_cast<clang::MemberExpr>(&expression))
      declaration = member->getMemberDecl();
    return dyn_cast_or_null<clang::DeclaratorDecl>(declaration);
  }

private:
  ParsedUnit &unit_;
  UntypedPointers &pointers_;
};

/// Of a template's text. Its instances show what is done there.
bool isInPattern(const clang::DeclaratorDecl &declarator) {
  return declarator.getDeclContext()->isDependentContext();
}

/// Whether a template's parameter can be named where a variable or member is declared.
bool isInScope(const clang::TemplateTypeParmDecl &parameter,
               const clang::DeclaratorDecl &declarator) {
  for (const clang::DeclContext *scope = declarator.getDeclContext(); scope;
       scope = scope->getParent()) {
    const auto *own = dyn_cast<clang::Decl>(scope);
    const clang::TemplateDecl *described = own ? own->getDescribedTemplate() : nullptr;
    const auto isIt = [&](const clang::NamedDecl *own) { return own == &parameter; };
    if (described && std::ranges::any_of(*described->getTemplateParameters(), isIt))
      return true;
  }
  return false;
}

/// What they are cast to.
class CastVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  CastVisitor(ParsedUnit &unit, UntypedPointers &pointers) : unit_(unit), named_(unit, pointers) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    const clang::Expr *operand = conversion->getSubExpr()->IgnoreParenImpCasts();
    if (!isOfVoidOrNumbers(operand->getType()) || isOfVoid(conversion->getType()))
      return true;
    UntypedPointer *pointer = named_.namedBy(*operand);
    if (!pointer || noteParameter(*conversion, *operand, *pointer))
      return true;
    const clang::QualType type = conversion->getType();
    const RecordType into = recordTypeOf(type);
    const bool isOneStep = type->isPointerType() && !type->getPointeeType()->isPointerType();
    const std::string written = textOf(*conversion);
    if (!into.record || !isOneStep || written.empty() ||
        !isDeclaredBefore(*into.record, *NamedPointers::declaratorOf(*operand)) ||
        (!isOfVoid(operand->getType()) && isOfNumbers(*into.record))) {
      pointer->isKept = true;
      return true;
    }
    pointer->types.insert(written);
    pointer->records.insert(into.record);
    return true;
  }

private:
  /// A template's text says that the pointer is cast to `T *`; instances then agree.
  /// \returns  whether the template's text decides
  static bool noteParameter(const clang::ExplicitCastExpr &conversion, const clang::Expr &operand,
                            UntypedPointer &pointer) {
    const clang::DeclaratorDecl &declarator = *NamedPointers::declaratorOf(operand);
    const auto outer =
        conversion.getTypeInfoAsWritten()->getTypeLoc().getAs<clang::PointerTypeLoc>();
    if (!outer || !isOfVoid(operand.getType()))
      return false;
    const clang::TypeLoc pointee = outer.getPointeeLoc().getUnqualifiedLoc();
    if (!isInPattern(declarator))
      return !pointee.getAs<clang::SubstTemplateTypeParmTypeLoc>().isNull();
    const auto named = pointee.getAs<clang::TemplateTypeParmTypeLoc>();
    if (!named || !isInScope(*named.getDecl(), declarator))
      return false;
    pointer.ofParameter = true;
    pointer.types.insert(named.getDecl()->getNameAsString());
    return true;
  }

  /// What is a plain array already does not become one of another type.
  static bool isOfNumbers(const clang::CXXRecordDecl &record) {
    return isScalarRecord(record.getDefinition() ? *record.getDefinition() : record);
  }

  bool isDeclaredBefore(const clang::CXXRecordDecl &record,
                        const clang::DeclaratorDecl &declarator) const {
    return record.getLocation().isInvalid() || isOfNumbers(record) ||
           unit_.sources().isBeforeInTranslationUnit(record.getLocation(),
                                                     declarator.getLocation());
  }

  /// The type's name without `const` and `*`.
  std::string textOf(const clang::ExplicitCastExpr &conversion) const {
    const clang::TypeLoc name = innermostType(conversion.getTypeInfoAsWritten()->getTypeLoc());
    if (!name || !filePlace(unit_, name.getBeginLoc()))
      return {};
    return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(name.getSourceRange()),
                                       unit_.sources(), unit_.ast().getLangOpts())
        .str();
  }

  ParsedUnit &unit_;
  NamedPointers named_;
};

/// What else is done with them: it might mean something else to a pointer of a type.
class UseVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  UseVisitor(ParsedUnit &unit, UntypedPointers &pointers) : unit_(unit), named_(unit, pointers) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(name->getDecl());
        function && !called_.contains(name))
      for (const clang::ParmVarDecl *parameter : function->parameters())
        keep(*parameter);
    return checkUse(*name);
  }
  /// Parameters are given arrays of the type that they are cast to.
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    called_.insert(call->getCallee()->IgnoreParenImpCasts());
    for (unsigned i = 0; callee && i < call->getNumArgs() && i < callee->getNumParams(); ++i)
      if (const UntypedPointer *pointer = named_.at(*callee->getParamDecl(i));
          mayHaveType(pointer) && !isOfType(*pointer, *call->getArg(i)))
        keep(*callee->getParamDecl(i));
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override { return checkUse(*member); }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    return checkInitial(*variable, variable->getInit());
  }
  bool VisitFieldDecl(clang::FieldDecl *field) override {
    return checkInitial(*field, field->getInClassInitializer());
  }
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer())
        checkInitial(*initialiser->getMember(), initialiser->getInit());
    return true;
  }

private:
  /// One that is kept already, or that is cast to nothing, is not looked at.
  static bool mayHaveType(const UntypedPointer *pointer) {
    return pointer && !pointer->isKept && pointer->hasOneType();
  }

  void keep(const clang::ParmVarDecl &parameter) {
    if (UntypedPointer *pointer = named_.at(parameter))
      pointer->isKept = true;
  }

  bool isOfType(const UntypedPointer &pointer, const clang::Expr &argument) const {
    const clang::Expr &value = *argument.IgnoreParenImpCasts();
    const clang::QualType type = value.getType();
    if (isNull(value))
      return true;
    const RecordType given = recordTypeOf(type);
    return given.record != nullptr && pointer.records.contains(given.record) &&
           type->isPointerType() && !type->getPointeeType()->isPointerType();
  }

  bool checkUse(const clang::Expr &named) {
    UntypedPointer *pointer = named_.namedBy(named);
    if (mayHaveType(pointer) && !isInPattern(*NamedPointers::declaratorOf(named)) &&
        !isKnownUse(named))
      pointer->isKept = true;
    return true;
  }

  bool checkInitial(const clang::DeclaratorDecl &declaration, const clang::Expr *initial) {
    UntypedPointer *pointer = initial ? named_.at(declaration) : nullptr;
    if (mayHaveType(pointer) && !isInPattern(declaration) &&
        !mayBeGiven(declaration.getType(), *initial))
      pointer->isKept = true;
    return true;
  }

  const clang::Stmt *parentOf(const clang::Stmt &statement) const {
    const auto parents = unit_.ast().getParents(statement);
    return parents.size() == 1 ? parents[0].get<clang::Stmt>() : nullptr;
  }

  bool isKnownUse(const clang::Expr &named) const {
    const clang::Expr *current = &named;
    bool isAddress = false;
    for (const clang::Stmt *parent = parentOf(named); parent; parent = parentOf(*current)) {
      if (const auto *call = dyn_cast<clang::CallExpr>(parent))
        return isKnownCall(*call, *current, isAddress);
      const auto *unary = dyn_cast<clang::UnaryOperator>(parent);
      if (unary && unary->getOpcode() == clang::UO_AddrOf && !isAddress) {
        isAddress = true;
      } else if (isAddress ? !isa<clang::ParenExpr, clang::CastExpr>(parent)
                           : !isa<clang::ParenExpr, clang::ImplicitCastExpr>(parent)) {
        return !isAddress && isKnownOperation(*parent, *current);
      }
      const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(parent);
      if (conversion && conversion->getCastKind() == clang::CK_PointerToBoolean)
        return true;
      current = clang::cast<clang::Expr>(parent);
    }
    return false;
  }

  /// Of CUDA's calls, or of functions that take a pointer without a type.
  bool isKnownCall(const clang::CallExpr &call, const clang::Expr &argument, bool isAddress) const {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    const clang::Expr *called = call.getCallee()->IgnoreParenImpCasts();
    const auto *name = dyn_cast<clang::DeclRefExpr>(called);
    const auto *member = dyn_cast<clang::MemberExpr>(called);
    if (!callee ||
        (name ? name->hasExplicitTemplateArgs() : !member || member->hasExplicitTemplateArgs()))
      return false;
    const std::string own = calleeName(&call);
    if (!isUsers(*callee) && own.starts_with("cuda")) {
      const CudaCall *known = cudaCallNamed(own);
      return !isAddress || !known || known->kind != CudaCallKind::Copy; // of the pointer's bytes
    }
    unsigned index = 0;
    while (index < call.getNumArgs() && call.getArg(index) != &argument)
      ++index;
    return !isAddress && !isa<clang::CXXOperatorCallExpr>(call) && index < callee->getNumParams() &&
           takesAnyMemory(*callee, index);
  }

  bool isUsers(const clang::FunctionDecl &function) const {
    const clang::SourceManager &sources = unit_.sources();
    return unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(function.getLocation())));
  }

  /// Through pointers without a type, whichever overload is called.
  static bool takesAnyMemory(const clang::FunctionDecl &callee, unsigned index) {
    const auto overloads =
        callee.getDeclContext()->getRedeclContext()->lookup(callee.getDeclName());
    return isOfVoid(callee.getParamDecl(index)->getType()) &&
           std::ranges::all_of(overloads, [index](const clang::NamedDecl *other) {
             const auto *function = dyn_cast<clang::FunctionDecl>(other->getUnderlyingDecl());
             return function && (index >= function->getNumParams() ||
                                 isOfVoid(function->getParamDecl(index)->getType()));
           });
  }

  /// Casts are looked at by themselves.
  bool isKnownOperation(const clang::Stmt &operation, const clang::Expr &operand) const {
    if (isa<clang::ExplicitCastExpr>(operation))
      return true;
    const auto *binary = dyn_cast<clang::BinaryOperator>(&operation);
    if (!binary)
      return false;
    const clang::Expr &other = binary->getLHS() == &operand ? *binary->getRHS() : *binary->getLHS();
    if (binary->isEqualityOp())
      return isNull(other);
    return binary->getOpcode() == clang::BO_Assign && binary->getLHS() == &operand &&
           mayBeGiven(operand.getType(), other);
  }

  bool isNull(const clang::Expr &value) const {
    return value.isNullPointerConstant(unit_.ast(), clang::Expr::NPC_NeverValueDependent) !=
           clang::Expr::NPCK_NotNull;
  }

  /// Without a cast, what has no type itself does not become a pointer of one, nor does a pointer
  /// to numbers.
  bool mayBeGiven(clang::QualType pointer, const clang::Expr &value) const {
    const clang::QualType type = value.IgnoreParenImpCasts()->getType();
    return isNull(value) ||
           (isOfVoid(pointer) && (type->isPointerType() || type->isArrayType()) && !isOfVoid(type));
  }

  ParsedUnit &unit_;
  NamedPointers named_;
  std::set<const clang::Expr *> called_; ///< names of functions in calls and launches
};

/// One type serves all declarators that share the word, and all their casts.
std::string typeOf(const std::map<TypePlace, UntypedPointer> &declarators) {
  std::set<std::string> types;
  for (const auto &[place, pointer] : declarators) {
    if (pointer.isKept || !pointer.hasOneType())
      return {};
    types.insert(pointer.types.begin(), pointer.types.end());
  }
  return types.size() == 1 ? *types.begin() : std::string();
}

} // namespace

SplitProgram typeMemory(const std::vector<ParsedUnit *> &units,
                        const std::vector<ArrayFlow> & /*flows*/,
                        const std::set<std::string> *only) {
  UntypedPointers pointers;
  for (ParsedUnit *unit : units)
    UntypedDeclarations(*unit, pointers, units.size() == 1).TraverseAST(unit->ast());
  for (ParsedUnit *unit : units)
    CastVisitor(*unit, pointers).TraverseAST(unit->ast());
  std::erase_if(pointers, [](const auto &entry) { return typeOf(entry.second).empty(); });
  for (ParsedUnit *unit : units)
    if (!pointers.empty())
      UseVisitor(*unit, pointers).TraverseAST(unit->ast());
  SplitProgram typed;
  SplitText text(units);
  for (const auto &[place, declarators] : pointers) {
    const std::string type = typeOf(declarators);
    const bool isAllowed = std::ranges::all_of(declarators, [only](const auto &entry) {
      return !only || only->contains(entry.second.name);
    });
    if (type.empty() || !isAllowed)
      continue;
    text.replace(place.path, place.offset, place.offset + declarators.begin()->second.typeLength,
                 type);
    for (const auto &[own, pointer] : declarators)
      typed.holders.push_back(
          {pointer.name, type, pointer.place, {pointer.name}, {}, pointer.place});
  }
  if (!typed.holders.empty())
    typed.texts = text.texts().value_or(std::vector<ReplacedText>());
  return typed;
}

std::set<std::string> usefulTypes(const std::vector<SharedHolder> &pointers,
                                  const std::vector<ArrayFlow> &flows) {
  std::set<std::string> useful;
  for (const ArrayFlow &flow : flows)
    for (const ArrayGroup &group : flow.groups()) {
      if (group.origins.unknown || !group.mayBeDeviceArrays())
        continue;
      for (const clang::ValueDecl *declaration : group.declarations)
        for (const SharedHolder &pointer : pointers)
          if (ArrayFlow::nameOf(declaration) == pointer.name)
            useful.insert(pointer.name);
    }
  return useful;
}

} // namespace relayout::instrument
