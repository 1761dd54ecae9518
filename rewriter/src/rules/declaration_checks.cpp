// SPDX-License-Identifier: Apache-2.0
// The list of what stands against a declaration that would become a view: one check a reason.
#include "rules/declaration_checks.h"

#include "legality/overriders.h"
#include "legality/template_arguments.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "rules/early_declarations.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// \returns  a refusal whose text continues the declaration's name
using Check = std::optional<Refusal> (*)(const Program &program,
                                         const clang::DeclaratorDecl &declarator,
                                         const Target &target);

std::optional<Refusal> because(const clang::NamedDecl &declaration, std::string why,
                               std::string remedy, Code code = Code::DeclarationFixed) {
  const std::string own = declaration.getNameAsString(); // of an operator, too
  const std::string name = own.empty() ? "a parameter without a name" : fmt::format("'{}'", own);
  return Refusal{code, fmt::format("{} {}", name, why), declaration.getLocation(),
                 std::move(remedy)};
}

/// The element of an array or container of pointers; any other type is itself.
clang::QualType heldElement(clang::QualType type) {
  if (const clang::QualType held = instrument::pointerHeldBy(type); !held.isNull())
    return held;
  clang::QualType element = type;
  while (const clang::ArrayType *array = element->getAsArrayTypeUnsafe())
    element = array->getElementType();
  return element->isPointerType() ? element : type;
}

clang::QualType typeOf(const clang::DeclaratorDecl &declarator) {
  const auto *function = dyn_cast<clang::FunctionDecl>(&declarator);
  return function ? function->getReturnType() : declarator.getType();
}

std::optional<Refusal> pointerToPointer(const Program &, const clang::DeclaratorDecl &declarator,
                                        const Target &target) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator);
  const auto *variable = dyn_cast<clang::VarDecl>(&declarator);
  const bool isLocalReference =
      variable && variable->isLocalVarDecl() && variable->getType()->isLValueReferenceType();
  const bool isTable = (variable || isa<clang::FieldDecl>(declarator)) && !parameter &&
                       declarator.getType()->isPointerType();
  const bool leadsToPointer =
      isLocalReference || isTable || (parameter && !parameter->getOriginalType()->isArrayType());
  const clang::QualType type =
      leadsToPointer ? heldPointer(typeOf(declarator)) : heldElement(typeOf(declarator));
  const clang::QualType value = type.getNonReferenceType();
  const bool isOfRows = value->isPointerType() && value->getPointeeType()->isArrayType();
  if (isOfRows && target.shape.rows.empty())
    return because(declarator, fmt::format("is a pointer to arrays of '{}'", target.shape.name),
                   "point to the first element", Code::PointerToPointer);
  if (isOfRows && type.getCanonicalType() != typeOf(declarator).getCanonicalType())
    return because(declarator,
                   fmt::format("holds or refers to pointers to rows of '{}'", target.shape.name),
                   "use a pointer for each array", Code::PointerToPointer);
  const bool isOneLevel = !value->isPointerType() || isOfRows ||
                          instrument::elementRecordOf(value->getPointeeType()) != nullptr;
  if (isOneLevel && !type->isRValueReferenceType() &&
      (!type->isReferenceType() || value->isRecordType()))
    return std::nullopt;
  return because(declarator,
                 fmt::format("is a pointer or reference to a pointer to '{}'", target.shape.name),
                 "pass and return the pointer by value", Code::PointerToPointer);
}

std::optional<Refusal> arrayOfRecords(const Program &, const clang::DeclaratorDecl &declarator,
                                      const Target &target) {
  if (!heldPointer(typeOf(declarator))->isArrayType() || instrument::isArrayVariable(declarator))
    return std::nullopt;
  return because(declarator, fmt::format("is an array of '{}'", target.shape.name),
                 "only pointers become views, and arrays in device memory that start as zeros");
}

std::optional<Refusal> volatileRecords(const Program &, const clang::DeclaratorDecl &declarator,
                                       const Target &) {
  const clang::QualType type = heldPointer(typeOf(declarator));
  if (type->isArrayType()) // an array variable, whose elements are none
    return std::nullopt;
  if (!pointeeOf(type).isVolatileQualified() && !type.isVolatileQualified())
    return std::nullopt;
  return because(declarator, "is volatile", "views have no volatile accesses");
}

/// The header follows the record's definition, and views are known behind it only.
std::optional<Refusal> beforeDefinition(const Program &program,
                                        const clang::DeclaratorDecl &declarator,
                                        const Target &target) {
  if (isWrittenOut(program, declarator) || // behind the header
      program.unit.sources().isBeforeInTranslationUnit(
          definedBeforeHeader(*target.record).getBraceRange().getEnd(), declarator.getLocation()))
    return std::nullopt;
  const auto *field = dyn_cast<clang::FieldDecl>(&declarator);
  if (field && field->getParent()->getDefinition() == target.record)
    return because(declarator, "is a pointer between records that change their layout",
                   "link records by index instead");
  if (mayNameEarly(program, declarator, target))
    return std::nullopt;
  return because(declarator, fmt::format("is declared before '{}' is", target.shape.name),
                 "move the definition of the record up", Code::UsedBeforeDefinition);
}

std::optional<Refusal> member(const Program &program, const clang::DeclaratorDecl &declarator,
                              const Target &) {
  const auto *field = dyn_cast<clang::FieldDecl>(&declarator);
  if (!field)
    return std::nullopt;
  if (field->getType()->isReferenceType())
    return because(*field, "is a member reference", "store a pointer instead");
  if (field->getParent()->isUnion())
    return because(*field, "is a member of a union", "take it out of the union");
  if (program.targetOf(dyn_cast<clang::CXXRecordDecl>(field->getParent())))
    return because(*field, "is a pointer between records that change their layout",
                   "link records by index instead");
  return std::nullopt;
}

std::optional<Refusal> definedElsewhere(const Program &program,
                                        const clang::NamedDecl &declaration) {
  if (program.isDefinedInC(declaration))
    return because(declaration, "is defined in a C file, which has no views",
                   "define it in a CUDA or C++ file");
  return because(declaration, "is defined in a file that was not given",
                 "give all units of the program");
}

std::optional<Refusal> variable(const Program &program, const clang::DeclaratorDecl &declarator,
                                const Target &) {
  const auto *variable = dyn_cast<clang::VarDecl>(&declarator);
  if (!variable)
    return std::nullopt;
  if (isa<clang::DecompositionDecl>(variable))
    return Refusal{Code::DeclarationFixed, "a structured binding refers to an element of an array",
                   variable->getLocation(), "copy the element, or name its fields"};
  if (variable->isInitCapture() && variable->getType()->isReferenceType())
    return because(*variable, "is captured by reference", "capture the pointer instead");
  if (const clang::QualType type = heldPointer(variable->getType());
      type->isReferenceType() && program.index.isCopiedByLambda(*variable))
    return because(*variable, "refers to an element, which a lambda copies",
                   "capture it by reference, or copy the element to a variable first");
  if (variable->isConstexpr())
    return because(*variable, "is constexpr", "make it const");
  if (variable->hasExternalStorage() && !variable->getDefinition() && !program.isDefined(*variable))
    return definedElsewhere(program, *variable);
  return std::nullopt;
}

/// What stands against changing the type of a function.
std::optional<Refusal> function(const Program &program, const clang::FunctionDecl &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  const clang::TemplateSpecializationKind kind = function.getTemplateSpecializationKind();
  if (method && method->isVirtual())
    if (const std::optional<std::string> obstacle = obstacleToOverriding(program, *method))
      return because(function, *obstacle, "call it through a plain function");
  // A kernel's launch names it in a unit that CUDA's compiler reads.
  const bool isForC = function.isExternC() && !program.definitions.knowsCallersOfC();
  if ((isForC && !function.hasAttr<clang::CUDAGlobalAttr>()) || function.isMain())
    return because(function, "has C linkage and takes or returns pointers to records",
                   "call it through a plain function");
  const bool isOfElements =
      isa<clang::CXXConversionDecl>(function) && !function.getReturnType()->isPointerType();
  if (isOfElements ||
      (function.isOverloadedOperator() && function.getOverloadedOperator() != clang::OO_Call &&
       function.getOverloadedOperator() != clang::OO_Subscript))
    return because(function, "is an operator on pointers to records",
                   "call it through a plain function");
  if ((kind == clang::TSK_ExplicitInstantiationDefinition ||
       kind == clang::TSK_ExplicitInstantiationDeclaration) &&
      !program.copyAround(&function))
    return because(function, "is instantiated explicitly", "let the calls instantiate it");
  if (!function.isDefined() && !function.getTemplateInstantiationPattern() &&
      !program.isDefined(function) && !function.isPureVirtual())
    return definedElsewhere(program, function);
  return std::nullopt;
}

std::optional<Refusal> parameter(const Program &program, const clang::DeclaratorDecl &declarator,
                                 const Target &) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator);
  if (!parameter)
    return std::nullopt;
  if (const auto *owner = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()))
    return function(program, *owner);
  if (program.index.isOfPointer(*parameter))
    return std::nullopt;
  return Refusal{Code::DeclarationFixed,
                 "a type of functions that is no pointer's has a parameter that becomes a view",
                 parameter->getLocation(), "write the type of a pointer to functions out"};
}

constexpr Check kChecks[] = {pointerToPointer, arrayOfRecords, volatileRecords, beforeDefinition,
                             member,           variable,       parameter};
constexpr Check kChecksOfReturns[] = {pointerToPointer, arrayOfRecords, volatileRecords,
                                      beforeDefinition};

} // namespace

const clang::DeclContext *scopeOf(const Program &program, const clang::DeclaratorDecl &declarator) {
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator))
    if (const clang::NamedDecl *pointer = program.index.declaredWith(*parameter))
      return pointer->getDeclContext();
  const auto *function = dyn_cast<clang::FunctionDecl>(&declarator);
  return function ? function : declarator.getDeclContext();
}

bool isWrittenOut(const Program &program, const clang::DeclaratorDecl &declarator) {
  return program.copyAround(scopeOf(program, declarator)) != nullptr;
}

clang::QualType heldPointer(clang::QualType type) {
  const clang::QualType element = heldElement(type);
  if (!element->isPointerType() && !element->isLValueReferenceType())
    return element;
  const clang::QualType pointee = element->getPointeeType();
  return pointee->isPointerType() ? pointee : element;
}

clang::QualType pointeeOf(clang::QualType type) {
  return type->isReferenceType() ? type.getNonReferenceType() : type->getPointeeType();
}

std::optional<Refusal> refusalOf(const Program &program, const clang::DeclaratorDecl &declarator,
                                 const Target &target) {
  for (const Check check : kChecks)
    if (std::optional<Refusal> refusal = check(program, declarator, target))
      return refusal;
  return std::nullopt;
}

std::optional<Refusal> refusalOfReturn(const Program &program, const clang::FunctionDecl &declared,
                                       const Target &target) {
  for (const Check check : kChecksOfReturns)
    if (std::optional<Refusal> refusal = check(program, declared, target))
      return refusal;
  if (std::optional<Refusal> refusal = function(program, declared))
    return refusal;
  if (declared.getReturnType()->isReferenceType() && target.shape.isScalar &&
      !instrument::isPointerContainer(declared.getReturnType()))
    return because(declared,
                   fmt::format("returns a reference to an element of '{}'", target.shape.name),
                   "return the index or a pointer");
  return std::nullopt;
}

} // namespace relayout::rewriter
