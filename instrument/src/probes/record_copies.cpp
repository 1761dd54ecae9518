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
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;
using Span = std::pair<std::uint64_t, std::uint64_t>; ///< offset and length

/// Marks the bytes that hold values. What stays unmarked is padding, or addresses, which differ
/// from layout to layout.
void markUsed(clang::ASTContext &ast, clang::QualType type, std::uint64_t at,
              std::vector<bool> &used) {
  if (type->isAnyPointerType() || type->isReferenceType())
    return;
  if (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type)) {
    const auto step = ast.getTypeSizeInChars(array->getElementType()).getQuantity();
    for (std::uint64_t i = 0; i < array->getZExtSize(); ++i)
      markUsed(ast, array->getElementType(), at + i * step, used);
    return;
  }
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (record && isView(*record))
    return;
  if (!record || record->isUnion() || record->isDynamicClass()) {
    const auto bytes = ast.getTypeSizeInChars(type).getQuantity();
    std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(at), bytes, true);
    return;
  }
  const clang::ASTRecordLayout &layout = ast.getASTRecordLayout(record);
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl())
      markUsed(ast, base.getType(), at + layout.getBaseClassOffset(decl).getQuantity(), used);
  for (const clang::FieldDecl *field : record->fields()) {
    const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
    if (field->isUnnamedBitField())
      continue;
    if (field->isBitField()) {
      const std::uint64_t bits = field->getBitWidthValue();
      for (std::uint64_t b = bit; b < bit + bits; ++b)
        used[at + b / CHAR_BIT] = true;
    } else if (!field->getType()->isIncompleteType()) {
      markUsed(ast, field->getType(), at + bit / CHAR_BIT, used);
    }
  }
}

} // namespace

std::vector<Span> paddingOf(clang::ASTContext &ast, const clang::CXXRecordDecl *record) {
  const clang::QualType type = compatibility::canonicalTypeOf(ast, record);
  std::vector<bool> used(ast.getTypeSizeInChars(type).getQuantity(), false);
  markUsed(ast, type, 0, used);
  std::vector<Span> spans;
  for (std::uint64_t i = 0; i < used.size(); ++i) {
    if (used[i])
      continue;
    if (!spans.empty() && spans.back().first + spans.back().second == i)
      ++spans.back().second;
    else
      spans.emplace_back(i, 1);
  }
  return spans;
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
  const clang::Expr *pointer = pointerTo(*front.call, front.element);
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
