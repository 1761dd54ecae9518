// SPDX-License-Identifier: Apache-2.0
// Knows the places where an iterator and a pointer do the same.
#include "model/vector_iterators.h"

#include "model/referents.h"
#include "model/thrust_vectors.h"

#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

constexpr const char *kUsedOtherwise =
    "an iterator of the device memory that holds them is used otherwise than a pointer";

bool isNamed(const clang::CallExpr &call, llvm::StringRef name) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  return callee && !isa<clang::CXXMethodDecl>(callee) && isOfThrust(*callee) &&
         callee->getDeclName().isIdentifier() && callee->getName() == name;
}

/// The element of what `get()` is called on: `thrust::device_ptr` has it from a base.
const clang::CXXRecordDecl *elementOfGet(const clang::MemberExpr &member) {
  return member.getMemberDecl()->getDeclName().isIdentifier() &&
                 member.getMemberDecl()->getName() == "get" && !member.isArrow()
             ? elementOfDeviceIterator(member.getBase()->IgnoreParenImpCasts()->getType())
             : nullptr;
}

bool hasExplicitArguments(const clang::CallExpr &call) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  return name && name->hasExplicitTemplateArgs();
}

/// What operators of pointers do as well.
bool isOfPointers(clang::OverloadedOperatorKind kind) {
  switch (kind) {
  case clang::OO_Plus:
  case clang::OO_Minus:
  case clang::OO_PlusEqual:
  case clang::OO_MinusEqual:
  case clang::OO_PlusPlus:
  case clang::OO_MinusMinus:
  case clang::OO_Equal:
  case clang::OO_EqualEqual:
  case clang::OO_ExclaimEqual:
  case clang::OO_Less:
  case clang::OO_Greater:
  case clang::OO_LessEqual:
  case clang::OO_GreaterEqual:
    return true;
  default:
    return false;
  }
}

/// What takes the iterator, if that may not take a pointer.
std::string obstacleInCall(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return kUsedOtherwise;
  if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(&call)) {
    if (isOfPointers(operation->getOperator()) && isOfThrust(*callee))
      return {};
    return isOfThrust(*callee) ? "an element is named by an iterator of the device memory that "
                                 "holds them"
                               : kUsedOtherwise;
  }
  if (isa<clang::CXXMethodDecl>(callee) && (isOfThrust(*callee) || callee->isInStdNamespace()))
    return kUsedOtherwise;
  if (const AlgorithmCall known = algorithmCallOf(call); !known.name.empty()) {
    const bool isCast = known.name == "raw_pointer_cast" || known.name == "device_pointer_cast";
    return known.isKnown || isCast ? std::string()
                                   : fmt::format("'{}' works on the device memory that "
                                                 "holds them",
                                                 nameOf(known));
  }
  return callee->isInStdNamespace() ? kUsedOtherwise : std::string();
}

/// Why what is made here, or what holds it, is no pointer's; empty where it may be one.
std::string obstacleTo(const VectorNotes &notes, const CodeAround &around,
                       const clang::Expr &iterator, const clang::CXXRecordDecl *element) {
  if (const auto *call = dyn_cast<clang::CallExpr>(&iterator);
      call && !isa<clang::CXXOperatorCallExpr>(call)) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    const bool isThrusts = callee && isOfThrust(*callee);
    const auto *method = dyn_cast<clang::CXXMemberCallExpr>(call);
    if (method && elementOfDeviceVector(objectType(*method)))
      return {}; // looked at by itself, or refused
    if (isThrusts && !method && !algorithmCallOf(*call).isKnown &&
        !isNamed(*call, "device_pointer_cast"))
      return fmt::format("'thrust::{}' returns the device memory that holds them",
                         callee->getNameAsString());
    if (!callee || (isThrusts && method) || callee->isInStdNamespace())
      return kUsedOtherwise;
  } else if (!isa<clang::DeclRefExpr, clang::MemberExpr, clang::CXXOperatorCallExpr,
                  clang::CXXConstructExpr, clang::CXXFunctionalCastExpr,
                  clang::ConditionalOperator>(iterator)) {
    return kUsedOtherwise;
  }
  const clang::Stmt *holder = around.holderOf(iterator).statement;
  if (!holder || notes.copies.contains(holder))
    return {};
  if (const auto *call = dyn_cast<clang::CallExpr>(holder))
    return obstacleInCall(*call);
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(holder))
    return elementOfDeviceIterator(made->getType()) == element ? "" : kUsedOtherwise;
  if (const auto *member = dyn_cast<clang::MemberExpr>(holder)) {
    return elementOfGet(*member) ? "" : kUsedOtherwise;
  }
  if (isa<clang::DeclStmt, clang::CompoundStmt, clang::ReturnStmt, clang::InitListExpr,
          clang::LambdaExpr, clang::ConditionalOperator, clang::IfStmt, clang::ForStmt,
          clang::WhileStmt, clang::CXXFunctionalCastExpr>(holder))
    return {};
  return kUsedOtherwise;
}

/// Takes a call or cast away from around its only operand.
void unwrap(VectorNotes &notes, const clang::CXXRecordDecl *element, clang::SourceLocation begin,
            const clang::Expr &operand, clang::SourceLocation end) {
  const bool isAlone =
      isa<clang::DeclRefExpr, clang::MemberExpr, clang::CallExpr>(operand.IgnoreImplicit()) &&
      !isa<clang::CXXOperatorCallExpr>(operand.IgnoreImplicit());
  notes.edit(element, clang::CharSourceRange::getCharRange(begin, operand.getBeginLoc()),
             isAlone ? "" : "(");
  if (isAlone)
    notes.edit(element, clang::CharSourceRange::getTokenRange(end), {});
}

/// `thrust::device_ptr<R>(p)`
void readCast(VectorNotes &notes, const clang::Expr &iterator,
              const clang::CXXRecordDecl *element) {
  if (const auto *cast = dyn_cast<clang::CXXFunctionalCastExpr>(&iterator)) {
    notes.all[element].hasRawPointer = notes.all[element].hasDevicePointer = true;
    unwrap(notes, element, cast->getBeginLoc(), *cast->getSubExprAsWritten(), cast->getRParenLoc());
  } else if (isa<clang::CXXTemporaryObjectExpr>(iterator)) {
    notes.refuse(element, kUsedOtherwise, iterator.getExprLoc());
  }
}

/// Whether its text may be said twice.
bool isRepeatable(const clang::Stmt &statement) {
  if (const auto *call = dyn_cast<clang::CallExpr>(&statement)) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !(isOfThrust(*callee) || isOfStandardLibrary(callee)))
      return false;
    if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(call);
        operation && operation->getOperator() != clang::OO_Plus &&
        operation->getOperator() != clang::OO_Minus &&
        operation->getOperator() != clang::OO_Subscript)
      return false;
  } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(&statement)) {
    if (unary->isIncrementDecrementOp())
      return false;
  } else if (const auto *binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    if (binary->isAssignmentOp())
      return false;
  } else if (isa<clang::LambdaExpr, clang::CXXNewExpr>(statement)) {
    return false;
  }
  return std::ranges::all_of(statement.children(), [](const clang::Stmt *child) {
    return !child || isRepeatable(*child);
  });
}

const clang::CXXRecordDecl *iteratedBy(const clang::Expr &argument) {
  return elementOfDeviceIterator(operandType(argument));
}

} // namespace

void readIterator(VectorNotes &notes, const CodeAround &around, const clang::Expr &iterator) {
  const clang::CXXRecordDecl *element = elementOfDeviceIterator(iterator.getType());
  if (!element || notes.understood.contains(&iterator) ||
      notes.understood.contains(withoutNothing(iterator)))
    return;
  if (std::string obstacle = obstacleTo(notes, around, iterator, element); !obstacle.empty())
    return notes.refuse(element, std::move(obstacle), iterator.getExprLoc());
  readCast(notes, iterator, element);
}

void readAlgorithm(VectorNotes &notes, const clang::CallExpr &call) {
  if (const auto *method = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    const auto *member = dyn_cast<clang::MemberExpr>(method->getCallee()->IgnoreParens());
    if (member && elementOfGet(*member) && !dataIn(*member->getBase()))
      notes.edit(
          elementOfGet(*member),
          clang::CharSourceRange::getTokenRange(member->getOperatorLoc(), method->getRParenLoc()),
          {});
    return;
  }
  const AlgorithmCall known = algorithmCallOf(call);
  if (known.name == "device_pointer_cast") {
    const clang::CXXRecordDecl *element = elementOfDeviceIterator(call.getType());
    if (!element)
      return;
    notes.all[element].hasRawPointer = true;
    notes.all[element].hasDevicePointer = true;
    if (hasExplicitArguments(call) || !operandType(*call.getArg(0))->isPointerType())
      return notes.refuse(element, kUsedOtherwise, call.getExprLoc());
    return unwrap(notes, element, call.getBeginLoc(), *call.getArg(0), call.getRParenLoc());
  }
  if (known.name == "raw_pointer_cast") {
    const clang::Expr &argument = *call.getArg(0);
    if (const clang::CXXRecordDecl *element = iteratedBy(argument);
        element && !dataIn(argument) && !addressedElement(argument).vector) {
      notes.all[element].hasRawPointer = true;
      unwrap(notes, element, call.getBeginLoc(), argument, call.getRParenLoc());
    }
    return;
  }
  if (!known.isKnown || known.isIteratorMaker || known.isOfCub || known.policy ||
      notes.copies.contains(&call) ||
      std::ranges::any_of(known.arguments, [&](const clang::Expr *argument) {
        return notes.understood.contains(withoutNothing(*argument));
      }))
    return; // copied by the vector's own functions
  std::set<const clang::CXXRecordDecl *> elements;
  for (const clang::Expr *argument : known.arguments)
    addIteratedElements(operandType(*argument), elements);
  const bool isBesideHosts = std::ranges::any_of(known.arguments, [](const clang::Expr *argument) {
    return isHostIterator(operandType(*argument));
  });
  for (const clang::CXXRecordDecl *element : elements) {
    if (isBesideHosts || hasExplicitArguments(call)) {
      notes.refuse(element,
                   fmt::format("'thrust::{}' works on the device memory that holds them{}",
                               known.name, isBesideHosts ? " and on the host's" : ""),
                   call.getExprLoc());
      continue;
    }
    const clang::SourceLocation first = known.arguments.front()->getBeginLoc();
    notes.all[element].namesPolicy = true;
    notes.edit(element, clang::CharSourceRange::getCharRange(first, first), "thrust::device, ");
  }
}

void readPartialCopy(VectorNotes &notes, const clang::CallExpr &call) {
  const clang::Expr &first = *call.getArg(0), &last = *call.getArg(1), &to = *call.getArg(2);
  const clang::CharSourceRange name =
      clang::CharSourceRange::getCharRange(call.getBeginLoc(), first.getBeginLoc());
  if (const clang::CXXRecordDecl *element = iteratedBy(first);
      element && iteratedBy(last) == element) {
    const auto output = notes.text.hostPointer(to, element);
    if (!output || !isRepeatable(last))
      return;
    notes.copies.insert(&call);
    notes.add(element, VectorPart::RangeToPointer);
    notes.copyBack(element, &first, &last);
    notes.edit(element, name, std::string(1, kClassName) + "::copyToHost(");
    return notes.edit(element, *output);
  }
  const clang::CXXRecordDecl *element = iteratedBy(to);
  const auto begin = element ? notes.text.hostPointer(first, element) : std::nullopt;
  const auto end = element ? notes.text.hostPointer(last, element) : std::nullopt;
  if (!begin || !end)
    return;
  notes.copies.insert(&call);
  notes.add(element, VectorPart::RangeFromPointer);
  notes.edit(element, name, std::string(1, kClassName) + "::copyToDevice(");
  notes.edit(element, *begin);
  notes.edit(element, *end);
}

void readPartialConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction,
                             const std::string &host) {
  const clang::CXXRecordDecl *element = elementOfHostContainer(construction.getType());
  if (construction.getNumArgs() < 2)
    return;
  const clang::Expr &first = *construction.getArg(0), &last = *construction.getArg(1);
  if (iteratedBy(first) != element || iteratedBy(last) != element || !isRepeatable(last))
    return;
  notes.copies.insert(&construction);
  notes.add(element, VectorPart::RangeToHost, host);
  notes.copyBack(element, &first, &last);
  const clang::SourceLocation begin = first.getBeginLoc(), behind = notes.text.behind(last);
  notes.edit(element, clang::CharSourceRange::getCharRange(begin, begin),
             fmt::format("{}::{}(", kClassName, nameOfRangeToHost(host)));
  notes.edit(element, clang::CharSourceRange::getCharRange(behind, behind), ")");
}

} // namespace relayout::instrument
