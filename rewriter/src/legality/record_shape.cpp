// SPDX-License-Identifier: Apache-2.0
// Checks that a record is plain data, and describes it for the generated header.
#include "legality/record_shape.h"

#include "legality/field_refusals.h"
#include "legality/memberwise_copies.h"
#include "legality/nested_records.h"
#include "legality/number_pairs.h"
#include "legality/template_arguments.h"
#include "relayout/instrument/clang/record_fields.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/AST/RecordLayout.h>

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <set>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// Of a record: a thread that converts an element holds it twice, in 512 KiB of local memory.
constexpr std::int64_t kMostBytes = 1 << 18;

/// Whether a struct of a run's declarations may have other places for them than the record.
std::string obstacleToPlaces(const clang::CXXRecordDecl &record,
                             const instrument::BitFieldRun &run) {
  const clang::FieldDecl &first = *run.fields.front();
  const clang::ASTContext &context = first.getASTContext();
  const clang::RecordDecl &parent = *first.getParent();
  if (context.getASTRecordLayout(&parent).getFieldOffset(first.getFieldIndex()) !=
          std::uint64_t{run.offset} * context.getCharWidth() ||
      instrument::bytesOfField(record, first) != run.bytes)
    return "shares its storage unit with a base or derived class";
  std::uint32_t natural = 1; // members without a name align nothing
  for (const clang::FieldDecl *field : run.fields) {
    const clang::CharUnits alignment = context.getTypeAlignInChars(field->getType());
    if (field->hasAttr<clang::PackedAttr>() || parent.hasAttr<clang::PackedAttr>() ||
        parent.hasAttr<clang::MaxFieldAlignmentAttr>())
      return "is a bit-field, or lies beside one, of a packed record";
    if (field->hasAttr<clang::AlignedAttr>())
      return "is a bit-field, or lies beside one, with an alignment of its own";
    if (field->isBitField() && field->getBitWidthValue() > context.getTypeSize(field->getType()))
      return "is a bit-field that is wider than its type";
    if (!field->isUnnamedBitField())
      natural = std::max(natural, static_cast<std::uint32_t>(alignment.getQuantity()));
  }
  return natural != run.alignment ? "lies beside a bit-field without a name of a larger type" : "";
}

/// Why a run of bit-fields cannot be written out in the header; empty where it can.
std::string refusalForRun(const clang::CXXRecordDecl &record, const instrument::BitFieldRun &run) {
  for (const clang::FieldDecl *field : run.fields) {
    if (field->isUnnamedBitField())
      continue;
    if (std::string reason = refusalForField(*field); !reason.empty())
      return reason;
    const clang::CXXRecordDecl *inner =
        field->getASTContext().getBaseElementType(field->getType())->getAsCXXRecordDecl();
    if (inner && (!inner->hasTrivialDefaultConstructor() || !inner->isTriviallyCopyable()))
      return "lies beside a bit-field, and is constructed or copied by a function";
  }
  return obstacleToPlaces(record, run);
}

/// A field of a base class that its name does not reach, as a member of a derived class has it.
std::string hiddenField(const clang::CXXRecordDecl &record) {
  std::set<clang::DeclarationName> ofBases;
  for (const clang::CXXBaseSpecifier &base : record.bases()) {
    const clang::CXXRecordDecl &inner = *base.getType()->getAsCXXRecordDecl()->getDefinition();
    for (const clang::FieldDecl *field : instrument::allFields(&inner))
      if (field->getIdentifier() && (!ofBases.insert(field->getDeclName()).second ||
                                     !record.lookup(field->getDeclName()).empty()))
        return field->getNameAsString();
    if (std::string name = hiddenField(inner); !name.empty())
      return name;
  }
  return {};
}

std::string refusalForRecord(const clang::CXXRecordDecl &record) {
  if (!isAscii(nameOf(record)))
    return "has letters in its name that nvcc does not allow in names of device functions";
  if (record.isUnion())
    return "is a union";
  if (record.isPolymorphic())
    return "has virtual functions";
  if (record.getNumVBases() != 0)
    return "has virtual base classes";
  if (record.isDependentContext())
    return "is a class template";
  if (const std::string name = hiddenField(record); !name.empty())
    return fmt::format("has several members '{}', one of them in a base class", name);
  if (record.getDeclContext()->isFunctionOrMethod())
    return "is defined inside a function";
  if (record.getDeclContext()->isRecord())
    if (std::string obstacle = obstacleToMoving(record); !obstacle.empty())
      return obstacle;
  if (!record.getDeclContext()->getEnclosingNamespaceContext()->isFileContext())
    return "is not defined at namespace scope";
  for (const clang::DeclContext *scope = record.getDeclContext(); scope; scope = scope->getParent())
    if (const auto *linkage = dyn_cast<clang::LinkageSpecDecl>(scope))
      if (!linkage->hasBraces())
        return "is defined by extern \"C\" without braces";
  if (const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(&record))
    if (std::string obstacle = obstacleToInstance(*instance); !obstacle.empty())
      return obstacle;
  if (instrument::allFields(&record).empty())
    return "has no fields";
  if (record.getASTContext().getASTRecordLayout(&record).getSize().getQuantity() > kMostBytes)
    return "is larger than what a thread can load of it";
  return {};
}

/// For code of both sides. nvcc leaves out calls of constexpr functions in device code unless it is
/// told otherwise.
bool isForBothSides(const clang::CXXConstructorDecl &constructor) {
  const bool isForDevice = constructor.hasAttr<clang::CUDADeviceAttr>();
  const bool isForHost = constructor.hasAttr<clang::CUDAHostAttr>();
  return constructor.isUserProvided() ? isForDevice && isForHost : isForDevice == isForHost;
}

/// `R value;` would leave it without a value that it can only get then.
bool needsValue(const clang::FieldDecl &field) {
  const clang::QualType type = field.getType();
  if (field.hasInClassInitializer())
    return false;
  const clang::CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!inner)
    return type->isReferenceType() ||
           field.getASTContext().getBaseElementType(type).isConstQualified();
  return !inner->hasUserDeclaredConstructor() && inner->hasDefinition() &&
         std::ranges::any_of(inner->fields(),
                             [](const auto *member) { return needsValue(*member); });
}

/// True when `R value;` compiles in code of both sides.
bool defaultConstructs(const clang::CXXRecordDecl &record) {
  for (const clang::CXXConstructorDecl *constructor : record.ctors())
    if (constructor->isDefaultConstructor())
      return !constructor->isDeleted() && constructor->getAccess() == clang::AS_public &&
             (constructor->isTrivial() || isForBothSides(*constructor));
  return record.hasDefaultConstructor() &&
         std::ranges::none_of(instrument::allFields(&record),
                              [](const auto *field) { return needsValue(*field); });
}

/// True when `R value;` calls a function that is not for both sides, or one of an initialiser.
bool isMadeByHost(const clang::CXXRecordDecl &record) {
  if (!record.hasDefinition() || record.hasTrivialDefaultConstructor())
    return false;
  for (const clang::CXXConstructorDecl *constructor : record.ctors())
    if (constructor->isDefaultConstructor() && constructor->isUserProvided())
      return !isForBothSides(*constructor);
  const auto constructs = [&](clang::QualType type) {
    const clang::CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return inner && isMadeByHost(*inner);
  };
  return (record.hasInClassInitializer() && !record.hasConstexprDefaultConstructor()) ||
         std::ranges::any_of(record.bases(),
                             [&](const auto &base) { return constructs(base.getType()); }) ||
         std::ranges::any_of(record.fields(),
                             [&](const auto *field) { return constructs(field->getType()); });
}

bool hasUnusedBits(const instrument::BitFieldRun &run) {
  std::uint64_t bits = 0;
  for (const clang::FieldDecl *field : run.fields)
    if (field->isBitField() && !field->isUnnamedBitField())
      bits += field->getBitWidthValue();
    else if (!field->isBitField() && field->getType()->isScalarType())
      bits += field->getASTContext().getTypeSize(field->getType());
  return bits != run.bytes * CHAR_BIT;
}

/// Bytes that no member has, or bits of a storage unit.
bool hasPadding(const clang::CXXRecordDecl &record) {
  const clang::ASTContext &context = record.getASTContext();
  std::uint64_t fieldBytes = 0;
  for (const clang::FieldDecl *field : instrument::allFields(&record)) {
    fieldBytes += instrument::bytesOfField(record, *field);
    if (const std::optional<instrument::BitFieldRun> run = instrument::bitFieldRun(*field)) {
      if (hasUnusedBits(*run))
        return true;
      continue;
    }
    const clang::CXXRecordDecl *inner =
        context.getBaseElementType(field->getType())->getAsCXXRecordDecl();
    if (inner && inner->getDefinition() && hasPadding(*inner->getDefinition()))
      return true;
  }
  return fieldBytes !=
         static_cast<std::uint64_t>(context.getASTRecordLayout(&record).getSize().getQuantity());
}

/// True where code outside cannot name a member: its own access, or that of a base it is from.
bool hasHiddenMembers(const clang::CXXRecordDecl &record) {
  return std::ranges::any_of(
             record.fields(),
             [](const clang::FieldDecl *field) { return isHidden(field->getAccess()); }) ||
         std::ranges::any_of(record.bases(), [](const clang::CXXBaseSpecifier &base) {
           const clang::CXXRecordDecl *inner = base.getType()->getAsCXXRecordDecl();
           return inner && !instrument::allFields(inner->getDefinition()).empty() &&
                  (isHidden(base.getAccessSpecifier()) ||
                   hasHiddenMembers(*inner->getDefinition()));
         });
}

/// Whether a struct of all fields, one after the other, has them where the record does: what a base
/// class leaves unused at its end may stay unused.
bool liesInOrder(const clang::CXXRecordDecl &record, const RecordShape &shape) {
  std::uint64_t end = 0;
  const std::vector<const clang::FieldDecl *> fields = instrument::allFields(&record);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::uint64_t alignment = shape.fields[i].alignment;
    end = (end + alignment - 1) / alignment * alignment;
    if (end != instrument::offsetOfField(record, *fields[i]))
      return false;
    end += shape.fields[i].bytes;
  }
  return true;
}

/// A type as the header names it, which stands before the class around a nested record.
std::string namedOutside(std::string type, const clang::CXXRecordDecl &record,
                         const std::string &name) {
  if (!outermostClass(record))
    return type;
  std::string qualifiedInClass = record.getNameAsString() + "::";
  for (const auto *around = dyn_cast<clang::CXXRecordDecl>(record.getDeclContext()); around;
       around = dyn_cast<clang::CXXRecordDecl>(around->getDeclContext()))
    qualifiedInClass.insert(0, around->getNameAsString() + "::");
  const std::string inside = record.getQualifiedNameAsString() + "::";
  const std::string outside =
      inside.substr(0, inside.size() - qualifiedInClass.size()) + name + "::";
  for (std::size_t at = 0; (at = type.find(inside, at)) != std::string::npos; at += outside.size())
    type.replace(at, inside.size(), outside);
  return type;
}

/// The view's accessor for a member of `Color Color;` hides the type.
bool isHiddenByMember(const clang::CXXRecordDecl &record, const clang::Type &type) {
  const auto *alias = type.getAs<clang::TypedefType>();
  const clang::NamedDecl *named =
      alias ? static_cast<const clang::NamedDecl *>(alias->getDecl()) : type.getAsTagDecl();
  return named && std::ranges::any_of(record.fields(), [&](const clang::FieldDecl *field) {
           return field->getDeclName() == named->getDeclName();
         });
}

/// As a declaration of its own, without what a part of several members is.
ShapeField describeAlone(const clang::CXXRecordDecl &record, const std::string &name,
                         const clang::FieldDecl &field) {
  const clang::ASTContext &context = field.getASTContext();
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.SuppressTagKeyword = true;
  policy.Bool = true;
  ShapeField described;
  described.name = field.getNameAsString();
  clang::QualType type = field.getType();
  while (const clang::ConstantArrayType *array = context.getAsConstantArrayType(type)) {
    described.extents.push_back(array->getSize().getZExtValue());
    type = array->getElementType();
  }
  described.isConst = type.isConstQualified();
  described.isVolatile = type.isVolatileQualified();
  type.removeLocalConst();
  if (isTakenFromMember(type) || isHiddenByMember(record, *type)) {
    const std::string member = fmt::format("decltype({}::{})", name, described.name);
    described.type = described.extents.empty()
                         ? member
                         : fmt::format("std::remove_all_extents<{}>::type", member);
    if (described.isConst)
      described.type = fmt::format("std::remove_const<{}>::type", described.type);
  } else {
    described.type =
        namedOutside(clang::TypeName::getFullyQualifiedName(type, context, policy), record, name);
  }
  described.alignment =
      static_cast<std::uint32_t>(context.getDeclAlign(&field, /*ForAlignof=*/true).getQuantity());
  described.explicitlyAligned = field.hasAttr<clang::AlignedAttr>();
  described.isOfClass = type->isRecordType();
  const clang::CXXRecordDecl *inner = type->getAsCXXRecordDecl();
  described.isMadeByHost = inner && isMadeByHost(*inner);
  return described;
}

/// Members as the header writes them out.
template <class Fields>
std::string declarationsOf(const clang::CXXRecordDecl &record, const std::string &name,
                           const Fields &fields, const std::string &indent) {
  std::string text;
  for (const clang::FieldDecl *member : fields) {
    text += indent;
    if (member->isAnonymousStructOrUnion()) {
      const clang::CXXRecordDecl &inner = *member->getType()->getAsCXXRecordDecl();
      text += fmt::format("{} {{\n{}{}}};\n", inner.isUnion() ? "union" : "struct",
                          declarationsOf(record, name, inner.fields(), indent + "  "), indent);
      continue;
    }
    const ShapeField described = describeAlone(record, name, *member);
    if (described.explicitlyAligned)
      text += fmt::format("alignas({}) ", described.alignment);
    text += described.type;
    if (!described.name.empty())
      text += " " + described.name;
    for (const std::uint64_t extent : described.extents)
      text += fmt::format("[{}]", extent);
    if (member->isBitField())
      text += fmt::format(" : {}", member->getBitWidthValue());
    text += ";\n";
  }
  return text;
}

bool hasBitFields(const clang::CXXRecordDecl &unnamed) {
  return std::ranges::any_of(unnamed.fields(), [](const clang::FieldDecl *field) {
    return field->isBitField() || (field->isAnonymousStructOrUnion() &&
                                   hasBitFields(*field->getType()->getAsCXXRecordDecl()));
  });
}

/// The type of members that lie together. Copies of a union have all of its bits, those that no
/// bit-field has among them; those of a struct need not.
template <class Fields>
std::string definitionOf(const clang::CXXRecordDecl &record, const std::string &name,
                         const Fields &fields, const char *kind, bool isInUnion) {
  if (!isInUnion)
    return fmt::format("{} {{\n{}}}", kind, declarationsOf(record, name, fields, "  "));
  return "union {\n  struct {\n" + declarationsOf(record, name, fields, "    ") + "  };\n}";
}

ShapeField describe(const clang::CXXRecordDecl &record, const std::string &name,
                    const clang::FieldDecl &field) {
  const std::optional<instrument::BitFieldRun> run = instrument::bitFieldRun(field);
  ShapeField described;
  if (run) {
    described.isOfClass = true;
    described.definition = definitionOf(record, name, run->fields, "struct", /*isInUnion=*/true);
  } else {
    described = describeAlone(record, name, field);
    if (isPairOfNumbers(field)) {
      described.type.clear();
      described.definition = structForPair(field);
    } else if (field.isAnonymousStructOrUnion()) {
      const clang::CXXRecordDecl &inner = *field.getType()->getAsCXXRecordDecl();
      described.type.clear();
      described.definition =
          definitionOf(record, name, inner.fields(), inner.isUnion() ? "union" : "struct",
                       !inner.isUnion() && hasBitFields(inner));
    }
  }
  described.name = instrument::nameOfField(field);
  described.bytes = static_cast<std::uint32_t>(instrument::bytesOfField(record, field));
  described.alignment = instrument::alignmentOf(field);
  return described;
}

} // namespace

std::string nameOf(const clang::CXXRecordDecl &record) {
  if (const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
      instance && areSpelled(instance->getTemplateArgs().asArray()))
    return record.getName().str() +
           spelledList(instance->getTemplateArgs().asArray(), record.getASTContext());
  if (record.getIdentifier())
    return record.getName().str();
  if (const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl())
    return alias->getName().str();
  return {};
}

std::optional<RecordShape> shapeOf(const Program &program, const clang::CXXRecordDecl &record) {
  Findings &findings = program.findings;
  const std::string name = nameOf(record);
  if (name.empty()) {
    findings.refuse(Code::NotPlainData, "a record without a name is not rewritten",
                    record.getLocation(), "give the struct a name");
    return std::nullopt;
  }
  if (const std::string reason = refusalForRecord(record); !reason.empty()) {
    findings.refuse(Code::NotPlainData, fmt::format("'{}' is not rewritten: it {}", name, reason),
                    record.getLocation(),
                    "only plain structs at namespace scope can change their layout");
    return std::nullopt;
  }
  if (const std::optional<CopyObstacle> obstacle = obstacleToCopies(program, record)) {
    findings.refuse(Code::NotPlainData,
                    fmt::format("'{}' is not rewritten: it {}", name, obstacle->text),
                    obstacle->where.isValid() ? obstacle->where : record.getLocation(),
                    "copy and move functions of a record must copy its members alone");
    return std::nullopt;
  }
  std::optional<RecordShape> shape = shapeOfMembers(record, findings);
  if (shape && !copiesOnDevice(record)) {
    shape->isCopiedByHostAlone = true;
    shape->hasPrivateMembers = true; // the header's kernels handle members instead
  }
  return shape;
}

std::optional<RecordShape> shapeOfMembers(const clang::CXXRecordDecl &record, Findings &findings) {
  const std::string name = nameOf(record);
  RecordShape shape;
  shape.name = namesAround(record) + name;
  bool sound = true;
  const auto isPair = [](const clang::FieldDecl *field) { return isPairOfNumbers(*field); };
  for (const clang::FieldDecl *field : instrument::allFields(&record)) {
    const std::optional<instrument::BitFieldRun> run = instrument::bitFieldRun(*field);
    std::string reason = run ? refusalForRun(record, *run) : refusalForField(*field);
    if (reason.empty() && std::ranges::any_of(shape.fields, [&](const ShapeField &other) {
          return other.name == instrument::nameOfField(*field);
        }))
      reason = "would have the name of another in the header";
    if (!reason.empty()) {
      findings.refuse(Code::NotPlainData,
                      fmt::format("'{}' is not rewritten: member '{}' {}", name,
                                  instrument::nameOfField(*field), reason),
                      field->getLocation(), "only plain members can change their layout");
      sound = false;
      continue;
    }
    shape.fields.push_back(describe(record, shape.name, *field));
    shape.hasPrivateMembers |=
        run || field->isAnonymousStructOrUnion() || isPair(field) ||
        field->getASTContext().getBaseElementType(field->getType()).isConstQualified();
  }
  if (!sound)
    return std::nullopt;
  for (const clang::DeclContext *scope = record.getDeclContext(); scope; scope = scope->getParent())
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope))
      shape.namespaces.insert(shape.namespaces.begin(), space->getNameAsString());
  const clang::ASTRecordLayout &layout = record.getASTContext().getASTRecordLayout(&record);
  shape.bytes = static_cast<std::uint32_t>(layout.getSize().getQuantity());
  shape.alignment = static_cast<std::uint32_t>(layout.getAlignment().getQuantity());
  shape.isScalar = instrument::isScalarRecord(record);
  shape.isVectorType = shape.isScalar || instrument::isVectorType(record);
  shape.hasPrivateMembers |= hasHiddenMembers(record);
  shape.hasPadding = hasPadding(record);
  shape.hasDestructor = !record.hasTrivialDestructor();
  shape.defaultConstructs =
      defaultConstructs(record) && std::ranges::none_of(instrument::allFields(&record), isPair);
  shape.isAggregate = record.isAggregate() && record.getNumBases() == 0 &&
                      !record.hasUserDeclaredConstructor() && !record.hasInClassInitializer() &&
                      !shape.hasPrivateMembers;
  shape.isAssigned =
      record.hasTrivialCopyAssignment() && std::ranges::none_of(shape.fields, &ShapeField::isConst);
  shape.isUnderPackPragma = record.hasAttr<clang::MaxFieldAlignmentAttr>();
  if (shape.hasPrivateMembers && !liesInOrder(record, shape)) {
    findings.refuse(
        Code::NotPlainData,
        fmt::format("'{}' is not rewritten: it has members that are private, const, bit-fields or "
                    "without a name, and is packed or has a base class that ends in unused bytes",
                    name),
        record.getLocation(), "make its members public, and not const");
    return std::nullopt;
  }
  return shape;
}

} // namespace relayout::rewriter
