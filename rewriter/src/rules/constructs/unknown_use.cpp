// SPDX-License-Identifier: Apache-2.0
// The end of every list of rules: what no rule knows is refused.
#include "rules/constructs.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

const char *const kKeepField = "keep the array and the index, and name both at each use";

Step unknownPointerUse(const Place &here, const Parent &around) {
  if (!around.stmt)
    return refused(Code::PointerEscapes, "the pointer flows into a place that cannot be followed",
                   here.expression->getExprLoc(),
                   "keep it in variables, parameters and members of its own pointer type");
  const auto *made = clang::dyn_cast<clang::CXXConstructExpr>(around.stmt);
  return refused(Code::PointerEscapes,
                 made ? fmt::format("the pointer is passed to the constructor of '{}'",
                                    made->getConstructor()->getParent()->getQualifiedNameAsString())
                      : "the pointer is used in a way that is not followed",
                 here.expression->getExprLoc(),
                 "keep it in variables, parameters and members of its own type");
}

} // namespace

Step unknownUse(Climb &climb, const Place &here, const Parent &around) {
  switch (here.what) {
  case Reached::Pointer:
    break;
  case Reached::Container:
    return refused(Code::PointerEscapes,
                   "a container of pointers is used in a way that is not followed",
                   here.expression->getExprLoc(),
                   "name its elements by an index or a range-based for, and write its type out");
  case Reached::Untyped:
    return refused(Code::PointerEscapes, "the pointer is converted to 'void *'",
                   here.start->getExprLoc(),
                   "only CUDA's memory functions, memcpy and memset may take it untyped");
  case Reached::Element:
    return refused(Code::UnsupportedElementUse,
                   "the element is used as a whole in a way that is not known to be safe",
                   here.element.whole->getExprLoc(),
                   "copy it to a local variable, or name its fields");
  case Reached::Field:
    return refused(Code::FieldAddressEscapes,
                   fmt::format("{} is used in a way that may keep its address",
                               climb.nounFor(*here.expression)),
                   here.expression->getExprLoc(), kKeepField);
  case Reached::FieldPointer:
    return refused(Code::FieldAddressEscapes,
                   "the address of a field is kept, or used in a way that is not followed",
                   here.start->getExprLoc(), kKeepField);
  case Reached::FieldAddress:
    return refused(
        Code::FieldAddressEscapes,
        fmt::format("the address of {} is taken",
                    climb.nounFor(*clang::cast<clang::UnaryOperator>(here.start)->getSubExpr())),
        here.start->getExprLoc(), kKeepField);
  }
  return unknownPointerUse(here, around);
}

} // namespace relayout::rewriter
