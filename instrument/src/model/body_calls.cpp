// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order: its calls, and what they do to their arguments.
#include "model/body_walker.h"

#include "model/code_steps.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

namespace {

bool isOneOf(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Functions at which threads of a block or warp wait for each other.
bool isSynchronising(llvm::StringRef name) {
  return name.starts_with("__syncthreads") || name.starts_with("__shfl") ||
         name.starts_with("__match_") || name.starts_with("__reduce_") ||
         name.starts_with("__barrier_sync") ||
         isOneOf(name, {"__syncwarp", "__all_sync", "__any_sync", "__ballot_sync", "__activemask",
                        "__all", "__any", "__ballot", "__uni_sync", "__nanosleep"});
}

/// `atomicAdd(&ready, 0)`, `atomicCAS(&ready, 1, 1)`: an atomic that only reads, which is how
/// threads wait for what another one will write.
bool isAtomicRead(const clang::CallExpr &call, llvm::StringRef name, const clang::ASTContext &ast) {
  const auto constant = [&](unsigned argument) {
    return argument < call.getNumArgs() ? call.getArg(argument)->getIntegerConstantExpr(ast)
                                        : std::nullopt;
  };
  const auto value = constant(1);
  if (!value || !name.consume_front("atomic"))
    return false;
  if (name.starts_with("CAS"))
    return constant(2) && llvm::APSInt::isSameValue(*value, *constant(2));
  if (name.starts_with("And"))
    return value->isAllOnes();
  return value->isZero() && (name.starts_with("Add") || name.starts_with("Sub") ||
                             name.starts_with("Or") || name.starts_with("Xor"));
}

/// `cuda::barrier` and `cuda::pipeline`: threads wait in their methods.
bool isOfBarrier(const clang::FunctionDecl &callee) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  return method && isOneOf(method->getParent()->getName(), {"barrier", "pipeline"}) &&
         llvm::StringRef(method->getParent()->getQualifiedNameAsString()).starts_with("cuda::");
}

/// Libraries of the device whose functions are taken to synchronise, whichever they are.
bool isOfSynchronisingLibrary(const clang::FunctionDecl &callee) {
  const auto *space = dyn_cast<clang::NamespaceDecl>(callee.getEnclosingNamespaceContext());
  if (!space)
    return false;
  const std::string name = space->getQualifiedNameAsString();
  return name.starts_with("cooperative_groups") || name.starts_with("cub") ||
         name.starts_with("nvcuda");
}

} // namespace

/// `p[i]` of `memcpy(…, &p[i], sizeof(p[i]))`: a record that is copied or set as a whole; else
/// null.
const clang::Expr *BodyWalker::copiedRecord(const clang::CallExpr &call, unsigned side) const {
  const auto *address = dyn_cast<clang::UnaryOperator>(call.getArg(side)->IgnoreParenCasts());
  if (!address || address->getOpcode() != clang::UO_AddrOf ||
      !context_.userRecord(address->getSubExpr()->getType()))
    return nullptr;
  const clang::ASTContext &ast = context_.unit.ast();
  const auto bytes = ast.getTypeSizeInChars(address->getSubExpr()->getType()).getQuantity();
  const std::optional<llvm::APSInt> copied = call.getArg(2)->getIntegerConstantExpr(ast);
  return copied && *copied == bytes ? address->getSubExpr() : nullptr;
}

/// Functions that access memory through an argument: atomics, loads and stores with a cache hint;
/// and those that only pass a reference on.
bool BodyWalker::walkIntrinsic(const clang::CallExpr *call, llvm::StringRef name, Use use) {
  if (name.starts_with("atomic") && call->getNumArgs() > 0 &&
      call->getArg(0)->getType()->isPointerType()) {
    walkAtomicPointer(call->getArg(0));
    for (unsigned i = 1; i < call->getNumArgs(); ++i)
      walk(call->getArg(i));
    return true;
  }
  if (isOneOf(name, {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"})) {
    walk(call->getArg(0), Use::ReadInPlace);
    return true;
  }
  if (isOneOf(name, {"__stwb", "__stcg", "__stcs", "__stwt"})) {
    walk(call->getArg(0), Use::Write);
    walk(call->getArg(1));
    return true;
  }
  if (isOneOf(name, {"memcpy", "memmove"}) && call->getNumArgs() > 2) {
    const clang::Expr *to = copiedRecord(*call, 0), *from = copiedRecord(*call, 1);
    if (!to && !from)
      return false;
    walk(from ? from : call->getArg(1), from ? Use::ReadInPlace : Use::None);
    walk(call->getArg(2));
    walk(to ? to : call->getArg(0), to ? Use::Write : Use::None);
    return true;
  }
  if (name == "memset" && call->getNumArgs() > 2) {
    const clang::Expr *to = copiedRecord(*call, 0);
    if (!to)
      return false;
    walk(call->getArg(1));
    walk(call->getArg(2));
    walk(to, Use::Write);
    return true;
  }
  if (call->getDirectCallee()->isInStdNamespace() && isOneOf(name, {"move", "forward"}) &&
      call->getNumArgs() == 1) {
    walk(call->getArg(0), use == Use::Read ? Use::ReadInPlace : use);
    return true;
  }
  return false;
}

bool BodyWalker::yieldsElement(const clang::CallExpr &call) const {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !call.isLValue() || !context_.isUsers(callee->getLocation()))
    return false;
  const clang::CXXRecordDecl *record = context_.arrayRecord(call.getType(), &call);
  return record && !isScalarRecord(*record);
}

void BodyWalker::walkCall(const clang::CallExpr *call, Use use) {
  if (!call->isLValue())
    notes_.unprobable(call);
  const clang::FunctionDecl *callee = call->getDirectCallee();
  if (!callee) {
    instance_.synchronises = true;
    notes_.remark(Code::CallNotFollowed,
                  "a call through a pointer: what it reaches is not followed", call->getExprLoc());
    walk(call->getCallee());
    for (const clang::Expr *argument : call->arguments())
      walk(argument);
    return notes_.addStep(trace::code::Jump{});
  }
  const bool isUsers = context_.isUsers(callee->getLocation());
  const llvm::StringRef name =
      callee->getDeclName().isIdentifier() ? callee->getName() : llvm::StringRef();
  if (!isUsers) {
    if (isSynchronising(name) || isOfSynchronisingLibrary(*callee) || isOfBarrier(*callee) ||
        isAtomicRead(*call, name, context_.unit.ast()))
      instance_.synchronises = true;
    if (walkIntrinsic(call, name, use))
      return;
  }
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(callee)) {
    if (method->isVirtual()) {
      instance_.synchronises = true;
      notes_.remark(
          Code::CallNotFollowed,
          fmt::format("'{}' is virtual: overriders are not followed", method->getNameAsString()),
          call->getExprLoc());
    }
    if (!method->isUserProvided() &&
        (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
      const auto *named = dyn_cast<clang::CXXMemberCallExpr>(call); // `Base::operator=(other)`
      walk(call->getArg(named ? 0 : 1), Use::Read);
      return walk(named ? named->getImplicitObjectArgument() : call->getArg(0), Use::Write);
    }
  }
  // The probe that names the call runs before the arguments.
  const trace::Index outline = noteCall(callee, call);
  walkArguments(call, callee);
  if (isUsers)
    notes_.addStep(trace::code::Call{outline});
  else if (auto step = libraryCall(*call, context_.unit.ast()))
    notes_.addStep(std::move(*step));
}

void BodyWalker::walkArguments(const clang::CallExpr *call, const clang::FunctionDecl *callee) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  std::vector<std::pair<const clang::Expr *, Use>> operands;
  unsigned firstArgument = 0;
  if (const auto *memberCall = dyn_cast<clang::CXXMemberCallExpr>(call)) {
    const clang::Expr *object = memberCall->getImplicitObjectArgument();
    const Use use = !object || !object->isGLValue() ? Use::None
                    : method && method->isConst()   ? Use::BindConst
                                                    : Use::BindMutable;
    operands.emplace_back(object, use);
  } else if (isa<clang::CXXOperatorCallExpr>(call) && method && !method->isStatic()) {
    firstArgument = 1;
    operands.emplace_back(call->getArg(0), method->isConst() ? Use::BindConst : Use::BindMutable);
  } else if (!isa<clang::CXXOperatorCallExpr>(call)) {
    walk(call->getCallee());
  }
  for (unsigned i = firstArgument; i < call->getNumArgs(); ++i) {
    const unsigned parameter = i - firstArgument;
    const bool isBound = parameter < callee->getNumParams() &&
                         callee->getParamDecl(parameter)->getType()->isReferenceType();
    if (const clang::Expr *field = followedField(*call->getArg(i), *callee, parameter))
      operands.emplace_back(field, Use::None);
    else
      operands.emplace_back(call->getArg(i),
                            isBound ? bindingUse(callee->getParamDecl(parameter)->getType())
                                    : Use::None);
  }
  if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(call);
      operation && operation->isAssignmentOp())
    std::reverse(operands.begin(), operands.end());
  const bool isForeign = !context_.isUsers(callee->getLocation());
  for (const auto &[operand, use] : operands)
    walk(operand, isForeign ? foreignUse(operand, vectorUse(operand, use), callee)
                            : vectorUse(operand, use));
}

/// The field that a function is given, if what it does to it is counted there; else null.
const clang::Expr *BodyWalker::followedField(const clang::Expr &argument,
                                             const clang::FunctionDecl &callee,
                                             unsigned number) const {
  const clang::FunctionDecl *body = callee.getDefinition();
  if (!body || number >= body->getNumParams() ||
      !context_.fieldArguments.contains(body->getParamDecl(number)))
    return nullptr;
  if (body->getParamDecl(number)->getType()->isReferenceType())
    return argument.isGLValue() ? &argument : nullptr;
  const clang::Expr *field = fieldBehind(&argument);
  return field && isa<clang::MemberExpr, clang::ArraySubscriptExpr>(field) ? field : nullptr;
}

/// A vector of an array that is passed by reference: counted at the call, all of it, and not in the
/// function, which is given values and members of other records as well.
Use BodyWalker::vectorUse(const clang::Expr *operand, Use use) const {
  if (!operand || (use != Use::BindConst && use != Use::BindMutable) || !operand->isLValue() ||
      !vectorTypeOf(operand->getType()))
    return use;
  const Chain chain = chains_.resolve(operand);
  if (chain.root == Root::Local || !chain.record || chain.field)
    return use;
  return use == Use::BindConst ? Use::ReadInPlace : Use::ReadWrite;
}

/// A function whose code is not walked: what it does to a record that it is handed is counted at
/// the call, and what it does to an array of them cannot be.
Use BodyWalker::foreignUse(const clang::Expr *operand, Use use, const clang::FunctionDecl *callee) {
  if (!operand)
    return use;
  const std::string name = callee->getNameAsString();
  const clang::QualType pointee = operand->getType()->getPointeeType();
  if (use == Use::None && !pointee.isNull() && context_.arrayRecord(pointee, operand) &&
      !operand->isGLValue()) {
    notes_.warn(Code::CallNotFollowed,
                fmt::format("'{}' is handed an array of '{}': its accesses are not traced", name,
                            context_.arrayRecord(pointee, operand)->getNameAsString()),
                operand->getExprLoc());
    return use;
  }
  if ((use != Use::BindConst && use != Use::BindMutable) ||
      !context_.userRecord(operand->getType()))
    return use;
  const Chain chain = chains_.resolve(operand);
  if (chain.root == Root::Local || !chain.record || !operand->isLValue())
    return use;
  notes_.remark(Code::FieldReference,
                fmt::format("'{}' is handed a reference to '{}': counted as a {} of all of it here",
                            name, chain.record->getNameAsString(),
                            use == Use::BindConst ? "read" : "read and a write"),
                operand->getExprLoc());
  return use == Use::BindConst ? Use::Read : Use::ReadWrite;
}

namespace {

/// True for calls around which a probe can stand.
bool isNamed(const clang::Expr *call, const clang::FunctionDecl *callee) {
  return !isa<clang::CXXConversionDecl>(callee) &&
         callee->getOverloadedOperator() != clang::OO_Arrow && !call->isXValue();
}

} // namespace

trace::Index BodyWalker::noteCall(const clang::FunctionDecl *callee, const clang::Expr *call) {
  const clang::FunctionDecl *definition = callee->getDefinition();
  if (!context_.isUsers(callee->getLocation()) || callee->isImplicit() || callee->isDefaulted())
    return trace::kNone;
  if (!definition || !definition->hasBody()) {
    if (callee->isPureVirtual())
      return trace::kNone;
    OutsideCall outside{symbolOf(context_.unit, callee), callee->getNameAsString(),
                        context_.unit.place(call ? call->getExprLoc() : callee->getLocation()),
                        notes_.loop};
    if (call && isNamed(call, callee))
      if ((outside.point = notes_.addPoint(PointKind::Call, call->getSourceRange())))
        outside.point->loop = notes_.loop;
    instance_.outsideCalls.push_back(std::move(outside));
    return trace::kNone;
  }
  const auto [source, outline] = onCall_(definition, notes_.loop);
  source_.callees[source].insert(notes_.loop);
  if (!call || !isNamed(call, callee))
    return outline;
  if (Point *point = notes_.addPoint(PointKind::Call, call->getSourceRange())) {
    point->callee = source;
    point->loop = notes_.loop;
  }
  return outline;
}

} // namespace relayout::instrument
