// SPDX-License-Identifier: Apache-2.0
// Places, records and functions of a unit, under names that mean the same in every parse.
#include "model/walk_context.h"

#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/record_fields.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/ASTLambda.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::instrument {

using clang::dyn_cast;

StablePlace WalkContext::stable(clang::SourceLocation location) const {
  const clang::SourceManager &sources = unit.sources();
  const clang::SourceLocation inFile = sources.getExpansionLoc(location);
  StablePlace place;
  place.file = unit.pathOf(sources.getFileID(inFile));
  place.offset = sources.getFileOffset(inFile);
  if (location.isMacroID())
    if (const auto index = tokens.indexOf(location))
      for (TokenEdits::Index i = *index; i > 0; --i) {
        const clang::SourceLocation before = tokens.token(i - 1).getLocation();
        if (!before.isMacroID() || sources.getExpansionLoc(before) != inFile)
          break;
        ++place.inMacro;
      }
  return place;
}

bool WalkContext::isUsers(clang::SourceLocation location) const {
  if (location.isInvalid())
    return false;
  const clang::SourceManager &sources = unit.sources();
  return unit.isUserFile(sources.getFileID(sources.getExpansionLoc(location)));
}

bool WalkContext::takesProbes(const clang::FunctionDecl *function) const {
  // Lambdas are constexpr without being declared so, and lose that quietly.
  return !function->isConstexpr() || clang::isLambdaCallOperator(function) ||
         !constants.contains(function);
}

const clang::CXXRecordDecl *WalkContext::userRecord(clang::QualType type) const {
  if (type.isNull())
    return nullptr;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isLambda() || record->isInvalidDecl() || record->isDependentType() ||
      !isUsers(record->getLocation()))
    return nullptr;
  return allFields(record).empty() ? nullptr : record;
}

const clang::CXXRecordDecl *WalkContext::arrayRecord(clang::QualType type,
                                                     const clang::Expr *object) const {
  if (const clang::CXXRecordDecl *record = userRecord(type))
    return record;
  const clang::CXXRecordDecl *known = vectorTypeOf(type);
  if (!known)
    known = scalarRecordOf(type);
  return known && object && isDeviceArray && isDeviceArray(object) ? known : nullptr;
}

namespace {

/// Scalars of a struct that has nothing but scalars of one size, at any depth: how many, else 1.
std::uint32_t partsOf(clang::ASTContext &ast, clang::QualType type) {
  std::int64_t scalarBytes = 0;
  std::int64_t all = 0;
  const auto isUniform = [&](const auto &self, clang::QualType inner) -> bool {
    if (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(inner)) {
      const std::int64_t before = all;
      const bool isSame = self(self, array->getElementType());
      all = before + (all - before) * static_cast<std::int64_t>(array->getZExtSize());
      return isSame;
    }
    if (const clang::CXXRecordDecl *record = inner->getAsCXXRecordDecl())
      return record->hasDefinition() && !record->isUnion() &&
             std::ranges::all_of(allFields(record), [&](const clang::FieldDecl *field) {
               return !field->isBitField() && self(self, field->getType());
             });
    if (!inner->isScalarType())
      return false;
    const std::int64_t bytes = ast.getTypeSizeInChars(inner).getQuantity();
    all += bytes;
    if (scalarBytes == 0)
      scalarBytes = bytes;
    return bytes == scalarBytes;
  };
  if (!type->isRecordType() || !isUniform(isUniform, type) || scalarBytes == 0 ||
      all != ast.getTypeSizeInChars(type).getQuantity())
    return 1;
  return static_cast<std::uint32_t>(all / scalarBytes);
}

} // namespace

const std::string &WalkContext::recordKey(const clang::CXXRecordDecl *record) const {
  const std::string *&known = recordKeys[record];
  if (!known)
    known = &enterRecord(record);
  return *known;
}

const std::string &WalkContext::enterRecord(const clang::CXXRecordDecl *record) const {
  clang::ASTContext &ast = unit.ast();
  clang::PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.FullyQualifiedName = true;
  const clang::QualType type = compatibility::canonicalTypeOf(ast, record);
  // Units may have records of one name and different shapes as long as they do not share them.
  std::string key =
      fmt::format("{}|{}", symbolOf(unit, record), ast.getTypeSizeInChars(type).getQuantity());
  for (const clang::FieldDecl *field : allFields(record))
    key += fmt::format("|{} {} {}+{}", field->getType().getCanonicalType().getAsString(policy),
                       nameOfField(*field), offsetOfField(*record, *field),
                       bytesOfField(*record, *field));
  const auto [entry, isNew] = facts.records.try_emplace(key);
  if (!isNew)
    return entry->first;
  trace::Record &known = entry->second;
  known.name = traceNameOf(*record);
  known.place = unit.place(record->getLocation());
  known.bytes = static_cast<std::uint32_t>(ast.getTypeSizeInChars(type).getQuantity());
  known.alignment = static_cast<std::uint32_t>(ast.getTypeAlignInChars(type).getQuantity());
  for (const clang::FieldDecl *declared : allFields(record)) {
    trace::Field field;
    field.name = nameOfField(*declared);
    field.offset = static_cast<std::uint32_t>(offsetOfField(*record, *declared));
    field.bytes = static_cast<std::uint32_t>(bytesOfField(*record, *declared));
    if (!declared->getType()->isIncompleteType())
      field.alignment = alignmentOf(*declared);
    if (bitFieldRun(*declared)) {
      field.type = "struct";
    } else {
      clang::QualType type = declared->getType();
      while (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type)) {
        field.extents += fmt::format("[{}]", array->getZExtSize());
        field.count *= static_cast<std::uint32_t>(array->getZExtSize());
        type = array->getElementType();
      }
      field.type = declared->isAnonymousStructOrUnion() ? type->isUnionType() ? "union" : "struct"
                                                        : type.getAsString(policy);
      field.parts = partsOf(ast, declared->getType());
    }
    known.fields.push_back(std::move(field));
  }
  return entry->first;
}

std::string functionName(const clang::FunctionDecl *function) {
  if (clang::isLambdaCallOperator(function)) {
    const clang::DeclContext *outer = function->getParent()->getParent();
    while (outer && !outer->isFileContext()) {
      if (const auto *around = dyn_cast<clang::FunctionDecl>(outer))
        return functionName(around) + "::(lambda)";
      outer = outer->getParent();
    }
    return "(lambda)";
  }
  std::string name;
  llvm::raw_string_ostream out(name);
  clang::PrintingPolicy policy(function->getASTContext().getLangOpts());
  policy.SuppressTemplateArgsInCXXConstructors = true;
  function->printNestedNameSpecifier(out, policy);
  function->getDeclName().print(out, policy);
  return name;
}

namespace {

/// Records within records that pointers to others are looked for in.
constexpr int kDeepest = 8;

bool reaches(const WalkContext &context, clang::QualType type, bool behindPointer, int depth) {
  type = type.getNonReferenceType();
  while (true) {
    if (const auto *pointer = type->getAs<clang::PointerType>()) {
      type = pointer->getPointeeType();
      behindPointer = true;
    } else if (const clang::ArrayType *array = type->getAsArrayTypeUnsafe()) {
      type = array->getElementType();
    } else {
      break;
    }
  }
  if (behindPointer && (vectorTypeOf(type) || scalarRecordOf(type)))
    return true;
  const clang::CXXRecordDecl *closure = type->getAsCXXRecordDecl();
  const bool isLambda = closure && closure->isLambda(); // no record, but it captures some
  const clang::CXXRecordDecl *record = isLambda ? closure : context.userRecord(type);
  if (!record || depth > kDeepest)
    return false;
  if (behindPointer && !isLambda)
    return true;
  for (const clang::FieldDecl *field : allFields(record))
    if (reaches(context, field->getType(), behindPointer, depth + 1))
      return true;
  return false;
}

} // namespace

bool reachesRecords(const WalkContext &context, clang::QualType type) {
  return reaches(context, type, false, 0);
}

} // namespace relayout::instrument
