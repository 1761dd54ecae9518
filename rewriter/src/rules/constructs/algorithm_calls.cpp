// SPDX-License-Identifier: Apache-2.0
// Thrust's and CUB's algorithms on rewritten arrays. Views are iterators; what they lead to is read
// as a value, and changed by assignments, so that calls keep their text.
#include "legality/execution_space.h"
#include "relayout/instrument/clang/library_algorithms.h"
#include "rules/constructs.h"

#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using instrument::AlgorithmCall;

/// Why views of the record cannot be iterators; empty where they can.
std::string obstacleToIteration(const Target &target) {
  const clang::CXXRecordDecl &record = *target.record;
  if (target.shape.isScalar)
    return "an algorithm of a library's works on a plain array";
  if (!record.hasTrivialCopyAssignment() || !record.hasTrivialCopyConstructor() ||
      std::ranges::any_of(record.methods(), [](const clang::CXXMethodDecl *method) {
        return !method->isImplicit() && method->getOverloadedOperator() == clang::OO_Equal;
      }))
    return "an algorithm of a library's assigns elements by an operator of the program's";
  if (!record.getVisibleConversionFunctions().empty())
    return "an algorithm of a library's works on elements that convert to other types";
  return {};
}

Step unknownAlgorithm(const AlgorithmCall &call, std::string why, clang::SourceLocation where,
                      std::string remedy) {
  return refused(Code::PointerEscapes,
                 fmt::format("'{}' works on the array, and {}", nameOf(call), why), where,
                 std::move(remedy));
}

/// A parameter of a function that is given elements.
/// \param isAlone  the function has no overloads
/// \returns  a refusal; nothing where views can give them
std::optional<Step> readParameter(Climb &climb, const AlgorithmCall &call,
                                  const clang::Expr &pointer, const clang::CXXMethodDecl &function,
                                  const clang::ParmVarDecl &parameter, bool isAlone) {
  const clang::QualType type = parameter.getType();
  if (!type->isReferenceType())
    return std::nullopt;
  if (function.getReturnType()->isReferenceType() || function.getReturnType()->isPointerType())
    return unknownAlgorithm(call, "its function may return an element's address",
                            parameter.getLocation(), "return a value");
  const bool isConst = type.getNonReferenceType().isConstQualified() &&
                       !type.getNonReferenceType().isVolatileQualified();
  if (type->isLValueReferenceType() && isConst) {
    followReference(climb, parameter, pointer, /*isValue=*/true);
    climb.references.noteCopyFor(climb, function, pointer.getExprLoc());
    return std::nullopt;
  }
  if (type->isLValueReferenceType() && call.givesReferences && isAlone &&
      climb.flowsInto(&parameter))
    return std::nullopt;
  return unknownAlgorithm(call, "its function takes elements by a reference that may change them",
                          parameter.getLocation(),
                          "take them by value or by const reference, or call for_each");
}

std::optional<Step> readFunctions(Climb &climb, const AlgorithmCall &call,
                                  const clang::Expr &pointer) {
  for (const clang::Expr *argument : call.arguments) {
    const instrument::FunctionObject object = instrument::functionObject(*argument);
    if (object.isUnclear)
      return unknownAlgorithm(
          call, "what type its function takes elements as does not show", argument->getExprLoc(),
          "give it an object whose operator() takes them by value or by const reference");
    for (const clang::CXXMethodDecl *function : object.calls) {
      if (!isUsers(climb.program, *function))
        continue;
      for (const clang::ParmVarDecl *parameter : function->parameters())
        if (instrument::takesElement(*parameter, *climb.target.record))
          if (auto refusal = readParameter(climb, call, pointer, *function, *parameter,
                                           /*isAlone=*/object.calls.size() == 1))
            return refusal;
    }
  }
  return std::nullopt;
}

} // namespace

/// `thrust::sort(thrust::device, p, p + n, ByKey())`
std::optional<Step> pointerInAlgorithmCall(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = clang::dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const AlgorithmCall known = call ? instrument::algorithmCallOf(*call) : AlgorithmCall();
  if (known.name.empty() || here.expression == known.policy)
    return std::nullopt;
  const clang::SourceLocation where = here.expression->getExprLoc();
  const bool isInKernels = isDeclaredForDevice(climb.function);
  if (!known.isKnown)
    return unknownAlgorithm(known, "may keep addresses of its elements", where,
                            "write a kernel in its place");
  if (!known.isIteratorMaker && !known.isOfCub &&
      (!known.policy || !instrument::runsOnDevice(*known.policy, isInKernels)))
    return unknownAlgorithm(known, "is not known to run on the device", where,
                            "call it with thrust::device");
  if (climb.target.shape.isCopiedByHostAlone)
    return unknownAlgorithm(known, "copies elements, and their copy functions are the host's alone",
                            where, "declare them __host__ __device__");
  if (const std::string obstacle = obstacleToIteration(climb.target); !obstacle.empty())
    return refused(Code::PointerEscapes, obstacle, where, "write a kernel in its place");
  if (std::optional<Step> refusal = readFunctions(climb, known, *here.expression))
    return refusal;
  const bool isConst = here.expression->getType()->getPointeeType().isConstQualified();
  climb.needOn(isConst, ViewOperation::Iterate);
  if (isConst)
    for (const ViewOperation operation : {ViewOperation::Difference, ViewOperation::Equality,
                                          ViewOperation::Order, ViewOperation::LoadConst})
      climb.need(operation);
  const clang::Expr *result = instrument::pointedInto(*call);
  return result == here.expression && call->getType()->isPointerType() ? climbTo(pointerAt(call))
                                                                       : done();
}

} // namespace relayout::rewriter
