// SPDX-License-Identifier: Apache-2.0
// Makes a record for each arithmetic type, and each type of a library that is used like one, and
// finds it again by the type.
#include "relayout/instrument/clang/scalar_records.h"

#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace relayout::instrument {
namespace {

/// Types know nothing of the AST they belong to, so the records of all living ASTs are in one
/// table. Each AST has type objects of its own.
struct Table {
  std::shared_mutex mutex;
  std::unordered_map<const clang::Type *, const clang::CXXRecordDecl *> records;
  std::unordered_map<const clang::ASTContext *, std::vector<const clang::Type *>> types; ///< known
};

Table &table() {
  static Table all;
  return all;
}

/// Larger objects of libraries, such as the states of generators, are no numbers.
constexpr std::int64_t kLargestNumber = 32;

/// Numbers one after the other, and nothing else.
bool isMadeOfNumbers(clang::QualType type) {
  type = type->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
  if (type->isArithmeticType())
    return !type.isVolatileQualified();
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isInvalidDecl() || record->isPolymorphic() || record->isUnion() ||
      record->getNumVBases() != 0)
    return false;
  return std::ranges::all_of(
             record->bases(),
             [](const clang::CXXBaseSpecifier &base) { return isMadeOfNumbers(base.getType()); }) &&
         std::ranges::all_of(record->fields(), [](const clang::FieldDecl *field) {
           return !field->isBitField() && !field->getType()->isReferenceType() &&
                  isMadeOfNumbers(field->getType());
         });
}

/// A type of a library whose objects are used as values, like numbers.
bool isNumberOfLibrary(const clang::CXXRecordDecl &record) {
  if (record.isDependentType() || record.isLambda() || record.isInvalidDecl() ||
      record.isImplicit() || !record.getIdentifier() || record.getLocation().isInvalid() ||
      record.getDeclContext()->isFunctionOrMethod() || isVectorType(record))
    return false;
  const clang::ASTContext &ast = record.getASTContext();
  const clang::SourceManager &sources = ast.getSourceManager();
  const clang::QualType type = compatibility::canonicalTypeOf(ast, &record);
  return sources.isInSystemHeader(sources.getExpansionLoc(record.getLocation())) &&
         !record.isEmpty() && type.isTriviallyCopyableType(ast) &&
         ast.getTypeSizeInChars(type).getQuantity() <= kLargestNumber && isMadeOfNumbers(type);
}

constexpr const char *kField = "value";

const clang::CXXRecordDecl *recordFor(clang::ASTContext &ast, clang::QualType type) {
  clang::TranslationUnitDecl *scope = ast.getTranslationUnitDecl();
  clang::PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = true;
  const std::string name = type.getAsString(policy);
  auto *record = clang::CXXRecordDecl::Create(ast, clang::TagTypeKind::Struct, scope, {}, {},
                                              &ast.Idents.get(name));
  record->setImplicit();
  record->startDefinition();
  auto *field = clang::FieldDecl::Create(ast, record, {}, {}, &ast.Idents.get(kField), type,
                                         nullptr, nullptr, false, clang::ICIS_NoInit);
  field->setAccess(clang::AS_public);
  record->addDecl(field);
  record->completeDefinition();
  return record;
}

} // namespace

ScalarRecords::ScalarRecords(clang::ASTContext &ast) : ast_(ast) {
  const clang::QualType types[] = {ast.BoolTy,         ast.CharTy,        ast.SignedCharTy,
                                   ast.UnsignedCharTy, ast.ShortTy,       ast.UnsignedShortTy,
                                   ast.IntTy,          ast.UnsignedIntTy, ast.LongTy,
                                   ast.UnsignedLongTy, ast.LongLongTy,    ast.UnsignedLongLongTy,
                                   ast.FloatTy,        ast.DoubleTy};
  Table &all = table();
  const std::unique_lock lock(all.mutex);
  for (const clang::QualType type : types) {
    all.types[&ast].push_back(type.getTypePtr());
    all.records.emplace(type.getTypePtr(), recordFor(ast, type));
  }
}

ScalarRecords::~ScalarRecords() {
  Table &all = table();
  const std::unique_lock lock(all.mutex);
  for (const clang::Type *type : all.types[&ast_])
    all.records.erase(type);
  all.types.erase(&ast_);
}

const clang::CXXRecordDecl *scalarRecordOf(clang::QualType type) {
  if (type.isNull())
    return nullptr;
  type = type.getCanonicalType();
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record && !type->isBuiltinType())
    return nullptr;
  Table &all = table();
  {
    const std::shared_lock lock(all.mutex);
    if (const auto entry = all.records.find(type.getTypePtr()); entry != all.records.end())
      return entry->second;
  }
  record = record ? record->getDefinition() : nullptr;
  if (!record)
    return nullptr;
  clang::ASTContext &ast = record->getASTContext();
  const std::unique_lock lock(all.mutex);
  const auto known = all.types.find(&ast);
  if (known == all.types.end())
    return nullptr;
  known->second.push_back(type.getTypePtr());
  const clang::CXXRecordDecl *made =
      isNumberOfLibrary(*record) ? recordFor(ast, type.getUnqualifiedType()) : nullptr;
  return all.records.emplace(type.getTypePtr(), made).first->second;
}

const clang::CXXRecordDecl *elementRecordOf(clang::QualType type) {
  const clang::CXXRecordDecl *scalar = scalarRecordOf(type);
  return scalar ? scalar : type->getAsCXXRecordDecl();
}

bool isScalarRecord(const clang::CXXRecordDecl &record) {
  return record.isImplicit() && record.isCompleteDefinition() &&
         scalarRecordOf(record.field_empty() ? clang::QualType()
                                             : record.field_begin()->getType()) == &record;
}

const clang::FieldDecl *scalarField(const clang::CXXRecordDecl &record) {
  return *record.field_begin();
}

} // namespace relayout::instrument
