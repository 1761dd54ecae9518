// SPDX-License-Identifier: Apache-2.0
// Reads calls and constructions whose text depends on the vector's being Thrust's.
#include "model/vector_calls.h"

#include "model/thrust_vectors.h"
#include "model/vector_iterators.h"

#include <fmt/format.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// \returns  the element type of the vector whose pointer is taken
const clang::CXXRecordDecl *takeData(VectorNotes &notes, const clang::CXXMemberCallExpr &data) {
  const clang::CXXRecordDecl *element = elementOfDeviceVector(objectType(data));
  notes.understood.insert(&data);
  notes.add(element, data.getMethodDecl()->isConst() ? VectorPart::ConstData : VectorPart::Data);
  notes.all[element].hasRawPointer = true;
  return element;
}

/// \param index  null: none is written
bool isFirst(const clang::Expr *index) {
  const auto *number =
      index ? dyn_cast<clang::IntegerLiteral>(index->IgnoreParenImpCasts()) : nullptr;
  return !index || (number && number->getValue() == 0);
}

/// Of an expression that a dot may follow.
bool isPostfix(const clang::Expr &expression) {
  if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(&expression))
    return operation->getOperator() == clang::OO_Subscript ||
           operation->getOperator() == clang::OO_Call;
  return isa<clang::DeclRefExpr, clang::MemberExpr, clang::CallExpr, clang::ArraySubscriptExpr>(
      expression);
}

/// `RAW(d)` becomes `d.data()`, where the vector is the macro's argument.
/// \param isArrow  what is named is a pointer to the vector
/// \returns  whether it does
bool editMacroUse(VectorNotes &notes, const clang::CXXRecordDecl *element,
                  const clang::CharSourceRange &macroUse, const clang::Expr &vector, bool isArrow) {
  const clang::Expr &named = *vector.IgnoreParenImpCasts();
  const std::string text = notes.text.of(named);
  if (text.empty())
    return false;
  notes.edit(element, macroUse,
             fmt::format("{}{}data()", isPostfix(named) ? text : fmt::format("({})", text),
                         isArrow ? "->" : "."));
  return true;
}

bool editMacroUse(VectorNotes &notes, const clang::CXXRecordDecl *element,
                  const clang::CharSourceRange &macroUse, const clang::CXXMemberCallExpr &data) {
  const auto *member = dyn_cast<clang::MemberExpr>(data.getCallee()->IgnoreParens());
  return member && !member->isImplicitAccess() &&
         editMacroUse(notes, element, macroUse, *member->getBase(), member->isArrow());
}

void refuseConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction,
                        const clang::CXXRecordDecl *element) {
  notes.refuse(element, "the Thrust vector that holds them is constructed in another way",
               construction.getExprLoc());
}

} // namespace

/// Of two iterators of the host's, or both ends of another vector.
/// \returns  whether that is what they are
bool editVectorRange(VectorNotes &notes, const clang::Expr &begin, const clang::Expr &end,
                     const clang::CXXRecordDecl *element) {
  const auto first = notes.text.hostPointer(begin, element),
             last = notes.text.hostPointer(end, element);
  if (!first || !last)
    return false;
  notes.edit(element, *first);
  notes.edit(element, *last);
  return true;
}

void readGet(VectorNotes &notes, const clang::CXXMemberCallExpr &call,
             const std::optional<clang::CharSourceRange> &macroUse) {
  const auto *member = dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
  const clang::CXXMemberCallExpr *data =
      member && member->getMemberDecl()->getDeclName().isIdentifier() &&
              member->getMemberDecl()->getName() == "get"
          ? dataIn(*member->getBase())
          : nullptr;
  if (!data)
    return;
  const clang::CXXRecordDecl *element = takeData(notes, *data);
  const bool isSum = data != withoutNothing(*member->getBase());
  if (macroUse && !isSum && editMacroUse(notes, element, *macroUse, *data))
    return;
  notes.edit(element,
             clang::CharSourceRange::getTokenRange(member->getOperatorLoc(), call.getRParenLoc()),
             {});
}

void readRawPointer(VectorNotes &notes, const clang::CallExpr &call,
                    const std::optional<clang::CharSourceRange> &macroUse) {
  const clang::Expr &argument = *call.getArg(0);
  if (const clang::CXXMemberCallExpr *data = dataIn(argument)) {
    const clang::CXXRecordDecl *element = takeData(notes, *data);
    const bool isSum = data != withoutNothing(argument);
    if (macroUse && !isSum && editMacroUse(notes, element, *macroUse, *data))
      return;
    notes.edit(element,
               clang::CharSourceRange::getCharRange(call.getBeginLoc(), argument.getBeginLoc()),
               isSum ? "(" : "");
    if (!isSum)
      notes.edit(element, clang::CharSourceRange::getTokenRange(call.getRParenLoc()), {});
    return;
  }
  const AddressedElement addressed = addressedElement(argument);
  if (!addressed.vector)
    return;
  const clang::CXXRecordDecl *element = elementOfDeviceVector(addressed.vector->getType());
  const bool isConst = addressed.vector->getType().getNonReferenceType().isConstQualified();
  notes.add(element, isConst ? VectorPart::ConstData : VectorPart::Data);
  notes.all[element].hasRawPointer = true;
  notes.understood.insert(addressed.access);
  const std::string index = addressed.index ? notes.text.of(*addressed.index) : "0";
  if (macroUse && isFirst(addressed.index) &&
      editMacroUse(notes, element, *macroUse, *addressed.vector, /*isArrow=*/false))
    return;
  notes.edit(
      element,
      clang::CharSourceRange::getCharRange(call.getBeginLoc(), addressed.vector->getBeginLoc()),
      index == "0" ? "" : "(");
  const clang::SourceLocation behind = notes.text.behind(*addressed.vector);
  if (index == "0")
    return notes.edit(element, clang::CharSourceRange::getTokenRange(behind, call.getRParenLoc()),
                      ".data()");
  const auto *subscript = clang::cast<clang::CXXOperatorCallExpr>(addressed.access);
  const bool isWord =
      isa<clang::DeclRefExpr, clang::IntegerLiteral>(addressed.index->IgnoreParenImpCasts());
  notes.edit(element, clang::CharSourceRange::getCharRange(behind, addressed.index->getBeginLoc()),
             isWord ? ".data() + " : ".data() + (");
  notes.edit(element, clang::CharSourceRange::getTokenRange(subscript->getRParenLoc()),
             isWord ? "" : ")");
}

void readCopy(VectorNotes &notes, const clang::CallExpr &call) {
  const std::optional<std::string> from = notes.text.wholeVector(*call.getArg(0), *call.getArg(1));
  const std::optional<std::string> to = notes.text.beginOfVector(*call.getArg(2));
  if (!from && !to)
    return readPartialCopy(notes, call);
  const clang::Expr &vector = *vectorBefore(from ? *call.getArg(0) : *call.getArg(2));
  const clang::CXXRecordDecl *element = elementBefore(from ? *call.getArg(0) : *call.getArg(2));
  if (from && to) {
    if (elementBefore(*call.getArg(2)) != element)
      return;
    notes.understand({call.getArg(0), call.getArg(1), call.getArg(2)});
    notes.add(element, VectorPart::CopyFromVector);
    return notes.edit(
        element, clang::CharSourceRange::getTokenRange(call.getSourceRange()),
        fmt::format("{}copyFrom({})", *to, notes.text.asValue(*vectorBefore(*call.getArg(0)))));
  }
  if (from) {
    const auto output = notes.text.hostPointer(*call.getArg(2), element);
    if (!output)
      return;
    notes.understand({call.getArg(0), call.getArg(1)});
    notes.add(element, VectorPart::CopyToPointer);
    notes.copyBack(element, &vector);
    notes.edit(
        element,
        clang::CharSourceRange::getCharRange(call.getBeginLoc(), call.getArg(2)->getBeginLoc()),
        *from + "copyTo(");
    return notes.edit(element, *output);
  }
  if (!editVectorRange(notes, *call.getArg(0), *call.getArg(1), element))
    return;
  notes.understand({call.getArg(2)});
  notes.add(element, VectorPart::CopyFromRange);
  notes.edit(
      element,
      clang::CharSourceRange::getCharRange(call.getBeginLoc(), call.getArg(0)->getBeginLoc()),
      *to + "copyFrom(");
  notes.edit(
      element,
      clang::CharSourceRange::getCharRange(notes.text.behind(*call.getArg(1)), call.getRParenLoc()),
      {});
}

void readConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction,
                      const clang::CXXRecordDecl *element) {
  unsigned written = 0;
  while (written < construction.getNumArgs() &&
         !isa<clang::CXXDefaultArgExpr>(construction.getArg(written)))
    ++written;
  if (written == 0)
    return;
  const clang::Expr &first = *construction.getArg(0);
  if (construction.isStdInitListInitialization())
    return refuseConstruction(notes, construction, element);
  if (written == 1) {
    if (elementOfDeviceVector(operandType(first)) == element) {
      if (withoutNothing(first)->isLValue())
        notes.add(element, VectorPart::Copies);
      return;
    }
    if (const std::string host = nameOfHostVector(operandType(first));
        !host.empty() && elementOfHostContainer(operandType(first)) == element)
      return notes.add(element, VectorPart::HostConstructor, host);
    if (first.getType()->isIntegralOrEnumerationType())
      return notes.add(element, VectorPart::SizeConstructor);
  } else if (written == 2) {
    const clang::Expr &second = *construction.getArg(1);
    if (isValueOf(second, element))
      return notes.add(element, VectorPart::FillConstructor);
    if (notes.text.wholeVector(first, second) && elementBefore(first) == element) {
      notes.understand({&first, &second});
      notes.add(element, VectorPart::Copies);
      return notes.edit(
          element, clang::CharSourceRange::getTokenRange(first.getBeginLoc(), second.getEndLoc()),
          notes.text.asValue(*vectorBefore(first)));
    }
    if (editVectorRange(notes, first, second, element))
      return notes.add(element, VectorPart::RangeConstructor);
  }
  refuseConstruction(notes, construction, element);
}

void readHostConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction) {
  const std::string host = nameOfHostVector(construction.getType());
  const clang::CXXRecordDecl *element = elementOfHostContainer(construction.getType());
  if (host.empty() || construction.getNumArgs() == 0)
    return;
  const clang::Expr &first = *construction.getArg(0);
  if (elementOfDeviceVector(operandType(first)) == element) {
    notes.understood.insert(&construction);
    notes.add(element, VectorPart::HostConversion, host);
    notes.copyBack(element, withoutNothing(first));
  } else if (construction.getNumArgs() > 1 &&
             notes.text.wholeVector(first, *construction.getArg(1)) &&
             elementBefore(first) == element) {
    const clang::Expr &second = *construction.getArg(1);
    notes.understand({&first, &second});
    notes.add(element, VectorPart::HostConversion, host);
    notes.copyBack(element, vectorBefore(first));
    notes.edit(element,
               clang::CharSourceRange::getTokenRange(first.getBeginLoc(), second.getEndLoc()),
               notes.text.asValue(*vectorBefore(first)));
  } else {
    readPartialConstruction(notes, construction, host);
  }
}

} // namespace relayout::instrument
