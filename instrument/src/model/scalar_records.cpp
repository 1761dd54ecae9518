// SPDX-License-Identifier: Apache-2.0
// Makes a record for each arithmetic type, and finds it again by the type.
#include "relayout/instrument/clang/scalar_records.h"

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
};

Table &table() {
  static Table all;
  return all;
}

constexpr const char *kField = "value";

const clang::CXXRecordDecl *recordFor(clang::ASTContext &ast, clang::QualType type) {
  clang::TranslationUnitDecl *scope = ast.getTranslationUnitDecl();
  const std::string name = type.getAsString(clang::PrintingPolicy(ast.getLangOpts()));
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

ScalarRecords::ScalarRecords(clang::ASTContext &ast) {
  const clang::QualType types[] = {ast.BoolTy,         ast.CharTy,        ast.SignedCharTy,
                                   ast.UnsignedCharTy, ast.ShortTy,       ast.UnsignedShortTy,
                                   ast.IntTy,          ast.UnsignedIntTy, ast.LongTy,
                                   ast.UnsignedLongTy, ast.LongLongTy,    ast.UnsignedLongLongTy,
                                   ast.FloatTy,        ast.DoubleTy};
  Table &all = table();
  const std::unique_lock lock(all.mutex);
  for (const clang::QualType type : types) {
    types_.push_back(type.getTypePtr());
    all.records.emplace(types_.back(), recordFor(ast, type));
  }
}

ScalarRecords::~ScalarRecords() {
  Table &all = table();
  const std::unique_lock lock(all.mutex);
  for (const clang::Type *type : types_)
    all.records.erase(type);
}

const clang::CXXRecordDecl *scalarRecordOf(clang::QualType type) {
  if (type.isNull() || !type->isBuiltinType())
    return nullptr;
  Table &all = table();
  const std::shared_lock lock(all.mutex);
  const auto entry = all.records.find(type.getCanonicalType().getTypePtr());
  return entry == all.records.end() ? nullptr : entry->second;
}

const clang::CXXRecordDecl *elementRecordOf(clang::QualType type) {
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record ? record : scalarRecordOf(type);
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
