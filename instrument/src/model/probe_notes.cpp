// SPDX-License-Identifier: Apache-2.0
// Enters accesses, loops and calls of one function into the facts of its unit.
#include "model/probe_notes.h"

#include "model/bit_field_access.h"
#include "relayout/instrument/clang/record_fields.h"
#include "relayout/instrument/clang/scalar_records.h"

#include <clang/AST/ASTLambda.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace relayout::instrument {
namespace {

std::string labelOf(const Chain &chain) {
  if (chain.record && isScalarRecord(*chain.record))
    return fmt::format("a '{}'", chain.record->getNameAsString());
  if (chain.field)
    return fmt::format("field '{}'", nameOfField(*chain.field));
  return chain.record ? fmt::format("'{}'", chain.record->getNameAsString()) : "memory";
}

bool isPacked(const Chain &chain, const clang::Expr *whole) {
  return whole->refersToVectorElement() ||
         (chain.last && (chain.last->hasAttr<clang::PackedAttr>() ||
                         chain.last->getParent()->hasAttr<clang::PackedAttr>()));
}

} // namespace

void ProbeNotes::endFunction() {
  if (!context_.facts.describesCode)
    return;
  instance_.outline =
      context_.facts.addOutline({&source_, context_.unit.floatMath(), std::move(steps_)});
}

void ProbeNotes::addStep(trace::code::Step step, const Point *point) {
  if (!context_.facts.describesCode || (!point && endsWhatHasEnded(step)))
    return;
  steps_.push_back({std::move(step), point});
}

/// A boundary right behind an equal one ends nothing.
bool ProbeNotes::endsWhatHasEnded(const trace::code::Step &step) const {
  namespace code = trace::code;
  const bool isBoundary =
      std::holds_alternative<code::Branch>(step) || std::holds_alternative<code::Jump>(step) ||
      std::holds_alternative<code::Divide>(step) ||
      std::holds_alternative<code::LibraryCall>(step) || std::holds_alternative<code::Call>(step);
  return isBoundary && !steps_.empty() && steps_.back().step == step;
}

void ProbeNotes::warn(Code code, std::string text, clang::SourceLocation where) {
  context_.facts.find(Severity::Warning, code, std::move(text), context_.unit.place(where));
}

void ProbeNotes::remark(Code code, std::string text, clang::SourceLocation where) {
  context_.facts.find(Severity::Remark, code, std::move(text), context_.unit.place(where));
}

void ProbeNotes::unprobable(const clang::Expr *expression) {
  context_.facts.unprobable.emplace(context_.stable(expression->getBeginLoc()),
                                    context_.stable(expression->getEndLoc()));
}

void ProbeNotes::bitField(const clang::Expr *expression) {
  context_.facts.bitFields.emplace(context_.stable(expression->getBeginLoc()),
                                   context_.stable(expression->getEndLoc()));
}

bool ProbeNotes::isTraceable(const Chain &chain, const clang::Expr *whole, Form form) {
  const auto refuse = [&](Code code, std::string text) {
    warn(code, std::move(text), whole->getExprLoc());
    return false;
  };
  const bool isBitField = form == Form::Plain && whole->refersToBitField();
  if (isBitField && !bitFieldAccess(context_.tokens, *whole))
    return refuse(Code::BitField, fmt::format("{} is a bit-field of an object that a probe cannot "
                                              "be given: this access is not traced",
                                              labelOf(chain)));
  if (form == Form::Plain && !isBitField && isPacked(chain, whole)) {
    unprobable(whole);
    return refuse(Code::PackedRecord,
                  fmt::format("{} is packed: this access is not traced", labelOf(chain)));
  }
  if (form == Form::Plain && whole->isXValue())
    return refuse(
        Code::NotTraceable,
        fmt::format("{} is accessed as an expiring value: this is not traced", labelOf(chain)));
  if (!context_.takesProbes(function_))
    return refuse(
        Code::NotTraceable,
        fmt::format("'{}' yields constants of the program: its access to {} is not traced",
                    function_->getNameAsString(), labelOf(chain)));
  return true;
}

std::optional<ProbeNotes::Accessed> ProbeNotes::accessed(const Chain &chain,
                                                         const clang::Expr *whole, Form form,
                                                         clang::QualType type) {
  Accessed what;
  if (chain.record)
    what.record = context_.recordKey(chain.record);
  what.where = whole->getExprLoc();
  if (!isTraceable(chain, whole, form))
    return std::nullopt;
  if (chain.record && chain.field) {
    const std::vector<const clang::FieldDecl *> fields = allFields(chain.record);
    const auto found = std::ranges::find(fields, &placedField(*chain.field));
    if (found == fields.end()) {
      warn(Code::NotTraceable,
           fmt::format("{} is no direct member of '{}': not traced", labelOf(chain),
                       chain.record->getNameAsString()),
           whole->getExprLoc());
      return std::nullopt;
    }
    what.field = static_cast<trace::Index>(found - fields.begin());
  }
  what.bytes = static_cast<std::uint32_t>(
      context_.unit.ast().getTypeSizeInChars(type.getNonReferenceType()).getQuantity());
  if (form == Form::Plain && whole->refersToBitField()) {
    what.bitField = bitFieldAccess(context_.tokens, *whole);
    what.bytes = storageUnitOf(*whole->getSourceBitField()).bytes;
  }
  if (chain.record && (chain.root == Root::Pointer || chain.root == Root::Variable))
    instance_.pointerRooted = true;
  return what;
}

Point *ProbeNotes::fill(PointKind kind, const Chain &chain, const Accessed &what,
                        const clang::Expr *edited) {
  const auto nameOf = [this](const NamedText &record) {
    return record.empty() ? "memory without records" : context_.facts.records[record.text()].name;
  };
  Point *point = addPoint(kind, edited->getSourceRange());
  if (!point) {
    warn(Code::NotTraceable,
         fmt::format("{} is accessed by code with no text of its own: not traced", labelOf(chain)),
         what.where);
    return nullptr;
  }
  if (context_.isHostPass)
    point->objects.push_back(chain.object);
  if (point->bytes == 0) {
    point->record = what.record;
    point->field = what.field;
    point->bytes = what.bytes;
    point->bitField = what.bitField;
    point->loop = loop;
    point->group = context_.groupOf(chain.object);
    const auto *name = clang::dyn_cast<clang::DeclRefExpr>(chain.object);
    point->isShared = name && name->getDecl()->hasAttr<clang::CUDASharedAttr>();
  } else if (point->record != what.record || point->field != what.field) {
    warn(Code::SeveralRecordTypes,
         fmt::format("this access stands for '{}' in one instantiation and for '{}' in another; "
                     "where the allocations do not tell them apart, all count for the first",
                     nameOf(point->record), nameOf(what.record)),
         what.where);
  }
  if (point->bitField.has_value() != what.bitField.has_value() ||
      (what.bitField && (!point->bitField->isAs(*what.bitField) || point->bytes != what.bytes)))
    unprobable(edited);
  instance_.sites.push_back(point);
  return point;
}

void ProbeNotes::access(const Chain &chain, const clang::Expr *whole, Use use) {
  const std::optional<Accessed> what = accessed(chain, whole, Form::Plain, whole->getType());
  if (!what)
    return;
  // A storage unit that has other bits as well is read before it is written.
  if (use == Use::Write && what->bitField && !storageUnitOf(*whole->getSourceBitField()).isFilled)
    use = Use::ReadWrite;
  if (use == Use::ReadWrite) {
    Point *read = fill(PointKind::Read, chain, *what, whole);
    Point *write = fill(PointKind::Write, chain, *what, whole);
    if (read && write) {
      read->partner = write;
      write->isPartner = true;
    }
  } else if (use == Use::Write) {
    fill(PointKind::Write, chain, *what, whole);
  } else if (Point *read = fill(PointKind::Read, chain, *what, whole)) {
    read->isInPlace |= use == Use::ReadInPlace;
  }
}

void ProbeNotes::atomicAccess(const Chain &chain, const clang::Expr *whole,
                              const clang::Expr *pointer) {
  if (const std::optional<Accessed> what =
          accessed(chain, whole, Form::Atomic, pointer->getType()->getPointeeType()))
    fill(PointKind::Atomic, chain, *what, pointer);
}

Point *ProbeNotes::addPoint(PointKind kind, clang::SourceRange range) {
  const auto first = context_.tokens.indexOf(range.getBegin());
  const auto last = context_.tokens.indexOf(range.getEnd());
  if (!first || !last || *last < *first)
    return nullptr;
  Facts &facts = context_.facts;
  const auto [entry, isNew] = facts.pointAt.try_emplace(
      {context_.stable(range.getBegin()), context_.stable(range.getEnd()), kind}, nullptr);
  if (isNew) {
    entry->second = &facts.points.add();
    newPoint(*entry->second, kind, range);
    entry->second->firstToken = *first;
    entry->second->lastToken = *last;
  } else {
    if (!context_.isHostPass)
      entry->second->inDevicePass = true;
    const auto known = std::ranges::find(source_.points, entry->second);
    if (known != source_.points.end())
      cursor_ = static_cast<std::size_t>(known - source_.points.begin()) + 1;
  }
  if (kind != PointKind::Loop && kind != PointKind::Call) {
    ++accesses;
    addStep(trace::code::Access{}, entry->second);
  }
  return entry->second;
}

void ProbeNotes::newPoint(Point &point, PointKind kind, clang::SourceRange range) {
  point.kind = kind;
  point.begin = context_.stable(range.getBegin());
  point.end = context_.stable(range.getEnd());
  point.place = context_.unit.place(range.getBegin());
  point.inHostPass = context_.isHostPass;
  point.inDevicePass = !context_.isHostPass;
  source_.points.insert(source_.points.begin() + static_cast<std::ptrdiff_t>(cursor_), &point);
  ++cursor_;
}

} // namespace relayout::instrument
