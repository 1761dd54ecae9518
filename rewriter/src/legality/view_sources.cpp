// SPDX-License-Identifier: Apache-2.0
// The other half of legality: a declaration that becomes a view may only ever receive null, another
// view, or the address of an element.
#include "legality/forwarded_arguments.h"
#include "legality/library_functions.h"
#include "legality/object_parts.h"
#include "pass/program.h"
#include "relayout/instrument/clang/library_algorithms.h"
#include "relayout/instrument/clang/listed_members.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/pointer_owners.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "relayout/instrument/clang/start_values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// The declaration that an expression names; of an element of an array or container of pointers,
/// the array or container.
const clang::ValueDecl *named(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const clang::Expr *container = instrument::containerLedInto(*expression))
    return named(container);
  if (const auto *call = dyn_cast<clang::CallExpr>(expression);
      call && instrument::isPointerContainer(call->getType()))
    return call->getDirectCallee();
  while (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    if (!subscript->getType()->isPointerType() && !subscript->getType()->isArrayType())
      return nullptr;
    expression = subscript->getBase()->IgnoreParenImpCasts();
  }
  if (const auto *pointer = dyn_cast<clang::UnaryOperator>(expression);
      pointer && pointer->getOpcode() == clang::UO_Deref && pointer->getType()->isPointerType())
    return named(pointer->getSubExpr());
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression))
    return name->getDecl();
  if (const auto *member = dyn_cast<clang::MemberExpr>(expression))
    return member->getMemberDecl();
  return nullptr;
}

/// `R **` and `R *&`.
bool leadsToPointer(clang::QualType type) {
  return (type->isPointerType() || type->isReferenceType()) &&
         type->getPointeeType()->isPointerType();
}

/// True for a container of views once rewritten, and for what it may be made of: pointers that
/// become views, and their number.
bool holdsViews(const Program &program, const clang::Expr *value, const Target &target) {
  if (value->getType()->isIntegerType())
    return true;
  if (value->getType()->isPointerType() || value->getType()->isNullPtrType())
    return !leadsToPointer(value->getType()) && isView(program, value, target);
  value = value->IgnoreParens()->IgnoreImplicit();
  if (isa<clang::CXXDefaultArgExpr, clang::ImplicitValueInitExpr>(value))
    return true;
  if (const auto *fallback = dyn_cast<clang::CXXDefaultInitExpr>(value))
    return holdsViews(program, fallback->getExpr(), target);
  const auto given = [&](const clang::Expr *one) { return holdsViews(program, one, target); };
  if (const auto *list = dyn_cast<clang::CXXStdInitializerListExpr>(value))
    return holdsViews(program, list->getSubExpr(), target);
  if (const auto *list = dyn_cast<clang::InitListExpr>(value))
    return std::ranges::all_of(list->inits(), given);
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(value);
      made && !isa<clang::CXXTemporaryObjectExpr>(made))
    return std::ranges::all_of(made->arguments(), given);
  if (const auto *call = dyn_cast<clang::CallExpr>(value); call && isForwardCall(*call))
    return holdsViews(program, call->getArg(0), target);
  return instrument::isPointerContainer(value->getType()) && isView(program, value, target);
}

/// The same for a value of its own type, which an expression may make.
bool becomesContainer(const Program &program, const clang::Expr *value, const Target &target) {
  if (!heldTypeMade(value))
    return holdsViews(program, value, target);
  value = containerIn(value);
  if (const auto *conversion = dyn_cast<clang::CXXFunctionalCastExpr>(value))
    return holdsViews(program, conversion->getSubExpr(), target);
  return std::ranges::all_of(
      cast<clang::CXXTemporaryObjectExpr>(value)->arguments(),
      [&](const clang::Expr *argument) { return holdsViews(program, argument, target); });
}

class SourceChecker : public clang::DynamicRecursiveASTVisitor {
public:
  explicit SourceChecker(Program &program)
      : program_(program), owned_(instrument::ownedPointers(program.unit.ast())) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseNamespaceDecl(clang::NamespaceDecl *space) override {
    return (instrument::holdsAlgorithms(*space) && !isUsers(program_, *space)) ||
           clang::DynamicRecursiveASTVisitor::TraverseNamespaceDecl(space);
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (instrument::isArrayVariable(*variable))
      return true; // what it starts with is its own
    if (variable->hasInit() && program_.targetOf(variable) &&
        instrument::startsWithUnusedMemory(*variable))
      makeNull(*variable, *variable->getInit());
    else if (variable->hasInit())
      check(variable, variable->getInit());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) override {
    // None of an instance that this unit does not construct.
    if (const clang::Expr *value = field->getInClassInitializer())
      check(field, value);
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer())
        check(initialiser->getMember(), initialiser->getInit());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *assignment) override {
    if (const clang::VarDecl *variable = instrument::assignedUnusedMemory(*assignment);
        variable && program_.targetOf(variable))
      makeNull(*variable, *assignment->getRHS());
    else if (assignment->getOpcode() == clang::BO_Assign)
      if (const clang::ValueDecl *declaration = named(assignment->getLHS()))
        checkAs(assignment->getLHS()->getType(), declaration, assignment->getRHS());
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr *list) override {
    instrument::giveListedMembers(*list, [this](const clang::FieldDecl *field,
                                                const clang::Expr *value) { check(field, value); });
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    if (isExchange(*call))
      if (const clang::ValueDecl *declaration = named(call->getArg(0)))
        checkAs(call->getArg(0)->getType(), declaration, call->getArg(1));
    if (const clang::Expr *container = instrument::containerCalled(*call))
      if (const clang::ValueDecl *declaration = named(container))
        for (const clang::Expr *argument : call->arguments())
          checkAs(container->getType(), declaration, argument);
    for (const clang::Expr *argument : call->arguments())
      if (const clang::ParmVarDecl *parameter = parameterFor(*call, *argument);
          parameter && !isOfOwner(*parameter, call->getExprLoc()))
        check(parameter, argument);
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    if (construction->getNumArgs() != 0 && construction->getConstructor()->getNumParams() != 0 &&
        isOfOwner(*construction->getConstructor()->getParamDecl(0), construction->getLocation()))
      return true;
    for (unsigned i = 0; i < construction->getNumArgs(); ++i)
      if (i < construction->getConstructor()->getNumParams())
        check(construction->getConstructor()->getParamDecl(i), construction->getArg(i));
    return true;
  }

  /// Null becomes a view by one conversion, and what is made of the pointer would take another.
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *conversion) override {
    const auto *construction =
        dyn_cast<clang::CXXConstructExpr>(conversion->getSubExpr()->IgnoreImplicit());
    if (conversion->getCastKind() != clang::CK_ConstructorConversion || !construction ||
        construction->getNumArgs() == 0 || construction->getConstructor()->getNumParams() == 0)
      return true;
    const Target *target = program_.targetOf(construction->getConstructor()->getParamDecl(0));
    const clang::Expr *value = construction->getArg(0);
    if (target &&
        value->isNullPointerConstant(program_.unit.ast(), clang::Expr::NPC_ValueDependentIsNotNull))
      program_.findings.refuse(
          {Code::PointerEscapes,
           fmt::format("null becomes a '{}' by way of a pointer to '{}'",
                       conversion->getType().getAsString(), target->shape.name),
           value->getExprLoc(), "write the construction out"});
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && program_.targetOf(function) &&
        !instrument::ownedThrough(*function))
      checkReturns(function, function->getBody());
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    if (program_.targetOf(lambda->getCallOperator()))
      checkReturns(lambda->getCallOperator(), lambda->getBody());
    return true;
  }

private:
  /// Where the library passes on what an object owns.
  [[nodiscard]] bool isOfOwner(const clang::ParmVarDecl &parameter,
                               clang::SourceLocation place) const {
    const clang::SourceManager &sources = program_.unit.sources();
    const bool isOwned = instrument::ownedThrough(parameter) != nullptr ||
                         std::ranges::any_of(owned_, [&](const clang::ParmVarDecl *owned) {
                           return owned->getDeclContext() == parameter.getDeclContext();
                         });
    return isOwned && !program_.unit.isUserFile(sources.getFileID(sources.getExpansionLoc(place)));
  }

  /// In place of memory that nothing uses.
  void makeNull(const clang::VarDecl &variable, const clang::Expr &memory) {
    const clang::SourceRange start = memory.getSourceRange();
    const std::optional<FilePlace> place = program_.reader.place(start.getBegin());
    const std::optional<FileRange> range = program_.reader.range(start);
    if (!place || !range ||
        !program_.editsIn(variable.getDeclContext()).add(*place, {{*range, "nullptr"}}))
      program_.findings.refuse(
          {Code::EditInMacro,
           fmt::format("'{}' is given memory in the body of a macro", variable.getNameAsString()),
           variable.getLocation(), "start with null: nothing uses that memory"});
  }

  void checkReturns(const clang::FunctionDecl *function, const clang::Stmt *statement) {
    if (!statement || isa<clang::LambdaExpr>(statement))
      return;
    if (const auto *ret = dyn_cast<clang::ReturnStmt>(statement); ret && ret->getRetValue())
      check(function, ret->getRetValue());
    for (const clang::Stmt *child : statement->children())
      checkReturns(function, child);
  }

  void check(const clang::ValueDecl *declaration, const clang::Expr *value) {
    checkAs(isa<clang::FunctionDecl>(declaration)
                ? cast<clang::FunctionDecl>(declaration)->getReturnType()
            : isForwarded(program_, *declaration) ? declaration->getType().getNonReferenceType()
                                                  : declaration->getType(),
            declaration, value);
  }

  /// \param type  of what the value becomes: the declaration's, or that of a pointer it leads to
  void checkAs(clang::QualType type, const clang::ValueDecl *declaration,
               const clang::Expr *value) {
    const Target *target = program_.targetOf(declaration);
    if (!target || isKeptReference(program_, declaration) || value->isTypeDependent() ||
        value->isValueDependent() || isOfLaunchedKernel(program_, *declaration))
      return;
    if (type->isPointerType() && isMemoryOfViews(program_, value, *target) &&
        program_.unit.ast().hasSameType(pointerIn(type), pointerIn(value->getType())))
      return editMemoryOfViews(program_, value, *target);
    if (instrument::isPointerContainer(type) ? becomesContainer(program_, value, *target)
        : leadsToPointer(type)               ? isPlaceOfView(type, value, *target)
        : type->isReferenceType()            ? isElement(program_, value, *target)
                                             : isView(program_, value, *target)) {
      editMadeContainer(program_, value, *target);
      editTypedNulls(program_, value, *target);
      return editUntypedResults(program_, value, *target);
    }
    program_.findings.refuse(
        Code::PointerEscapes,
        fmt::format("'{}' receives a value that is not known to point into an array of '{}'",
                    instrument::ArrayFlow::nameOf(declaration), target->shape.name),
        value->getExprLoc(),
        "a pointer into a rewritten array may come from cudaMalloc, from such pointers, or be "
        "null");
  }

  /// `&p` of a view, or a view itself, that a function may fill in.
  bool isPlaceOfView(clang::QualType type, const clang::Expr *value, const Target &target) const {
    const clang::Expr *bare = value->IgnoreParenImpCasts();
    if (type->isPointerType() &&
        value->isNullPointerConstant(program_.unit.ast(), clang::Expr::NPC_NeverValueDependent))
      return true;
    const auto *address = dyn_cast<clang::UnaryOperator>(bare);
    if (type->isPointerType() && address && address->getOpcode() == clang::UO_AddrOf)
      bare = address->getSubExpr()->IgnoreParenImpCasts();
    else if (type->isPointerType() && !leadsToPointer(bare->getType()) && !isArrayOfPointers(*bare))
      return false;
    const clang::ValueDecl *declaration = named(bare);
    return declaration && (bare->isGLValue() || isa<clang::CallExpr>(bare)) &&
           program_.targetOf(declaration) == &target &&
           // One of const records is not filled in with others, nor the other way round.
           program_.unit.ast().hasSameType(pointerIn(type), pointerIn(bare->getType()));
  }

  static bool isArrayOfPointers(const clang::Expr &array) {
    const clang::ArrayType *type = array.getType()->getAsArrayTypeUnsafe();
    return type && type->getElementType()->isPointerType();
  }

  static clang::QualType pointerIn(clang::QualType type) {
    type = type.getNonReferenceType();
    if (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
      return array->getElementType().getCanonicalType().getUnqualifiedType();
    if (type->isPointerType() && type->getPointeeType()->isPointerType())
      type = type->getPointeeType();
    return type.getCanonicalType().getUnqualifiedType();
  }

  Program &program_;
  std::vector<const clang::ParmVarDecl *> owned_; ///< by unique pointers
};

} // namespace

bool isElement(const Program &program, const clang::Expr *value, const Target &target) {
  value = value->IgnoreParenImpCasts();
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(value))
    return choice->isGLValue() && isElement(program, choice->getTrueExpr(), target) &&
           isElement(program, choice->getFalseExpr(), target);
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(value))
    return isElement(program, wrapper->getSubExpr(), target);
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(value))
    return isView(program, subscript->getBase(), target);
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(value))
    return unary->getOpcode() == clang::UO_Deref && isView(program, unary->getSubExpr(), target);
  if (const auto *call = dyn_cast<clang::CallExpr>(value))
    return call->getDirectCallee() && program.targetOf(call->getDirectCallee()) == &target &&
           call->getDirectCallee()->getReturnType()->isReferenceType();
  const clang::ValueDecl *declaration = named(value);
  return declaration && declaration->getType()->isReferenceType() &&
         !isKeptReference(program, declaration) && program.targetOf(declaration) == &target;
}

bool isView(const Program &program, const clang::Expr *value, const Target &target) {
  value = value->IgnoreParenImpCasts();
  if (isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral,
          clang::ImplicitValueInitExpr>(value))
    return true;
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(value))
    return isView(program, wrapper->getSubExpr(), target);
  if (const auto *fallback = dyn_cast<clang::CXXDefaultArgExpr>(value))
    return isView(program, fallback->getExpr(), target);
  if (const auto *fallback = dyn_cast<clang::CXXDefaultInitExpr>(value))
    return isView(program, fallback->getExpr(), target);
  if (untypedResult(program, value, target))
    return true;
  if (const clang::Expr *range = instrument::pointedInto(*value);
      range && value->getType()->isPointerType())
    return isView(program, range, target);
  if (const auto *list = dyn_cast<clang::InitListExpr>(value))
    return (list->getNumInits() <= 1 || list->getType()->isArrayType()) &&
           std::ranges::all_of(list->inits(), [&](const clang::Expr *initial) {
             return isView(program, initial, target);
           });
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(value))
    return isView(program, choice->getTrueExpr(), target) &&
           isView(program, choice->getFalseExpr(), target);
  if (const auto *call = dyn_cast<clang::CallExpr>(value);
      call && (isExchange(*call) || isMove(*call)))
    return isView(program, call->getArg(0), target);
  if (instrument::isPointerContainer(value->getType()) || instrument::containerLedInto(*value))
    return named(value) && program.targetOf(named(value)) == &target;
  if (const auto *call = dyn_cast<clang::CallExpr>(value))
    return call->getDirectCallee() && program.targetOf(call->getDirectCallee()) == &target &&
           !call->getDirectCallee()->getReturnType()->isReferenceType();
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(value)) {
    if (unary->getOpcode() == clang::UO_AddrOf)
      return isElement(program, unary->getSubExpr(), target);
    if (unary->getOpcode() != clang::UO_Deref) // of an array of pointers
      return unary->isIncrementDecrementOp() && isView(program, unary->getSubExpr(), target);
  }
  if (const auto *conversion = dyn_cast<clang::CastExpr>(value);
      conversion && keepsPointer(*conversion))
    return isView(program, conversion->getSubExpr(), target);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(value)) {
    if (binary->getOpcode() == clang::BO_Comma)
      return isView(program, binary->getRHS(), target);
    if (binary->isAssignmentOp() || binary->getLHS()->getType()->isPointerType())
      return isView(program, binary->getLHS(), target);
    return binary->getOpcode() == clang::BO_Add && isView(program, binary->getRHS(), target);
  }
  const clang::ValueDecl *declaration = named(value);
  return declaration && program.targetOf(declaration) == &target &&
         (!declaration->getType()->isReferenceType() ||
          declaration->getType().getNonReferenceType()->isPointerType());
}

void checkSources(Program &program) {
  checkHolders(program);
  SourceChecker(program).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

} // namespace relayout::rewriter
