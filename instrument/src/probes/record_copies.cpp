// SPDX-License-Identifier: Apache-2.0
// The calls that copy records, and which bytes of these are padding.
#include "probes/record_copies.h"

#include "model/generated_views.h"
#include "model/referents.h"
#include "model/thrust_vectors.h"
#include "model/vector_uses.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/RecordLayout.h>

#include <algorithm>
#include <climits>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;
using Span = std::pair<std::uint64_t, std::uint64_t>; ///< offset and length

using Spans = std::vector<Span>;

/// Padding of more spans than this is not listed, nor that of records whose size has more than 32
/// bits: all their bytes count.
constexpr std::uint64_t kMostSpans = 50'000;
constexpr std::uint64_t kMostRecordBytes = std::numeric_limits<std::uint32_t>::max();

/// In order, and none touches the next.
Spans joined(Spans spans) {
  std::ranges::sort(spans);
  Spans result;
  for (const auto &[offset, length] : spans)
    if (!result.empty() && offset <= result.back().first + result.back().second)
      result.back().second = std::max(result.back().second, offset + length - result.back().first);
    else
      result.emplace_back(offset, length);
  return result;
}

/// The bytes that hold values. Others are padding, or addresses, which differ from layout to
/// layout.
Spans usedOf(clang::ASTContext &ast, clang::QualType type) {
  if (type->isAnyPointerType() || type->isReferenceType())
    return {};
  const std::uint64_t bytes = ast.getTypeSizeInChars(type).getQuantity();
  if (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type)) {
    const Spans element = usedOf(ast, array->getElementType());
    const std::uint64_t step = ast.getTypeSizeInChars(array->getElementType()).getQuantity();
    const std::uint64_t count = array->getZExtSize();
    if (element.empty() || count == 0)
      return {};
    if (element == Spans{{0, step}} || count > kMostSpans / element.size())
      return {{0, bytes}};
    Spans all;
    for (std::uint64_t i = 0; i < count; ++i)
      for (const auto &[offset, length] : element)
        all.emplace_back(i * step + offset, length);
    return joined(std::move(all));
  }
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (record && isView(*record))
    return {};
  if (!record || record->isUnion() || record->isDynamicClass())
    return {{0, bytes}};
  Spans used;
  const auto add = [&](std::uint64_t at, const Spans &part) {
    for (const auto &[offset, length] : part)
      used.emplace_back(at + offset, length);
  };
  const clang::ASTRecordLayout &layout = ast.getASTRecordLayout(record);
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl())
      add(layout.getBaseClassOffset(decl).getQuantity(), usedOf(ast, base.getType()));
  for (const clang::FieldDecl *field : record->fields()) {
    const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
    if (field->isUnnamedBitField())
      continue;
    if (field->isBitField()) {
      const std::uint64_t bits = field->getBitWidthValue();
      const std::uint64_t first = bit / CHAR_BIT;
      if (bits != 0)
        used.emplace_back(first, (bit + bits - 1) / CHAR_BIT - first + 1);
    } else if (!field->getType()->isIncompleteType()) {
      add(bit / CHAR_BIT, usedOf(ast, field->getType()));
    }
  }
  return joined(std::move(used));
}

} // namespace

std::vector<Span> paddingOf(clang::ASTContext &ast, const clang::CXXRecordDecl *record) {
  const clang::QualType type = compatibility::canonicalTypeOf(ast, record);
  const std::uint64_t bytes = ast.getTypeSizeInChars(type).getQuantity();
  if (bytes > kMostRecordBytes)
    return {};
  Spans padding;
  std::uint64_t end = 0; // of what is listed or used
  for (const auto &[offset, length] : usedOf(ast, type)) {
    if (offset > end)
      padding.emplace_back(end, offset - end);
    end = offset + length;
  }
  if (end < bytes)
    padding.emplace_back(end, bytes - end);
  return padding;
}

namespace {

/// A call, and what it copies: records, or pointers.
struct CopyInstance {
  const clang::CallExpr *call = nullptr;
  std::string callee;
  const clang::FunctionDecl *around = nullptr;
  clang::QualType element;
};

/// What the expression points to, without qualifiers; nothing of what is no pointer or array.
clang::QualType elementOf(const clang::Expr &pointer) {
  const clang::QualType type = pointer.getType().getNonReferenceType();
  const clang::Type *array = type->getAsArrayTypeUnsafe();
  const clang::QualType element =
      array ? clang::QualType(array->getBaseElementTypeUnsafe(), 0) : type->getPointeeType();
  return element.isNull() ? element : element.getCanonicalType().getUnqualifiedType();
}

/// The argument that points to such elements, without casts; null: none does.
const clang::Expr *pointerTo(const clang::CallExpr &call, clang::QualType element) {
  for (const clang::Expr *argument : call.arguments())
    if (const clang::Expr *pointer = argument->IgnoreParenCasts(); elementOf(*pointer) == element)
      return pointer;
  return nullptr;
}

/// Addresses differ from layout to layout.
CopiedRecord copiedRecordOf(clang::ASTContext &ast, clang::QualType element) {
  const std::int64_t bytes = ast.getTypeSizeInChars(element).getQuantity();
  if (static_cast<std::uint64_t>(bytes) > kMostRecordBytes)
    return {runtimeNameOf(ast, element), 1, {}};
  const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl();
  return {runtimeNameOf(ast, element), bytes,
          record ? paddingOf(ast, record)
                 : std::vector<Span>{{0, static_cast<std::uint64_t>(bytes)}}};
}

/// Copies of arrays of pointers.
class PointerCopies : public clang::DynamicRecursiveASTVisitor {
public:
  explicit PointerCopies(ParsedUnit &unit) : unit_(unit) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    const clang::FunctionDecl *outer = around_;
    if (const auto *function = clang::dyn_cast_or_null<clang::FunctionDecl>(declaration)) {
      const clang::SourceManager &sources = unit_.sources();
      const clang::SourceLocation where = sources.getExpansionLoc(function->getLocation());
      if (where.isInvalid() || !unit_.isUserFile(sources.getFileID(where)))
        return true;
      around_ = function;
    }
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = outer;
    return goOn;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const std::string callee = calleeName(call);
    const CudaCall *known = cudaCallNamed(callee);
    if (!known || known->kind != CudaCallKind::Copy)
      return true;
    for (const clang::Expr *argument : call->arguments())
      if (const clang::QualType element = elementOf(*argument->IgnoreParenCasts());
          !element.isNull() && element->isPointerType()) {
        found.push_back({call, callee, around_, element});
        break;
      }
    return true;
  }

  std::vector<CopyInstance> found;

private:
  ParsedUnit &unit_;
  const clang::FunctionDecl *around_ = nullptr;
};

void addOnce(CopiedRecord record, std::vector<CopiedRecord> &records) {
  if (std::ranges::find(records, record.type, &CopiedRecord::type) == records.end())
    records.push_back(std::move(record));
}

RecordCopy copyOf(const UnitReading &read, const std::vector<CopyInstance> &instances) {
  ParsedUnit &unit = *read.host.unit;
  clang::ASTContext &ast = unit.ast();
  const CopyInstance &front = instances.front();
  RecordCopy copy{.callee = front.callee, .place = unit.place(front.call->getBeginLoc())};
  for (const CopyInstance &instance : instances)
    addOnce(copiedRecordOf(ast, instance.element), copy.records);
  if (!front.around || !front.around->getTemplateInstantiationPattern())
    return copy;
  const clang::Expr *pointer = nullptr; // where the record of a plain array stands in, none is
  for (const CopyInstance &instance : instances)
    if (!pointer)
      pointer = pointerTo(*instance.call, instance.element);
  const TokenEdits &edits = *read.host.edits;
  const auto first = pointer ? edits.indexOf(pointer->getBeginLoc()) : std::nullopt;
  const auto last = pointer ? edits.indexOf(pointer->getEndLoc()) : std::nullopt;
  if (first && last)
    copy.pointer = edits.text(*first, *last);
  else if (copy.records.size() > 1)
    copy.records = {CopiedRecord{.bytes = 1}};
  return copy;
}

/// The pointer to the first element of what is copied, whose text is `copied`.
std::string pointerOf(const CopiedBack &copy, const std::string &copied) {
  if (copy.last)
    return fmt::format("(&*({})).get()", copied);
  if (copy.first->getType()->isPointerType())
    return fmt::format("({})->data().get()", copied);
  return elementOfDeviceVector(copy.first->getType()) ? fmt::format("({}).data().get()", copied)
                                                      : fmt::format("(&({})).get()", copied);
}

/// What Thrust's vectors give the host.
void addVectorCopies(const UnitReading &read, std::vector<RecordCopy> &copies) {
  ParsedUnit &unit = *read.host.unit;
  const TokenEdits &edits = *read.host.edits;
  const auto textOf = [&](const clang::Expr &expression) -> std::optional<std::pair<Index, Index>> {
    const auto first = edits.indexOf(expression.getBeginLoc());
    const auto last = edits.indexOf(expression.getEndLoc());
    return first && last ? std::optional(std::pair(*first, *last)) : std::nullopt;
  };
  std::map<Index, RecordCopy> byStart; // instantiations of a template share their text
  for (const auto &[element, uses] : vectorUses(unit))
    for (const CopiedBack &copied : uses.copiedBack) {
      const auto text = textOf(*copied.first);
      const auto end = copied.last ? textOf(*copied.last) : text;
      if (!text || !end)
        continue;
      RecordCopy &copy = byStart[text->first];
      addOnce(copiedRecordOf(unit.ast(), compatibility::canonicalTypeOf(unit.ast(), element)),
              copy.records);
      copy.isOfThrust = true;
      std::tie(copy.first, copy.last) = *text;
      copy.behind = copied.last ? edits.text(end->first, end->second) : std::string();
      copy.place = unit.place(copied.first->getBeginLoc());
      if (copied.isInTemplate)
        copy.pointer = pointerOf(copied, edits.text(copy.first, copy.last));
    }
  for (auto &[first, copy] : byStart)
    copies.push_back(std::move(copy));
}

} // namespace

std::vector<RecordCopy> recordCopies(const UnitReading &unit) {
  const TokenEdits &edits = *unit.host.edits;
  PointerCopies pointers(*unit.host.unit);
  pointers.TraverseAST(unit.host.unit->ast());
  std::map<Index, std::vector<CopyInstance>> byStart;
  std::set<const clang::CallExpr *> ofPointers;
  for (const CopyInstance &copy : pointers.found)
    if (const auto first = edits.indexOf(copy.call->getBeginLoc())) {
      byStart[*first].push_back(copy);
      ofPointers.insert(copy.call);
    }
  for (const FoundMemoryCall &memory : unit.host.found.memory)
    if (memory.kind == MemoryCall::Copy && !ofPointers.contains(memory.call))
      if (const auto first = edits.indexOf(memory.call->getBeginLoc()))
        byStart[*first].push_back(
            {memory.call, memory.callee, memory.around,
             compatibility::canonicalTypeOf(unit.host.unit->ast(), memory.record)});
  std::vector<RecordCopy> copies;
  for (const auto &[first, instances] : byStart)
    if (const auto last = edits.indexOf(instances.front().call->getEndLoc())) {
      copies.push_back(copyOf(unit, instances));
      copies.back().first = first;
      copies.back().last = *last;
    }
  addVectorCopies(unit, copies);
  return copies;
}

} // namespace relayout::instrument
