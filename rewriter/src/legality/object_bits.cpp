// SPDX-License-Identifier: Apache-2.0
// Computes places in objects from the layouts of records.
#include "legality/object_bits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

std::uint64_t bitsOf(const clang::FieldDecl &field) {
  return field.isBitField() ? field.getBitWidthValue()
                            : field.getASTContext().getTypeSize(field.getType());
}

/// The arguments that a method is called with, where they are constants.
using Constants = std::map<const clang::ValueDecl *, std::uint64_t>;

class PartReader {
public:
  /// \param calls  around, of methods that return parts
  PartReader(const Program &program, PartOwner owner, Constants constants = {}, unsigned calls = 0)
      : program_(program), owner_(owner), constants_(std::move(constants)), calls_(calls) {}

  [[nodiscard]] std::optional<ObjectPart> read(const clang::Expr &expression) const {
    const clang::Expr &bare = *expression.IgnoreParens();
    if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(&bare))
      return conversion->getCastKind() == clang::CK_NoOp ||
                     conversion->getCastKind() == clang::CK_LValueToRValue
                 ? read(*conversion->getSubExpr())
                 : std::nullopt;
    if (const auto *member = dyn_cast<clang::MemberExpr>(&bare))
      return ofMember(*member);
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(&bare))
      return ofElement(*subscript);
    const auto *call = dyn_cast<clang::CallExpr>(&bare);
    return call ? ofCall(*call) : std::nullopt;
  }

private:
  [[nodiscard]] bool isOwner(const clang::Expr &object) const {
    const clang::Expr *bare = object.IgnoreParens();
    if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(bare);
        conversion && (conversion->getCastKind() == clang::CK_NoOp ||
                       conversion->getCastKind() == clang::CK_LValueToRValue))
      return isOwner(*conversion->getSubExpr());
    if (const auto *object = dyn_cast<clang::UnaryOperator>(bare);
        object && object->getOpcode() == clang::UO_Deref)
      return !owner_.parameter && isa<clang::CXXThisExpr>(object->getSubExpr()->IgnoreParens());
    const auto *name = dyn_cast<clang::DeclRefExpr>(bare);
    return owner_.parameter ? name && name->getDecl() == owner_.parameter
                            : isa<clang::CXXThisExpr>(bare);
  }

  /// Of the object that is the owner, or a part of it.
  [[nodiscard]] std::optional<ObjectPart> inside(const clang::Expr &object, bool isArrow) const {
    if (isOwner(object))
      return ObjectPart{0, 0, object.getType()};
    return isArrow ? std::nullopt : read(object);
  }

  [[nodiscard]] std::optional<ObjectPart> ofMember(const clang::MemberExpr &member) const {
    const auto *field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    const auto object =
        field ? inside(*member.getBase(), member.isArrow()) : std::optional<ObjectPart>();
    if (!object)
      return std::nullopt;
    ObjectPart part = partOfMember(*field);
    part.begin += object->begin;
    return part;
  }

  [[nodiscard]] std::optional<ObjectPart>
  ofElement(const clang::ArraySubscriptExpr &subscript) const {
    const auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript.getBase()->IgnoreParens());
    if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
      return std::nullopt;
    const std::optional<ObjectPart> array = read(*decay->getSubExpr());
    const std::optional<std::uint64_t> index = constant(*subscript.getIdx());
    if (!array || !index)
      return std::nullopt;
    const std::uint64_t size = program_.unit.ast().getTypeSize(subscript.getType());
    if ((*index + 1) * size > array->size)
      return std::nullopt;
    return ObjectPart{array->begin + *index * size, size, subscript.getType()};
  }

  /// `other[1]`, `other.x()`: what the method's only statement returns.
  [[nodiscard]] std::optional<ObjectPart> ofCall(const clang::CallExpr &call) const {
    const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
    constexpr unsigned kMostCalls = 8; // a method may call itself
    if (!method || method->isVirtual() || !method->isInstance() || calls_ == kMostCalls)
      return std::nullopt;
    const auto *member = dyn_cast<clang::CXXMemberCallExpr>(&call);
    const unsigned first = member ? 0 : 1;
    const clang::Expr &object = member ? *member->getImplicitObjectArgument() : *call.getArg(0);
    const auto around = inside(object, member && object.getType()->isPointerType());
    const LinkedFunction linked = program_.linked.bodyOf(program_, *method);
    const auto *body =
        linked.body ? dyn_cast_or_null<clang::CompoundStmt>(linked.body->getBody()) : nullptr;
    const auto *result =
        body && body->size() == 1 ? dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
    if (!around || !result || !result->getRetValue())
      return std::nullopt;
    Constants constants;
    for (unsigned i = first; i < call.getNumArgs(); ++i) {
      const auto value = constant(*call.getArg(i));
      if (!value || i - first >= linked.body->getNumParams())
        return std::nullopt;
      constants[linked.body->getParamDecl(i - first)] = *value;
    }
    std::optional<ObjectPart> part =
        PartReader(*linked.programOr(&program_), {}, std::move(constants), calls_ + 1)
            .read(*result->getRetValue());
    const auto nameOf = [](clang::QualType type) { // of what may be another unit's
      return type.getNonReferenceType().getCanonicalType().getUnqualifiedType().getAsString();
    };
    if (!part || nameOf(part->type) != nameOf(method->getReturnType()))
      return std::nullopt;
    part->begin += around->begin;
    return part;
  }

  [[nodiscard]] std::optional<std::uint64_t> constant(const clang::Expr &expression) const {
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts()))
      if (const auto known = constants_.find(name->getDecl()); known != constants_.end())
        return known->second;
    const auto value = expression.isValueDependent()
                           ? std::nullopt
                           : expression.getIntegerConstantExpr(program_.unit.ast());
    return value && value->isNonNegative() ? std::optional(value->getZExtValue()) : std::nullopt;
  }

  const Program &program_;
  PartOwner owner_;
  Constants constants_;
  unsigned calls_;
};

} // namespace

std::optional<ObjectPart> objectPart(const Program &program, const clang::Expr &expression,
                                     PartOwner owner) {
  return PartReader(program, owner).read(expression);
}

ObjectPart partOfMember(const clang::ValueDecl &member) {
  const clang::ASTContext &context = member.getASTContext();
  if (const auto *indirect = dyn_cast<clang::IndirectFieldDecl>(&member)) {
    ObjectPart part;
    for (const clang::NamedDecl *step : indirect->chain()) {
      const ObjectPart inner = partOfMember(*clang::cast<clang::FieldDecl>(step));
      part = {part.begin + inner.begin, inner.size, inner.type};
    }
    return part;
  }
  const auto &field = clang::cast<clang::FieldDecl>(member);
  return {context.getFieldOffset(&field), bitsOf(field), field.getType().getUnqualifiedType()};
}

void ObjectBits::add(std::uint64_t begin, std::uint64_t size) {
  std::uint64_t end = begin + size;
  auto next = ends_.upper_bound(begin);
  if (next != ends_.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = next->first;
  }
  while (next != ends_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_[begin] = end;
}

bool ObjectBits::hold(clang::QualType type, std::uint64_t begin,
                      const clang::ASTContext &context) const {
  const std::uint64_t size = context.getTypeSize(type);
  const auto next = ends_.upper_bound(begin);
  if (size == 0 || (next != ends_.begin() && std::prev(next)->second >= begin + size))
    return true;
  if (const clang::ConstantArrayType *array = context.getAsConstantArrayType(type)) {
    const std::uint64_t step = context.getTypeSize(array->getElementType());
    for (std::uint64_t i = 0; i < array->getZExtSize(); ++i)
      if (!hold(array->getElementType(), begin + i * step, context))
        return false;
    return true;
  }
  const clang::RecordDecl *record = type->getAsRecordDecl();
  const auto *whole = dyn_cast_or_null<clang::CXXRecordDecl>(record);
  return record && !record->isUnion() && whole && whole->getNumBases() == 0 &&
         holdMembersOf(*record, begin);
}

bool ObjectBits::holdMembersOf(const clang::RecordDecl &record, std::uint64_t begin) const {
  return std::ranges::all_of(record.fields(), [&](const clang::FieldDecl *field) {
    const ObjectPart part = partOfMember(*field);
    if (field->isUnnamedBitField())
      return true;
    if (!field->isBitField())
      return hold(field->getType(), begin + part.begin, field->getASTContext());
    const auto next = ends_.upper_bound(begin + part.begin);
    return next != ends_.begin() && std::prev(next)->second >= begin + part.begin + part.size;
  });
}

} // namespace relayout::rewriter
