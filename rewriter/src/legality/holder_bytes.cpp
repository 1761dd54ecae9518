// SPDX-License-Identifier: Apache-2.0
// Structs that hold a pointer which becomes a view grow with it. Where a program depends on their
// bytes or size by itself, it would copy or compare something else: that is refused.
#include "legality/holders.h"
#include "legality/size_uses.h"
#include "legality/whole_records.h"
#include "pass/program.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

class HolderVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  HolderVisitor(Program &program, Holders holders)
      : program_(program), holders_(std::move(holders)) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) override {
    const clang::CXXRecordDecl *held = holderOf(recordOfValue(field->getType()));
    if (!held || !isUsers(program_, *field))
      return true;
    if (field->getParent()->isUnion())
      refuse(*held, "is a member of a union", field->getLocation(), "take it out of the union");
    if (program_.targetOf(dyn_cast<clang::CXXRecordDecl>(field->getParent())))
      refuse(*held, "is a member of a record that changes its layout", field->getLocation(),
             "link records by index instead");
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    const clang::CXXRecordDecl *held = holderOf(recordOfValue(variable->getType()));
    if (held && variable->hasAttr<clang::CUDASharedAttr>() && variable->hasExternalStorage() &&
        isUsers(program_, *variable))
      refuse(*held, "lies in dynamic shared memory, of which a launch says how many bytes it has",
             variable->getLocation(), "keep indices there, or declare the array with its size");
    return true;
  }

  bool VisitCastExpr(clang::CastExpr *conversion) override {
    if (!changesMeaning(*conversion) || !isUserPlace(*conversion))
      return true;
    const clang::CXXRecordDecl *from = holderOf(recordBehind(conversion->getSubExpr()->getType()));
    const clang::CXXRecordDecl *into = holderOf(recordBehind(conversion->getType()));
    if (from && from != into)
      checkUntyped(*from, *conversion);
    else if (into && from != into)
      checkMade(*into, *conversion);
    return true;
  }

  bool VisitStaticAssertDecl(clang::StaticAssertDecl *assertion) override {
    if (assertion->getAssertExpr())
      if (const clang::CXXRecordDecl *held = sizedIn(assertion->getAssertExpr());
          held && isUsers(program_, *assertion))
        refuse(*held, "has its size checked by a static_assert", assertion->getLocation(),
               "remove the static_assert, as the struct grows");
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *comparison) override {
    if (!comparison->isComparisonOp() || !isUserPlace(*comparison))
      return true;
    for (const clang::Expr *side : {comparison->getLHS(), comparison->getRHS()})
      if (const clang::CXXRecordDecl *held = countedIn(*side))
        refuse(*held, "has its size compared", comparison->getOperatorLoc(),
               "remove the comparison, as the struct grows");
    return true;
  }

  bool VisitOffsetOfExpr(clang::OffsetOfExpr *offset) override {
    if (const clang::CXXRecordDecl *held = sizedIn(offset); held && isUserPlace(*offset))
      warn(*held, "the offset of a member is used", offset->getExprLoc());
    return true;
  }

  bool VisitUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *size) override {
    const clang::CXXRecordDecl *held = sizedBy(*size);
    if (!held || !isUserPlace(*size))
      return true;
    if (const std::string_view use = useOfSize(program_, *size); !use.empty())
      warn(*held, fmt::format("its size {}", use), size->getExprLoc());
    return true;
  }

  /// Of `cudaMalloc(&p, bytes)` and `cudaMemcpyToSymbol(symbol, &value, bytes)` no cast tells.
  bool VisitCallExpr(clang::CallExpr *call) override {
    if (!isUserPlace(*call) || call->getNumArgs() == 0)
      return true;
    const CudaCall *const known = cudaCallNamed(runtimeName(program_, *call));
    if (!known)
      return true;
    const clang::QualType first = call->getArg(0)->IgnoreParenCasts()->getType();
    const clang::CXXRecordDecl *held = nullptr;
    if (known->kind == CudaCallKind::Allocation && first->isPointerType())
      held = holderOf(recordBehind(first->getPointeeType()));
    else if (known->kind == CudaCallKind::Copy && known->memory == CudaMemory::Symbol)
      for (const clang::Expr *argument : call->arguments())
        if (!argument->IgnoreParenImpCasts()->getType()->isPointerType() && !held)
          held = holderOf(recordOfValue(argument->IgnoreParenImpCasts()->getType()));
    if (held)
      checkBytes(*held, *call);
    return true;
  }

private:
  const clang::CXXRecordDecl *holderOf(const clang::CXXRecordDecl *record) const {
    return record && holders_.count(record) ? record : nullptr;
  }

  bool isUserPlace(const clang::Expr &expression) const {
    const clang::SourceManager &sources = program_.unit.sources();
    const clang::SourceLocation where = expression.getExprLoc();
    return where.isValid() &&
           program_.unit.isUserFile(sources.getFileID(sources.getExpansionLoc(where)));
  }

  static bool changesMeaning(const clang::CastExpr &conversion) {
    const clang::CastKind kind = conversion.getCastKind();
    return kind == clang::CK_BitCast || kind == clang::CK_LValueBitCast ||
           kind == clang::CK_PointerToIntegral || kind == clang::CK_ReinterpretMemberPointer;
  }

  /// A struct's address on its way to something without its type: into a call that takes it whole,
  /// or a variable that only hands it on.
  void checkUntyped(const clang::CXXRecordDecl &held, const clang::CastExpr &conversion) {
    const clang::Expr *current = &conversion;
    const clang::Stmt *parent = program_.index.parentOf(current).stmt;
    while (conversion.getType()->isVoidPointerType() &&
           isa_and_nonnull<clang::CastExpr, clang::ParenExpr>(parent)) {
      current = clang::cast<clang::Expr>(parent);
      parent = program_.index.parentOf(current).stmt;
    }
    if (current->getType()->isVoidPointerType()) {
      if (isa_and_nonnull<clang::InitListExpr>(parent))
        return; // the arguments of cudaLaunchKernel
      if (const auto *made = dyn_cast_or_null<clang::CXXNewExpr>(parent); // `new (p) Holder`
          made && !made->isArray() && recordOfValue(made->getAllocatedType()) == &held)
        return;
      const auto *assignment = dyn_cast_or_null<clang::BinaryOperator>(parent);
      const bool isKept = isa_and_nonnull<clang::ReturnStmt>(parent) ||
                          isa_and_nonnull<clang::VarDecl>(program_.index.parentOf(current).decl) ||
                          (assignment && assignment->getOpcode() == clang::BO_Assign);
      if (isKept && program_.definitions.untyped.mayLeadTo(held))
        return;
      const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
      if (call && call->getDirectCallee())
        return checkBytes(held, *call);
    }
    if (recordBehind(current->getType()) == &held)
      return;
    refuse(held, "is read as something else", conversion.getExprLoc(),
           "use the struct by its own type");
  }

  /// A struct in memory that was something else, or nothing, before.
  void checkMade(const clang::CXXRecordDecl &made, const clang::CastExpr &conversion) {
    const clang::Expr *source = conversion.getSubExpr()->IgnoreParenCasts();
    if (source->getType()->isVoidPointerType()) { // an allocation, or the argument of a callback
      if (const auto *call = dyn_cast<clang::CallExpr>(source); call && call->getDirectCallee())
        checkBytes(made, *call);
      return;
    }
    if (recordBehind(source->getType()) != &made)
      refuse(made, "is made from something else by a cast", conversion.getExprLoc(),
             "use the struct by its own type");
  }

  /// The bytes that a call is given have to follow the struct's size; an offset as well.
  void checkBytes(const clang::CXXRecordDecl &held, const clang::CallExpr &call) {
    const std::string name = call.getDirectCallee()->getNameAsString();
    const bool isOfUser = isUsers(program_, *call.getDirectCallee());
    const bool takesOffset = name.find("Symbol") != std::string::npos;
    unsigned sizes = 0, whole = 0;
    for (const clang::Expr *argument : call.arguments()) {
      const clang::ParmVarDecl *parameter = parameterFor(call, *argument);
      if (!parameter || isa<clang::CXXDefaultArgExpr>(argument) ||
          !mayCountBytes(parameter->getType(), isOfUser))
        continue;
      ++sizes;
      whole += countsWholeRecords(program_, *argument, held) || (takesOffset && isZero(*argument));
    }
    if (sizes > 0 && (looksAtBytes(*call.getDirectCallee()) || hasBytesBeside(call)))
      return refuse(held, fmt::format("'{}' takes it for bytes", name), call.getExprLoc(),
                    "give it the members one by one");
    if (whole < (takesOffset ? sizes : std::min(sizes, 1U)))
      refuse(held, fmt::format("is passed to '{}' with a size that is not its own", name),
             call.getExprLoc(),
             fmt::format("write the size as sizeof({})", held.getNameAsString()));
  }

  /// `fwrite(&s, sizeof s, 1, file)`: what it makes of the struct is more than a copy in memory.
  bool looksAtBytes(const clang::FunctionDecl &callee) const {
    if (isUsers(program_, callee)) {
      const instrument::UntypedFunction read = instrument::readUntyped(callee);
      return read.function && !read.obstacle.empty();
    }
    const std::string name = callee.getNameAsString();
    return !name.starts_with("cu") && !name.starts_with("mem") && !name.starts_with("__") &&
           name.find("alloc") == std::string::npos && name != "posix_memalign" && name != "qsort" &&
           name != "bsearch";
  }

  /// `memcpy(bytes, &s, sizeof s)` with an array of characters.
  bool hasBytesBeside(const clang::CallExpr &call) const {
    return !isUsers(program_, *call.getDirectCallee()) &&
           std::ranges::any_of(call.arguments(), [](const clang::Expr *argument) {
             const clang::QualType type = argument->IgnoreParenCasts()->getType();
             if (!type->isPointerType() && !type->isArrayType())
               return false;
             const clang::QualType element(type->getPointeeOrArrayElementType(), 0);
             return element->isCharType() || element->isStdByteType();
           });
  }

  /// The library counts bytes by size_t: not the byte of memset, or a device's number.
  bool mayCountBytes(clang::QualType type, bool isOfUser) const {
    if (isOfUser)
      return type->isIntegerType() && !type->isBooleanType() && !type->isEnumeralType();
    const clang::ASTContext &context = program_.unit.ast();
    return context.hasSameUnqualifiedType(type, context.getSizeType());
  }

  static bool isZero(const clang::Expr &value) {
    const auto *literal = dyn_cast<clang::IntegerLiteral>(value.IgnoreParenCasts());
    return literal && literal->getValue() == 0;
  }

  /// The holder whose size or offsets an expression names.
  const clang::CXXRecordDecl *sizedIn(const clang::Stmt *expression) const {
    if (!expression)
      return nullptr;
    if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(expression))
      return sizedBy(*size);
    if (const auto *offset = dyn_cast<clang::OffsetOfExpr>(expression))
      return holderOf(recordOfValue(offset->getTypeSourceInfo()->getType()));
    for (const clang::Stmt *child : expression->children())
      if (const clang::CXXRecordDecl *held = sizedIn(child))
        return held;
    return nullptr;
  }

  /// The same of a sum or a product that counts bytes.
  const clang::CXXRecordDecl *countedIn(const clang::Expr &bytes) const {
    const clang::Expr *bare = bytes.IgnoreParenImpCasts();
    if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(bare))
      return sizedBy(*size);
    const auto *sum = dyn_cast<clang::BinaryOperator>(bare);
    if (!sum || !(sum->isAdditiveOp() || sum->getOpcode() == clang::BO_Mul))
      return nullptr;
    const clang::CXXRecordDecl *held = countedIn(*sum->getLHS());
    return held ? held : countedIn(*sum->getRHS());
  }

  const clang::CXXRecordDecl *sizedBy(const clang::UnaryExprOrTypeTraitExpr &size) const {
    return heldIn(recordOfValue(size.getTypeOfArgument()));
  }

  /// A holder, or the one inside a class of a library: `std::pair<S, int>`.
  const clang::CXXRecordDecl *heldIn(const clang::CXXRecordDecl *record) const {
    if (!record || holderOf(record) || !record->getDefinition() || isUsers(program_, *record))
      return holderOf(record);
    for (const clang::FieldDecl *field : record->getDefinition()->fields())
      if (const clang::CXXRecordDecl *held = heldIn(recordOfValue(field->getType())))
        return held;
    for (const clang::CXXBaseSpecifier &base : record->getDefinition()->bases())
      if (const clang::CXXRecordDecl *held = heldIn(recordOfValue(base.getType())))
        return held;
    return nullptr;
  }

  void warn(const clang::CXXRecordDecl &held, std::string_view why, clang::SourceLocation where) {
    if (warnedOf_.insert(where).second)
      program_.findings.warn({Code::SizeUsed,
                              fmt::format("'{}' holds a pointer that becomes a view, and {}",
                                          held.getNameAsString(), why),
                              where, "what the program makes of it changes"});
  }

  void refuse(const clang::CXXRecordDecl &held, const std::string &why, clang::SourceLocation where,
              std::string remedy) {
    program_.findings.refuse({Code::DeclarationFixed,
                              fmt::format("'{}' holds a pointer that becomes a view, and {}",
                                          held.getNameAsString(), why),
                              where, std::move(remedy)});
  }

  Program &program_;
  Holders holders_;
  std::set<clang::SourceLocation> warnedOf_; ///< instances of templates share their text
};

} // namespace

void checkHolders(Program &program) {
  checkOtherDefinitions(program);
  Holders holders = holdersIn(program);
  if (!holders.empty())
    HolderVisitor(program, std::move(holders))
        .TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

} // namespace relayout::rewriter
