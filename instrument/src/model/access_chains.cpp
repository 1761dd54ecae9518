// SPDX-License-Identifier: Apache-2.0
// The accesses of a device function: chains of members and elements, traced back to the record
// object they are part of.
#include "model/body_walker.h"

#include <clang/AST/RecordLayout.h>

#include <fmt/format.h>

namespace relayout::instrument {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

/// The array glvalue that decays to this pointer, or null.
const clang::Expr *decayedArray(const clang::Expr *pointer) {
  const auto *decay = dyn_cast<clang::ImplicitCastExpr>(pointer->IgnoreParens());
  if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
    return nullptr;
  return decay->getSubExpr();
}

const clang::Expr *throughGlvalueCasts(const clang::Expr *glvalue) {
  while (true) {
    glvalue = glvalue->IgnoreParens();
    const auto *conversion = dyn_cast<clang::CastExpr>(glvalue);
    if (!conversion || !conversion->isGLValue())
      return glvalue;
    switch (conversion->getCastKind()) {
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
      glvalue = conversion->getSubExpr();
      break;
    default:
      return glvalue;
    }
  }
}

clang::QualType elementType(clang::QualType type) {
  while (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  return type;
}

} // namespace

BodyWalker::Use BodyWalker::bindingUse(clang::QualType referenceType) {
  return referenceType.getNonReferenceType().isConstQualified() ? Use::BindConst : Use::BindMutable;
}

BodyWalker::Chain BodyWalker::rootedInPointer(Chain chain, const clang::Expr *pointer) const {
  chain.root = Root::Pointer;
  const clang::Expr *bare = pointer->IgnoreParenImpCasts();
  if (isa<clang::CXXThisExpr>(bare))
    chain.root = Root::Reference;
  else if (const auto *address = dyn_cast<clang::UnaryOperator>(bare);
           address && address->getOpcode() == clang::UO_AddrOf &&
           resolve(address->getSubExpr()).root == Root::Local)
    chain.root = Root::Local;
  // The address of a derived object converts to its base; the array is one of the derived type.
  while (const auto *conversion = dyn_cast<clang::CastExpr>(pointer->IgnoreParens())) {
    if (conversion->getCastKind() != clang::CK_UncheckedDerivedToBase &&
        conversion->getCastKind() != clang::CK_DerivedToBase)
      break;
    pointer = conversion->getSubExpr();
  }
  chain.record = context_.userRecord(elementType(pointer->getType()->getPointeeType()));
  chain.object = pointer;
  return chain;
}

BodyWalker::Chain BodyWalker::resolve(const clang::Expr *glvalue) const {
  Chain chain;
  const clang::Expr *at = glvalue;
  while (true) {
    at = throughGlvalueCasts(at);
    if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
      const auto *field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
      if (!field) {
        chain.root = Root::Variable; // a static member
        chain.object = at;
        chain.field = nullptr;
        break;
      }
      if (!chain.last)
        chain.last = field;
      chain.field = field;
      if (member->isArrow())
        return rootedInPointer(chain, member->getBase());
      at = member->getBase();
      if (!at->isGLValue())
        return chain; // a member of a temporary
    } else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
      const clang::Expr *array = decayedArray(subscript->getBase());
      if (!array)
        return rootedInPointer(chain, subscript->getBase());
      at = array;
    } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(at);
               unary && unary->getOpcode() == clang::UO_Deref) {
      const clang::Expr *array = decayedArray(unary->getSubExpr());
      if (!array)
        return rootedInPointer(chain, unary->getSubExpr());
      at = array;
    } else if (const auto *name = dyn_cast<clang::DeclRefExpr>(at)) {
      if (const auto *binding = dyn_cast<clang::BindingDecl>(name->getDecl());
          binding && binding->getBinding()) {
        at = binding->getBinding();
        continue;
      }
      const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
      chain.object = at;
      if (!variable)
        return chain;
      if (variable->getType()->isReferenceType())
        chain.root = Root::Reference;
      else if (variable->hasGlobalStorage() && !variable->hasAttr<clang::CUDASharedAttr>() &&
               !variable->hasAttr<clang::CUDAConstantAttr>() && !variable->isConstexpr())
        chain.root = Root::Variable;
      else
        return chain;
      break;
    } else if (const auto *call = dyn_cast<clang::CallExpr>(at);
               call && call->getDirectCallee() && call->getDirectCallee()->isInStdNamespace() &&
               call->getNumArgs() == 1 && call->isXValue()) {
      at = call->getArg(0); // std::move
    } else if (!at->isGLValue() || isa<clang::MaterializeTemporaryExpr, clang::StringLiteral,
                                       clang::CompoundLiteralExpr, clang::PredefinedExpr>(at)) {
      return chain;
    } else {
      chain.root = Root::Reference;
      chain.object = at;
      break;
    }
  }
  chain.record = context_.userRecord(elementType(chain.object->getType()));
  return chain;
}

/// Walks what a chain evaluates on its way: indices, pointers, calls; not the chain itself.
void BodyWalker::walkInside(const clang::Expr *glvalue) {
  const clang::Expr *at = throughGlvalueCasts(glvalue);
  if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
    if (member->isArrow())
      walk(member->getBase());
    else
      walkInside(member->getBase());
  } else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
    if (const clang::Expr *array = decayedArray(subscript->getBase()))
      walkInside(array);
    else
      walk(subscript->getBase());
    walk(subscript->getIdx());
  } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(at);
             unary && unary->getOpcode() == clang::UO_Deref) {
    if (const clang::Expr *array = decayedArray(unary->getSubExpr()))
      walkInside(array);
    else
      walk(unary->getSubExpr());
  } else if (!isa<clang::DeclRefExpr>(at)) {
    walk(at);
  }
}

void BodyWalker::walkChain(const clang::Expr *glvalue, Use use) {
  walkInside(glvalue);
  if (use == Use::None || !glvalue->isGLValue())
    return;
  if (!glvalue->isLValue() || glvalue->refersToBitField() || glvalue->refersToVectorElement())
    noteUnprobable(glvalue);
  const Chain chain = resolve(glvalue);
  if (chain.root == Root::Local)
    return;
  context_.facts.loadsPointers |= glvalue->getType()->isPointerType() &&
                                  context_.userRecord(glvalue->getType()->getPointeeType());
  if (!chain.record)
    return walkPlain(chain, glvalue, use);
  const bool isRecordItself = !chain.field;
  const std::string name = chain.field ? chain.field->getNameAsString() : std::string();
  const clang::CXXRecordDecl *nested = context_.userRecord(glvalue->getType());
  switch (use) {
  case Use::None:
    return;
  case Use::Address:
    if (!isRecordItself)
      warn(Code::FieldAddressKept,
           fmt::format("the address of field '{}' is kept: accesses through it are not traced",
                       name),
           glvalue->getExprLoc());
    return;
  case Use::BindConst:
  case Use::BindMutable:
    if (isRecordItself)
      return;
    if (nested) {
      remark(Code::FieldReference,
             fmt::format("field '{}' is bound to a reference: accesses through it count for '{}'",
                         name, nested->getNameAsString()),
             glvalue->getExprLoc());
      return;
    }
    if (glvalue->getType()->isArrayType()) {
      warn(Code::FieldAddressKept,
           fmt::format("array field '{}' is bound to a reference: accesses through it are not "
                       "traced",
                       name),
           glvalue->getExprLoc());
      return;
    }
    remark(Code::FieldReference,
           fmt::format("field '{}' is bound to a reference: counted as a {} here", name,
                       use == Use::BindConst ? "read" : "read and a write"),
           glvalue->getExprLoc());
    return noteAccess(chain, glvalue, glvalue,
                      use == Use::BindConst ? Use::ReadInPlace : Use::ReadWrite, false);
  case Use::Read:
  case Use::ReadInPlace:
  case Use::Write:
  case Use::ReadWrite:
    if (isRecordItself && !nested)
      return;
    return noteAccess(chain, glvalue, glvalue, use, false);
  }
}

/// An access to memory that holds no records, if those are asked for.
void BodyWalker::walkPlain(const Chain &chain, const clang::Expr *glvalue, Use use) {
  if (!context_.facts.allAccesses || glvalue->getType()->isArrayType() ||
      glvalue->getType().isVolatileQualified())
    return;
  const auto *name = dyn_cast<clang::DeclRefExpr>(chain.object);
  const bool isDeviceVariable = name && name->getDecl()->hasAttr<clang::CUDADeviceAttr>() &&
                                context_.isUsers(name->getDecl()->getLocation());
  if (chain.root != Root::Pointer && !(chain.root == Root::Variable && isDeviceVariable))
    return;
  switch (use) {
  case Use::None:
  case Use::Address:
    return;
  case Use::BindConst:
    return noteAccess(chain, glvalue, glvalue, Use::ReadInPlace, false);
  case Use::BindMutable:
    return noteAccess(chain, glvalue, glvalue, Use::ReadWrite, false);
  case Use::Read:
  case Use::ReadInPlace:
  case Use::Write:
  case Use::ReadWrite:
    return noteAccess(chain, glvalue, glvalue, use, false);
  }
}

void BodyWalker::walkAtomicPointer(const clang::Expr *pointer) {
  const clang::Expr *bare = pointer->IgnoreParenCasts();
  const clang::Expr *target = nullptr;
  if (const auto *address = dyn_cast<clang::UnaryOperator>(bare);
      address && address->getOpcode() == clang::UO_AddrOf)
    target = address->getSubExpr();
  const clang::Expr *offset = nullptr;
  if (const auto *sum = dyn_cast<clang::BinaryOperator>(bare);
      sum && sum->getOpcode() == clang::BO_Add) {
    offset = sum->getRHS();
    bare = sum->getLHS()->IgnoreParens();
  }
  if (!target)
    if (const clang::Expr *array = decayedArray(offset ? bare : pointer))
      target = array;
  if (!target) {
    walk(pointer);
    Chain chain = rootedInPointer({}, pointer);
    if (context_.facts.allAccesses && !chain.record && chain.root == Root::Pointer)
      noteAccess(chain, pointer, pointer, Use::ReadWrite, true);
    return;
  }
  walkInside(target);
  if (offset)
    walk(offset);
  const Chain chain = resolve(target);
  const bool isPlain = context_.facts.allAccesses && !chain.record && chain.root == Root::Pointer;
  if (isPlain || (chain.root != Root::Local && chain.record && chain.field))
    noteAccess(chain, target, pointer, Use::ReadWrite, true);
}

void BodyWalker::noteAccess(const Chain &chain, const clang::Expr *whole, const clang::Expr *edited,
                            Use use, bool isAtomic) {
  const std::string key = chain.record ? context_.recordKey(chain.record) : std::string();
  const std::string label = chain.field ? fmt::format("field '{}'", chain.field->getNameAsString())
                            : chain.record ? fmt::format("'{}'", chain.record->getNameAsString())
                                           : "memory";
  if (chain.last && chain.last->isBitField())
    return warn(Code::BitField, fmt::format("{} is a bit-field: this access is not traced", label),
                whole->getExprLoc());
  if (!isAtomic && (whole->refersToVectorElement() ||
                    (chain.last && (chain.last->hasAttr<clang::PackedAttr>() ||
                                    chain.last->getParent()->hasAttr<clang::PackedAttr>())))) {
    noteUnprobable(whole);
    return warn(Code::PackedRecord, fmt::format("{} is packed: this access is not traced", label),
                whole->getExprLoc());
  }
  if (!isAtomic && whole->isXValue())
    return warn(Code::NotTraceable,
                fmt::format("{} is accessed as an expiring value: this is not traced", label),
                whole->getExprLoc());
  if (function_->isConstexpr() && !clang::isLambdaCallOperator(function_))
    return warn(Code::NotTraceable,
                fmt::format("'{}' is constexpr: its access to {} is not traced",
                            function_->getNameAsString(), label),
                whole->getExprLoc());

  trace::Index field = trace::kNone;
  if (chain.record && chain.field) {
    const std::vector<const clang::FieldDecl *> fields = allFields(chain.record);
    const auto found = std::find(fields.begin(), fields.end(), chain.field);
    if (found == fields.end())
      return warn(Code::NotTraceable,
                  fmt::format("{} is no direct member of '{}': not traced", label,
                              chain.record->getNameAsString()),
                  whole->getExprLoc());
    field = static_cast<trace::Index>(found - fields.begin());
  }
  clang::QualType type = isAtomic ? edited->getType()->getPointeeType() : whole->getType();
  const auto bytes = static_cast<std::uint32_t>(
      context_.unit.ast().getTypeSizeInChars(type.getNonReferenceType()).getQuantity());
  if (chain.record && (chain.root == Root::Pointer || chain.root == Root::Variable))
    instance_.pointerRooted = true;

  const auto nameOf = [this](const std::string &record) {
    return record.empty() ? "memory without records" : context_.facts.records[record].name;
  };
  auto fill = [&](PointKind kind) -> Point * {
    Point *point = addPoint(kind, edited->getSourceRange());
    if (!point) {
      warn(Code::NotTraceable,
           fmt::format("{} is accessed by code with no text of its own: not traced", label),
           whole->getExprLoc());
      return nullptr;
    }
    if (context_.isHostPass)
      point->objects.push_back(chain.object);
    if (point->bytes == 0) {
      point->record = key;
      point->field = field;
      point->bytes = bytes;
      point->loop = loop_;
      point->group = context_.groupOf(chain.object);
    } else if (point->record != key || point->field != field) {
      warn(Code::SeveralRecordTypes,
           fmt::format("this access stands for '{}' in one instantiation and for '{}' in another; "
                       "all count for the first",
                       nameOf(point->record), nameOf(key)),
           whole->getExprLoc());
    }
    instance_.sites.push_back(point);
    return point;
  };
  if (isAtomic) {
    fill(PointKind::Atomic);
  } else if (use == Use::ReadWrite) {
    Point *read = fill(PointKind::Read);
    Point *write = fill(PointKind::Write);
    if (read && write) {
      read->partner = write;
      write->isPartner = true;
    }
  } else if (use == Use::Write) {
    fill(PointKind::Write);
  } else if (Point *read = fill(PointKind::Read)) {
    read->isInPlace |= use == Use::ReadInPlace;
  }
}

// ---------------------------------------------------------------------------------------------

StablePlace WalkContext::stable(clang::SourceLocation location) const {
  const clang::SourceManager &sources = unit.sources();
  const clang::SourceLocation inFile = sources.getExpansionLoc(location);
  StablePlace place;
  if (const auto entry = sources.getFileEntryRefForID(sources.getFileID(inFile)))
    place.file = entry->getName().str();
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

std::vector<const clang::FieldDecl *> allFields(const clang::CXXRecordDecl *record) {
  std::vector<const clang::FieldDecl *> fields;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl();
        decl && decl->getDefinition() && !base.isVirtual())
      for (const clang::FieldDecl *field : allFields(decl->getDefinition()))
        fields.push_back(field);
  for (const clang::FieldDecl *field : record->fields())
    fields.push_back(field);
  return fields;
}

namespace {

/// Bytes from the start of `record` to `field`, which it or a base of it declares.
std::uint64_t offsetOf(clang::ASTContext &ast, const clang::CXXRecordDecl *record,
                       const clang::FieldDecl *field) {
  const clang::ASTRecordLayout &layout = ast.getASTRecordLayout(record);
  if (field->getParent()->getCanonicalDecl() == record->getCanonicalDecl())
    return layout.getFieldOffset(field->getFieldIndex()) / 8;
  for (const clang::CXXBaseSpecifier &base : record->bases()) {
    const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl()->getDefinition();
    const std::vector<const clang::FieldDecl *> fields = allFields(decl);
    if (std::find(fields.begin(), fields.end(), field) != fields.end())
      return layout.getBaseClassOffset(decl).getQuantity() + offsetOf(ast, decl, field);
  }
  return 0;
}

} // namespace

std::string WalkContext::recordKey(const clang::CXXRecordDecl *record) const {
  clang::ASTContext &ast = unit.ast();
  clang::PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.FullyQualifiedName = true;
  const clang::QualType type = ast.getCanonicalTagType(record);
  const std::string name = type.getAsString(policy);
  const StablePlace place = stable(record->getLocation());
  const std::string key = fmt::format("{}@{}:{}", name, place.file, place.offset);
  const auto [entry, isNew] = facts.records.try_emplace(key);
  if (!isNew)
    return key;
  trace::Record &known = entry->second;
  known.name = name;
  known.place = unit.place(record->getLocation());
  known.bytes = static_cast<std::uint32_t>(ast.getTypeSizeInChars(type).getQuantity());
  known.alignment = static_cast<std::uint32_t>(ast.getTypeAlignInChars(type).getQuantity());
  for (const clang::FieldDecl *declared : allFields(record)) {
    trace::Field field;
    field.name = declared->getNameAsString();
    clang::QualType fieldType = declared->getType();
    while (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(fieldType)) {
      field.extents += fmt::format("[{}]", array->getZExtSize());
      field.count *= static_cast<std::uint32_t>(array->getZExtSize());
      fieldType = array->getElementType();
    }
    field.type = fieldType.getAsString(policy);
    field.offset = static_cast<std::uint32_t>(offsetOf(ast, record, declared));
    if (!declared->getType()->isIncompleteType())
      field.bytes =
          static_cast<std::uint32_t>(ast.getTypeSizeInChars(declared->getType()).getQuantity());
    field.alignment =
        static_cast<std::uint32_t>(ast.getDeclAlign(declared, /*ForAlignof=*/true).getQuantity());
    known.fields.push_back(std::move(field));
  }
  return key;
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
  const clang::CXXRecordDecl *record = context.userRecord(type);
  if (!record || depth > 8)
    return false;
  if (behindPointer)
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
