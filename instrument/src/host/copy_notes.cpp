// SPDX-License-Identifier: Apache-2.0
// Lowering: tells the executor of copies of records which of their bytes are padding.
#include "host/copy_notes.h"

#include "host/lowering_edits.h"
#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/RecordLayout.h>

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <map>

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;
using Span = std::pair<std::uint64_t, std::uint64_t>; ///< offset and length

/// Marks the bytes that hold values; what stays unmarked is padding.
void markUsed(clang::ASTContext &ast, clang::QualType type, std::uint64_t at,
              std::vector<bool> &used) {
  if (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type)) {
    const auto step = ast.getTypeSizeInChars(array->getElementType()).getQuantity();
    for (std::uint64_t i = 0; i < array->getZExtSize(); ++i)
      markUsed(ast, array->getElementType(), at + i * step, used);
    return;
  }
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
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
    if (field->isBitField()) {
      const std::uint64_t bits = compatibility::bitWidthOf(*field);
      for (std::uint64_t b = bit; b < bit + bits; ++b)
        used[at + b / CHAR_BIT] = true;
    } else if (!field->getType()->isIncompleteType()) {
      markUsed(ast, field->getType(), at + bit / CHAR_BIT, used);
    }
  }
}

std::vector<Span> padding(clang::ASTContext &ast, const clang::CXXRecordDecl *record) {
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

/// \param instances  the same call, once for each instantiation of the template around it
void noteCopy(UnitReading &read, Index first,
              const std::vector<const FoundMemoryCall *> &instances) {
  ParsedUnit &unit = *read.host.unit;
  TokenEdits &edits = *read.host.edits;
  const clang::CallExpr *call = instances.front()->call;
  const auto last = edits.indexOf(call->getEndLoc());
  if (!last)
    return;
  clang::ASTContext &ast = unit.ast();
  auto bytesOf = [&](const clang::CXXRecordDecl *record) {
    return ast.getTypeSizeInChars(compatibility::canonicalTypeOf(ast, record)).getQuantity();
  };
  const clang::CXXRecordDecl *record = instances.front()->record;
  std::vector<Span> gaps = padding(ast, record);
  for (const FoundMemoryCall *other : instances)
    if (bytesOf(other->record) != bytesOf(record) || padding(ast, other->record) != gaps)
      gaps.clear(); // records that differ: every byte counts
  std::string spans;
  for (const auto &[offset, length] : gaps)
    spans += fmt::format("{}{{{}u, {}u}}", spans.empty() ? "" : ", ", offset, length);
  const SourcePlace place = unit.place(call->getBeginLoc());
  edits.wrap(first, *last,
             fmt::format("(::relayout::host::noteCopy({}, {}u, {{{}}}), ",
                         stringLiteral(fmt::format("{}:{}", place.file, place.line)),
                         bytesOf(record), spans),
             ")");
}

} // namespace

void noteCopies(UnitReading &unit) {
  std::map<Index, std::vector<const FoundMemoryCall *>> copies;
  for (const FoundMemoryCall &memory : unit.host.found.memory)
    if (memory.kind == MemoryCall::Copy)
      if (const auto first = unit.host.edits->indexOf(memory.call->getBeginLoc()))
        copies[*first].push_back(&memory);
  for (const auto &[first, instances] : copies)
    noteCopy(unit, first, instances);
}

} // namespace relayout::instrument
