// SPDX-License-Identifier: Apache-2.0
// Resolves expressions to what they refer to; looks at one expression at a time.
#include "model/referents.h"

#include "model/comparators.h"
#include "model/host_buffers.h"
#include "model/shared_parts.h"
#include "model/thrust_vectors.h"
#include "model/vector_expressions.h"

#include "relayout/instrument/clang/library_algorithms.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/pointer_exchange.h"
#include "relayout/instrument/clang/pointer_owners.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "relayout/instrument/clang/untyped_functions.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

const clang::FunctionDecl *representative(const clang::FunctionDecl *function) {
  if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    function = pattern;
  if (const clang::FunctionDecl *definition = function->getDefinition())
    return definition;
  return function->getCanonicalDecl();
}

/// What of the library's holds pointers to memory that is not its own; null: it holds its own.
const char *pointerKeeperOf(const clang::FunctionDecl &callee) {
  const clang::QualType result = callee.getReturnType();
  if (result->isReferenceType() && result.getNonReferenceType()->isPointerType())
    return "an element of a container of pointers";
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  const auto *owner =
      method ? dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()) : nullptr;
  if (owner &&
      isOneOf(owner->getName().str(), {"shared_ptr", "__shared_ptr", "__shared_ptr_access"}))
    return "the pointer of a shared_ptr";
  if (owner && owner->getName() == "span")
    return kPointerOfSpan.data();
  return owner && hasOwnDeleter(*owner)
             ? "the pointer of a unique_ptr whose deleter is no class with one function for it"
             : nullptr;
}

/// `d.data().get()`, and `thrust::raw_pointer_cast(v.data())` of a template's text.
bool isPointerOfThrust(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (callee)
    return isa<clang::CXXMethodDecl>(callee) && calleeName(&call) == "get" && isOfThrust(*callee);
  const auto *overloads = dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParens());
  return overloads && overloads->getName().getAsString() == "raw_pointer_cast";
}

/// `a` of `a = b`, where the assignment is the language's own; else null.
const clang::Expr *returnedObject(const clang::CallExpr &call) {
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  return isa<clang::CXXOperatorCallExpr>(call) && method && !method->isUserProvided() &&
                 (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())
             ? call.getArg(0)
             : nullptr;
}

void resolveCall(const clang::CallExpr *call, Referent &to) {
  const std::string name = calleeName(call);
  const std::string standard = standardName(call);
  if ((name == "__ldg" || isOneOf(standard, {"move", "forward", "addressof", "launder"})) &&
      call->getNumArgs() == 1)
    return resolve(call->getArg(0), to);
  if (standard == "exchange" && call->getNumArgs() == 2) // the new value: readFlow()
    return resolve(call->getArg(0), to);
  if (const clang::Expr *range = pointedInto(*call); range && call->getType()->isPointerType())
    return resolve(range, to);
  if (const clang::Expr *container = containerLedInto(*call))
    return resolve(container, to);
  if (name == "raw_pointer_cast" || isPointerOfThrust(*call))
    return to.note(std::string(kStorageOfThrust), call);
  if (isOneOf(name, {"malloc", "calloc", "realloc", "aligned_alloc"})) {
    to.noteHost(call->getExprLoc());
    return;
  }
  const clang::FunctionDecl *callee = call->getDirectCallee();
  if (!callee)
    return to.note("what a call through a pointer returns", call);
  if (const clang::Expr *object = returnedObject(*call))
    return resolve(object, to);
  const auto *method = dyn_cast<clang::CXXMemberCallExpr>(call);
  if (method && isHostVectorOfThrust(objectType(*method))) {
    to.noteHost(call->getExprLoc());
    return;
  }
  if (isOfStandardLibrary(callee)) {
    if (ownedThrough(*callee)) {
      to.declarations.push_back(callee);
      return;
    }
    if (const char *kept = pointerKeeperOf(*callee))
      return to.note(kept, call);
    if (isPointerContainer(call->getType()))
      return to.note("a container of pointers that the standard library returns", call);
    to.noteHost(call->getExprLoc()); // containers, smart pointers, iterators
    return;
  }
  to.declarations.push_back(callee);
}

/// `(R *)deviceAlloc(bytes)`, of a function that allocates memory of any type.
/// \returns  false where the function is none of those
bool resolveUntypedCall(const clang::CallExpr &call, Referent &to) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || untypedLevel(callee->getReturnType()) != 1 || isOfStandardLibrary(callee))
    return false;
  const UntypedFunction function = readUntyped(*callee);
  if (!function.obstacle.empty()) {
    to.note("memory from '" + callee->getNameAsString() + "', which " + function.obstacle, &call);
    return true;
  }
  const std::size_t result = function.returned();
  if (result == UntypedFunction::kNone)
    return false;
  const Origins &made = function.pointers[result].allocated;
  to.origins.device |= made.device;
  to.origins.managed |= made.managed;
  to.origins.pinned |= made.pinned;
  if (made.host)
    to.noteHost(call.getExprLoc());
  if (const clang::Expr *through = function.argumentFor(result, call))
    resolve(through->IgnoreParenCasts(), to);
  return true;
}

/// `R **` leads to memory that holds pointers; what these point to comes from elsewhere.
bool leadsToPointers(clang::QualType type) {
  return type->isPointerType() && type->getPointeeType()->isPointerType();
}

void resolveCast(const clang::ExplicitCastExpr *cast, Referent &to) {
  const clang::Expr *operand = cast->getSubExpr()->IgnoreParenImpCasts();
  if (isa<clang::CallExpr>(operand) && operand->getType()->isVoidPointerType() &&
      leadsToPointers(cast->getType()))
    return; // a table of pointers, which the rewriter judges
  const RecordType from = recordTypeOf(operand->getType());
  const RecordType into = recordTypeOf(cast->getType());
  if (from.record == into.record)
    return resolve(operand, to);
  if (isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral>(operand))
    return;
  if (makesHostMemory(*operand)) {
    to.noteHost(operand->getExprLoc());
    return;
  }
  if (const auto *call = dyn_cast<clang::CallExpr>(operand); call && resolveUntypedCall(*call, to))
    return;
  const auto *name = dyn_cast<clang::DeclRefExpr>(operand);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (leadsIntoSharedMemory(*operand)) {
    to.origins.shared = true;
    return;
  }
  if (variable && (holdsHostMemoryAlone(*variable) || isGivenToCompare(*variable)))
    return to.noteHost(variable->getLocation());
  to.note("a cast from '" + operand->getType().getAsString() + "'", cast);
}

/// A container that is made of pointers, of another one, or with as many elements as a number says.
void resolveContainer(const clang::CXXConstructExpr &made, Referent &to) {
  for (const clang::Expr *argument : made.arguments())
    if (!argument->getType()->isIntegerType() && !isa<clang::CXXDefaultArgExpr>(argument))
      resolve(argument, to);
}

void resolveDeclaration(const clang::ValueDecl *declaration, Referent &to) {
  const RecordType target = recordTypeOf(declaration->getType());
  const auto *variable = dyn_cast<clang::VarDecl>(declaration);
  if (target.indirect)
    to.declarations.push_back(declaration);
  else if (variable)
    addVariableOrigin(variable, to);
  else
    to.origins.local = true;
}

} // namespace

RecordType recordTypeOf(clang::QualType type) {
  RecordType target;
  if (type.isNull())
    return target;
  if (type->isReferenceType()) {
    target.indirect = true;
    type = type.getNonReferenceType();
  }
  if (const clang::QualType held = pointerHeldBy(type); !held.isNull())
    type = held;
  while (true) {
    if (const auto *pointer = type->getAs<clang::PointerType>()) {
      type = pointer->getPointeeType();
    } else if (const clang::ArrayType *array = type->getAsArrayTypeUnsafe()) {
      type = array->getElementType();
    } else {
      break;
    }
    target.indirect = true;
  }
  target.record = scalarRecordOf(type);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  const bool isUnnamedPart = record && !record->getIdentifier() &&
                             !record->getTypedefNameForAnonDecl() &&
                             record->getDeclContext()->isRecord() && !record->isLambda();
  if (record && !target.record && !isUnnamedPart) // of which there are no arrays by themselves
    target.record = record->getCanonicalDecl();
  return target;
}

const clang::ValueDecl *canonical(const clang::ValueDecl *declaration) {
  if (const auto *binding = dyn_cast<clang::BindingDecl>(declaration)) // of a struct's member
    if (const auto *member = dyn_cast_or_null<clang::MemberExpr>(binding->getBinding()))
      return canonical(member->getMemberDecl());
  if (const clang::ParmVarDecl *owned = ownedThrough(*declaration))
    declaration = owned;
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration)) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
    const unsigned index = parameter->getFunctionScopeIndex();
    if (!function || index >= function->getNumParams() ||
        function->getParamDecl(index) != parameter) // of a parameter's type: `void (*f)(R *)`
      return declaration;
    const clang::FunctionDecl *pattern = representative(function);
    if (index < pattern->getNumParams() &&
        !pattern->getParamDecl(index)->getType()->isDependentType())
      return pattern->getParamDecl(index);
    if (const clang::FunctionDecl *definition = function->getDefinition();
        definition && index < definition->getNumParams())
      return definition->getParamDecl(index);
    return declaration;
  }
  if (const auto *function = dyn_cast<clang::FunctionDecl>(declaration)) {
    const clang::FunctionDecl *pattern = representative(function);
    if (!pattern->getReturnType()->isDependentType())
      return pattern;
    if (const clang::FunctionDecl *definition = function->getDefinition())
      return definition;
    return function->getCanonicalDecl();
  }
  if (const auto *variable = dyn_cast<clang::VarDecl>(declaration)) {
    if (const clang::VarDecl *pattern = variable->getTemplateInstantiationPattern();
        pattern && !pattern->getType()->isDependentType())
      return pattern->getCanonicalDecl();
    // A local of an instantiated function: the local at the same place of the pattern.
    if (const auto *function = dyn_cast<clang::FunctionDecl>(variable->getDeclContext()))
      if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
        for (const clang::Decl *member : pattern->decls())
          if (const auto *local = dyn_cast<clang::VarDecl>(member);
              local && local->getLocation() == variable->getLocation() &&
              !local->getType()->isDependentType())
            return local->getCanonicalDecl();
    return variable->getCanonicalDecl();
  }
  return cast<clang::ValueDecl>(declaration->getCanonicalDecl());
}

std::string calleeName(const clang::CallExpr *call) {
  const clang::FunctionDecl *callee = call->getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() ? callee->getName().str() : std::string();
}

std::string standardName(const clang::CallExpr *call) {
  const clang::FunctionDecl *callee = call->getDirectCallee();
  if (callee && callee->isInStdNamespace())
    return calleeName(call);
  return exchangesPointers(*call) ? "swap" : std::string();
}

bool isOperator(const clang::FunctionDecl &function) {
  return function.isOverloadedOperator() && function.getOverloadedOperator() != clang::OO_Call;
}

bool isOfStandardLibrary(const clang::FunctionDecl *function) {
  for (const clang::DeclContext *scope = function->getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
        space && (space->isStdNamespace() || space->getName() == "__gnu_cxx"))
      return true;
  return false;
}

bool isOneOf(const std::string &name, std::initializer_list<const char *> names) {
  return std::any_of(names.begin(), names.end(), [&](const char *n) { return name == n; });
}

bool alwaysTakesValue(const clang::ParmVarDecl &parameter) {
  const clang::QualType type = parameter.getType();
  const clang::QualType value = type.getNonReferenceType();
  if (!type->isLValueReferenceType() || isPointerContainer(type) ||
      !(value->isRecordType() || scalarRecordOf(value)))
    return false;
  const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  return value.isConstQualified() || (function && isOperator(*function)) ||
         isVectorReference(parameter);
}

void Referent::noteHost(clang::SourceLocation where) {
  origins.host = true;
  hostMemory.push_back(where);
}

void Referent::note(std::string what, const clang::Expr *where) {
  origins.unknown = true;
  unknown.emplace_back(std::move(what), where->getExprLoc());
}

void addVariableOrigin(const clang::VarDecl *variable, Referent &to) {
  if (isSharedArray(*variable))
    to.origins.ownShared = true;
  else if (variable->hasAttr<clang::CUDASharedAttr>())
    to.origins.shared = true;
  else if (isStaticDeviceArray(*variable))
    to.origins.device = true;
  else if (variable->hasAttr<clang::CUDADeviceAttr>() ||
           variable->hasAttr<clang::CUDAConstantAttr>())
    to.origins.symbol = true;
  else if (variable->getType()->isArrayType())
    to.noteHost(variable->getLocation());
  else
    to.origins.local = true;
}

namespace {

/// The operand whose value the result points into.
const clang::Expr *pointerOperandOf(const clang::BinaryOperator &binary) {
  const bool isLeft = binary.getOpcode() != clang::BO_Comma &&
                      (binary.isAssignmentOp() || binary.getLHS()->getType()->isPointerType());
  return isLeft ? binary.getLHS() : binary.getRHS();
}

/// What a node that adds nothing stands for; null: it is none.
const clang::Expr *wrappedBy(const clang::Expr *expression) {
  if (const auto *argument = dyn_cast<clang::CXXDefaultArgExpr>(expression))
    return argument->getExpr();
  if (const auto *initialiser = dyn_cast<clang::CXXDefaultInitExpr>(expression))
    return initialiser->getExpr();
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(expression))
    return wrapper->getSubExpr();
  if (const auto *opaque = dyn_cast<clang::OpaqueValueExpr>(expression))
    return opaque->getSourceExpr();
  if (const auto *list = dyn_cast<clang::CXXStdInitializerListExpr>(expression))
    return list->getSubExpr();
  if (const auto *temporary = dyn_cast<clang::CXXBindTemporaryExpr>(expression))
    return temporary->getSubExpr();
  if (const auto *literal = dyn_cast<clang::CompoundLiteralExpr>(expression);
      literal && literal->getType()->isPointerType()) // `(R *){}`
    return literal->getInitializer();
  return nullptr;
}

} // namespace

void resolve(const clang::Expr *expression, Referent &to) {
  if (!expression)
    return;
  expression = expression->IgnoreParenImpCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto *binding = dyn_cast<clang::BindingDecl>(name->getDecl());
    return binding && binding->getBinding() ? resolve(binding->getBinding(), to)
                                            : resolveDeclaration(name->getDecl(), to);
  }
  if (const auto *member = dyn_cast<clang::MemberExpr>(expression)) {
    if (const clang::Expr *range = pointedInto(*member))
      return resolve(range, to);
    return resolveDeclaration(member->getMemberDecl(), to);
  }
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression))
    return resolve(subscript->getBase(), to);
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression))
    return resolve(unary->getSubExpr(), to);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression))
    return resolve(pointerOperandOf(*binary), to);
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(expression)) {
    resolve(choice->getTrueExpr(), to);
    return resolve(choice->getFalseExpr(), to);
  }
  if (const auto *choice = dyn_cast<clang::BinaryConditionalOperator>(expression)) {
    resolve(choice->getCommon(), to);
    return resolve(choice->getFalseExpr(), to);
  }
  if (const auto *cast = dyn_cast<clang::ExplicitCastExpr>(expression)) {
    if (recordTypeOf(cast->getType()).record)
      resolveCast(cast, to);
    return;
  }
  if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    return resolveCall(call, to);
  if (const auto *made = dyn_cast<clang::CXXNewExpr>(expression)) {
    if (leadsToPointers(made->getType()))
      return;
    if (isa_and_nonnull<clang::CXXMethodDecl>(made->getOperatorNew())) // which may ask CUDA
      return to.note("memory of its class's operator new", made);
    return to.noteHost(made->getExprLoc());
  }
  if (const auto *list = dyn_cast<clang::InitListExpr>(expression)) {
    if (list->getNumInits() == 1 || list->getType()->isArrayType())
      for (const clang::Expr *initial : list->inits())
        resolve(initial, to);
    return;
  }
  if (const clang::Expr *inner = wrappedBy(expression))
    return resolve(inner, to);
  if (const auto *block = dyn_cast<clang::StmtExpr>(expression)) {
    if (const auto *last = dyn_cast_or_null<clang::Expr>(block->getSubStmt()->body_back()))
      resolve(last, to);
    return;
  }
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(expression);
      made && isPointerContainer(made->getType()))
    return resolveContainer(*made, to);
  if (isa<clang::MaterializeTemporaryExpr, clang::CXXConstructExpr, clang::CXXThisExpr,
          clang::CompoundLiteralExpr>(expression)) {
    to.origins.local = true;
    return;
  }
  if (isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral,
          clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(expression))
    return;
  if (!expression->isTypeDependent())
    to.note("an expression of a kind not followed", expression);
}

} // namespace relayout::instrument
