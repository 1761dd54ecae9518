// SPDX-License-Identifier: Apache-2.0
// Finds what depends on the alignment of records.
#include "legality/declared_alignment.h"

#include "edits/token_edits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

const clang::CXXRecordDecl *recordIn(clang::QualType type) {
  const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record ? record->getDefinition() : nullptr;
}

class AlignmentReader : public clang::DynamicRecursiveASTVisitor {
public:
  explicit AlignmentReader(const Program &program) : program_(program) {
    ShouldVisitTemplateInstantiations = true;
  }

  std::set<FilePlace> fixed;

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *record) override {
    if (record->isThisDeclarationADefinition() && !record->isDependentType() &&
        isUsers(program_, *record))
      fixPartsOf(*record);
    return true;
  }

  /// Bytes, or another type's memory, taken for a record.
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    clang::QualType to = conversion->getType();
    const clang::Expr *from = conversion->getSubExpr()->IgnoreParenCasts();
    if (to->isPointerType())
      to = to->getPointeeType();
    else if (!conversion->isGLValue())
      return true;
    const clang::CXXRecordDecl *record = recordIn(to);
    if (record && program_.reader.place(conversion->getBeginLoc()) && !isMadeByLibrary(*from) &&
        !leadsTo(from->getType(), record) && !isNull(*from))
      fix(record);
    return true;
  }

  /// Code that is not seen passes the record as it knows it.
  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!isUsers(program_, *function) || !function->isExternallyVisible() ||
        program_.isDefined(*function))
      return true;
    fix(recordIn(function->getReturnType()));
    for (const clang::ParmVarDecl *parameter : function->parameters())
      fix(recordIn(parameter->getType()));
    return true;
  }

  bool VisitCXXNewExpr(clang::CXXNewExpr *made) override {
    if (made->getNumPlacementArgs() != 0 && program_.reader.place(made->getBeginLoc()))
      fix(recordIn(made->getAllocatedType()));
    return true;
  }

  /// `alignof(R)`: its value is the program's.
  bool VisitUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *asked) override {
    const clang::SourceManager &sources = program_.unit.sources();
    const bool isOfAlignment =
        asked->getKind() == clang::UETT_AlignOf || asked->getKind() == clang::UETT_PreferredAlignOf;
    if (isOfAlignment &&
        program_.unit.isUserFile(sources.getFileID(sources.getExpansionLoc(asked->getBeginLoc()))))
      fix(recordIn(asked->getTypeOfArgument()));
    return true;
  }

private:
  /// Also those of a library's class, as of `std::array<R, 2>`.
  void fixPartsOf(const clang::CXXRecordDecl &record) {
    const auto fixPart = [this](clang::QualType type) {
      const clang::CXXRecordDecl *part = recordIn(type);
      fix(part);
      if (part && !isUsers(program_, *part))
        fixPartsOf(*part);
    };
    for (const clang::FieldDecl *field : record.fields())
      fixPart(field->getType());
    for (const clang::CXXBaseSpecifier &base : record.bases())
      fixPart(base.getType());
  }

  /// `malloc(n)`: a place for objects of every type. What the program's own functions return may
  /// be a part of such memory.
  bool isMadeByLibrary(const clang::Expr &memory) const {
    const auto *call = clang::dyn_cast<clang::CallExpr>(&memory);
    const clang::FunctionDecl *made = call ? call->getDirectCallee() : nullptr;
    return made && made->getReturnType()->isVoidPointerType() && !isUsers(program_, *made);
  }

  static bool leadsTo(clang::QualType type, const clang::CXXRecordDecl *record) {
    if (type->isPointerType())
      type = type->getPointeeType();
    return recordIn(type) == record;
  }

  bool isNull(const clang::Expr &value) const {
    return value.isNullPointerConstant(program_.unit.ast(),
                                       clang::Expr::NPC_ValueDependentIsNotNull) !=
           clang::Expr::NPCK_NotNull;
  }

  void fix(const clang::CXXRecordDecl *record) {
    if (!record)
      return;
    if (const std::optional<FilePlace> place = program_.reader.place(record->getLocation()))
      fixed.insert(*place);
  }

  const Program &program_;
};

} // namespace

std::uint32_t alignmentAlone(const analysis::Decision &decision, const RecordShape &shape) {
  constexpr std::uint32_t kOfMalloc = 16; // and of new before C++17
  if (!analysis::keepsBytes(decision.layout, layoutFieldsOf(shape), shape.bytes))
    return 0;
  const std::uint32_t alignment = decision.layout.clusters.front().alignment;
  return alignment > shape.alignment && alignment <= kOfMalloc ? alignment : 0;
}

std::set<FilePlace> fixedAlignments(const Program &program) {
  AlignmentReader reader(program);
  reader.TraverseAST(program.unit.ast());
  return std::move(reader.fixed);
}

std::optional<FilePlace> alignablePlace(const Program &program, const clang::CXXRecordDecl &record,
                                        const RecordShape &shape) {
  const clang::CXXRecordDecl &definition = *record.getDefinition();
  if (shape.isVectorType || shape.isScalar || shape.isUnderPackPragma ||
      definition.getTemplateSpecializationKind() != clang::TSK_Undeclared ||
      definition.hasAttr<clang::PackedAttr>() || definition.hasAttr<clang::MaxFieldAlignmentAttr>())
    return std::nullopt;
  return program.reader.place(definition.getLocation());
}

bool alignDeclaration(Program &program, const clang::CXXRecordDecl &record,
                      std::uint32_t alignment) {
  const clang::SourceLocation keyword = record.getDefinition()->getInnerLocStart();
  const std::optional<FilePlace> place = program.reader.place(keyword);
  TokenEdits edits(program.reader);
  const std::string spelled = record.isClass() ? "class" : "struct";
  edits.replace(keyword, spelled, fmt::format("{} alignas({})", spelled, alignment));
  return place && !edits.failed() && program.edits.add(*place, edits.take());
}

} // namespace relayout::rewriter
