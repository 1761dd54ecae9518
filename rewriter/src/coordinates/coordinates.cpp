// SPDX-License-Identifier: Apache-2.0
// Accesses whose subscripts are made of coordinates that stay inside their extents.
#include "coordinates/coordinates.h"

#include "coordinates/allocations.h"
#include "coordinates/digits.h"
#include "coordinates/extent_parameters.h"
#include "coordinates/guards.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// Times that local variables are replaced by what they were computed from.
constexpr int kMostExpansions = 4;
constexpr const char *kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool fillsIn(const clang::Expr &pointer, const clang::CXXRecordDecl &record) {
  clang::QualType type = pointer.getType();
  while (type->isPointerType())
    type = type->getPointeeType();
  const clang::CXXRecordDecl *element = instrument::elementRecordOf(type);
  return element && element->getCanonicalDecl() == record.getCanonicalDecl();
}

/// The subscripts of an element, the last one first: those of `p[i][k]` where pointers point to
/// rows.
std::vector<const clang::ArraySubscriptExpr *>
subscriptsOf(const clang::ArraySubscriptExpr &element) {
  std::vector<const clang::ArraySubscriptExpr *> subscripts{&element};
  while (const auto *row = dyn_cast<clang::ArraySubscriptExpr>(
             subscripts.back()->getBase()->IgnoreParenImpCasts())) {
    if (!row->getType()->isArrayType())
      break;
    subscripts.push_back(row);
  }
  return subscripts;
}

/// A pointer that was moved has no coordinates of its own: its view divides.
bool standsAtStart(const clang::ArraySubscriptExpr &access, const FunctionBody &body,
                   const WholePointers &wholes) {
  const clang::Expr *base = subscriptsOf(access).back()->getBase()->IgnoreParenImpCasts();
  const auto *member = dyn_cast<clang::MemberExpr>(base);
  if (member && !member->isArrow())
    base = member->getBase()->IgnoreParenImpCasts();
  const auto *name = dyn_cast<clang::DeclRefExpr>(base);
  const auto *pointer = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  if (!pointer)
    return false;
  return member ? body.isOnlyRead(*pointer) && wholes.isWhole(*member->getMemberDecl())
                : body.isNeverChanged(*pointer) && wholes.isWhole(*pointer);
}

bool isConstant(const clang::ArraySubscriptExpr &element) {
  return std::ranges::all_of(subscriptsOf(element), [](const clang::ArraySubscriptExpr *subscript) {
    const clang::Expr &index = *subscript->getIdx();
    return index.isValueDependent() || isa<clang::IntegerLiteral>(index.IgnoreParenImpCasts());
  });
}

/// The element's number: rows of elements, one after the other.
template <class Value>
std::optional<Polynomial> numberOf(const clang::ArraySubscriptExpr &element, Value valueOf) {
  Polynomial number, elements(1);
  for (const clang::ArraySubscriptExpr *subscript : subscriptsOf(element)) {
    const std::optional<Polynomial> index = valueOf(*subscript->getIdx());
    if (!index)
      return std::nullopt;
    number += *index * elements;
    if (const auto *row = dyn_cast_or_null<clang::ConstantArrayType>(
            subscript->getBase()->IgnoreParenImpCasts()->getType()->getAsArrayTypeUnsafe()))
      elements = elements * Polynomial(row->getSize().getSExtValue());
  }
  return number;
}

std::optional<std::vector<Polynomial>> digitsAt(const clang::ArraySubscriptExpr &access,
                                                const std::vector<Extent> &extents,
                                                Reading &reading) {
  std::optional<Polynomial> number =
      numberOf(access, [&](const clang::Expr &index) { return reading.valueOf(index, access); });
  const bool isExact = number.has_value();
  if (!isExact)
    number = numberOf(access,
                      [&](const clang::Expr &index) { return reading.congruentTo(index, access); });
  for (int expansion = 0; number && expansion <= kMostExpansions; ++expansion) {
    auto digits = digitsOf(*number, extents, reading.facts());
    // A highest digit of little more than 31 bits, times extents whose product has 31: no multiple
    // of 2^64 is lost.
    const Polynomial limit(std::int64_t{3} << 30);
    if (digits && (isExact || (reading.facts().proveNonNegative(limit - digits->back()) &&
                               reading.facts().proveNonNegative(limit + digits->back()))))
      return digits;
    const Polynomial before = *number;
    *number = reading.expanded(before);
    if (*number == before)
      break;
  }
  return std::nullopt;
}

} // namespace

const std::optional<Coordinates::Extents> &Coordinates::extentsOf(std::uint32_t group,
                                                                  const Target &target) {
  const auto [entry, isNew] = extents_.try_emplace(group);
  if (isNew)
    entry->second = findExtents(group, target);
  return entry->second;
}

std::optional<Coordinates::Extents> Coordinates::extentsAt(const Callers::Call &allocation,
                                                           const analysis::ElementOrder &order,
                                                           const instrument::ArrayGroup &arrays) {
  Extents extents;
  for (std::size_t digit = 0; digit < order.extents.size(); ++digit) {
    std::vector<HostValue> &factors = extents.emplace_back();
    for (const std::string &factor : factorsOf(
             order.isNamed(digit) ? order.texts[digit] : std::to_string(order.extents[digit]))) {
      const std::optional<HostValue> value = valueOf(factor, allocation);
      if (!value || !values_.outlives(*value, arrays))
        return std::nullopt;
      factors.push_back(*value);
    }
  }
  return extents;
}

std::optional<Coordinates::Extents> Coordinates::findExtents(std::uint32_t group,
                                                             const Target &target) {
  const analysis::ElementOrder &order = target.layout.order;
  const instrument::ArrayGroup &arrays = program_.flow.groups()[group];
  std::optional<Extents> found;
  if (std::ranges::all_of(order.texts, &std::string::empty)) { // constants of the view
    found.emplace();
    for (const std::uint64_t extent : order.extents)
      found->push_back({{.number = static_cast<std::int64_t>(extent)}});
    return found;
  }
  if (!program_.isAlone) // others may allocate as well
    return std::nullopt;
  for (const Naming &naming : program_.index.namings()) {
    const auto *call = dyn_cast<clang::CallExpr>(naming.expression);
    if (!call || naming.isDependent)
      continue;
    for (const clang::Expr *pointer : allocatedBy(program_, *call)) {
      if (!fillsIn(*pointer, *target.record))
        continue;
      const std::uint32_t own = program_.flow.groupOf(pointer);
      if (own != group && own != trace::kNone)
        continue;
      if (own != group || !naming.function)
        return std::nullopt; // which array this is
      const std::optional<Extents> extents = extentsAt({call, naming.function}, order, arrays);
      if (!extents || (found && *found != *extents))
        return std::nullopt;
      found = extents;
    }
  }
  return found;
}

/// Where functions that allocate are given it, the value that all of their callers pass.
std::optional<HostValue> Coordinates::valueOf(const std::string &factor,
                                              const Callers::Call &allocation) {
  std::optional<HostValue> found;
  ExtentParameters &extents = ExtentParameters::of(program_);
  for (const Callers::Call &place : extents.visibleFor(factor, allocation)) {
    const std::optional<HostValue> value =
        place.around ? values_.ofFactor(factor, extents.visible(factor, place), place)
                     : std::nullopt;
    if (!value || (found && *found != *value))
      return std::nullopt;
    found = value;
  }
  return found;
}

/// Text that every unit and every instance reads in one way, or that an instance has for itself. A
/// header that a unit includes twice is refused where the edits differ.
bool Coordinates::mayEdit(const clang::FunctionDecl &function) const {
  const clang::SourceManager &sources = program_.unit.sources();
  return (!function.isTemplateInstantiation() || program_.copyAround(&function)) &&
         !function.isDependentContext() && !isa<clang::CXXMethodDecl>(function) &&
         function.getLocation().isFileID() &&
         (sources.isWrittenInMainFile(function.getLocation()) ||
          (program_.isAlone && isUsers(program_, function)));
}

std::optional<std::string> Coordinates::of(const clang::ArraySubscriptExpr &access,
                                           const clang::FunctionDecl &function, std::uint32_t group,
                                           const Target &target) {
  if (target.layout.order.isAsNumbered() || !mayEdit(function))
    return std::nullopt;
  const FunctionBody &body = values_.bodyOf(function);
  if (!standsAtStart(access, body, wholes_) || isConstant(access))
    return std::nullopt;
  const std::optional<Extents> &extents = extentsOf(group, target);
  if (!extents || !body.parentOf(&access) || body.hasLabels())
    return std::nullopt;
  std::vector<HostValue> all;
  for (const std::vector<HostValue> &factors : *extents)
    all.insert(all.end(), factors.begin(), factors.end());
  Reading reading(values_, body, access, all);
  std::vector<Extent> divisors;
  for (const std::vector<HostValue> &factors : *extents) {
    Extent &divisor = divisors.emplace_back();
    for (const HostValue &factor : factors)
      divisor.push_back(reading.valueOf(factor));
  }
  for (const Guard &guard : guardsOf(body, access))
    reading.know(*guard.condition, guard.holds, *guard.condition);
  const std::optional<std::vector<Polynomial>> digits = digitsAt(access, divisors, reading);
  if (!digits)
    return std::nullopt;
  std::vector<std::string> arguments;
  for (std::size_t d = 0; d < digits->size(); ++d) {
    const std::optional<std::string> text =
        textOf((*digits)[d], d < divisors.size() ? divisors[d] : Extent(), reading, access);
    if (!text)
      return std::nullopt;
    arguments.insert(arguments.begin(), *text);
  }
  Replaced &replaced = replaced_[&function];
  replaced.texts.push_back(fmt::format("{}", fmt::join(arguments, ", ")));
  for (const clang::VarDecl *variable : reading.computed())
    replaced.computed.insert(variable);
  return replaced.texts.back();
}

std::optional<std::string> Coordinates::textOf(const Polynomial &digit, const Extent &extent,
                                               Reading &reading,
                                               const clang::ArraySubscriptExpr &access) const {
  for (const clang::ArraySubscriptExpr *subscript : subscriptsOf(access))
    if (std::optional<std::string> own = spelling(digit, reading, *subscript->getIdx(), access))
      return own;
  const std::optional<DigitParts> parts = partsOf(digit, extent, reading.facts());
  if (!parts)
    return reading.textOf(digit);
  const auto high = textOf(parts->quotient, parts->others, reading, access);
  const auto low = textOf(parts->remainder, {parts->factor}, reading, access);
  const auto factor = reading.textOf(parts->factor);
  if (!high || !low || !factor)
    return std::nullopt;
  if (*high == "0")
    return low;
  const bool isSum = high->find_first_not_of(kOfNames) != std::string::npos;
  return (isSum ? "(" + *high + ")" : *high) + " * " + *factor + (*low == "0" ? "" : " + " + *low);
}

/// The part of the subscript that is a digit already. A conversion that keeps the value is left
/// out.
std::optional<std::string> Coordinates::spelling(const Polynomial &digit, Reading &reading,
                                                 const clang::Stmt &part,
                                                 const clang::Expr &access) const {
  const auto *expression = dyn_cast<clang::Expr>(&part);
  if (expression && reading.valueOf(*expression, access) == digit) {
    const clang::Expr *bare = expression->IgnoreParenCasts();
    if (!isa<clang::DeclRefExpr>(bare) && reading.valueOf(*bare, access) != digit)
      bare = expression->IgnoreParenImpCasts();
    if (const auto range = program_.reader.range(bare->getSourceRange()))
      return program_.reader.text(*range);
  }
  for (const clang::Stmt *child : part.children())
    if (child)
      if (std::optional<std::string> found = spelling(digit, reading, *child, access))
        return found;
  return std::nullopt;
}

} // namespace relayout::rewriter
