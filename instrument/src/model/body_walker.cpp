// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order: its expressions. Statements are in
// body_statements.cpp, the accesses themselves in access_chains.cpp.
#include "model/body_walker.h"

#include "model/slow_paths.h"
#include "model/straight_line.h"

#include <fmt/format.h>

namespace relayout::instrument {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

BodyWalker::BodyWalker(WalkContext &context, SourceFunction &source, FunctionInstance &instance,
                       OnCall onCall)
    : context_(context), source_(source), instance_(instance), onCall_(std::move(onCall)) {}

void BodyWalker::warn(Code code, std::string text, clang::SourceLocation where) {
  context_.facts.find(Severity::Warning, code, std::move(text), context_.unit.place(where));
}

void BodyWalker::remark(Code code, std::string text, clang::SourceLocation where) {
  context_.facts.find(Severity::Remark, code, std::move(text), context_.unit.place(where));
}

void BodyWalker::walkExpression(const clang::Expr *expression, Use use) {
  switch (expression->getStmtClass()) {
  case clang::Stmt::MemberExprClass:
  case clang::Stmt::ArraySubscriptExprClass:
  case clang::Stmt::DeclRefExprClass:
    return walkChain(expression, use);
  case clang::Stmt::ParenExprClass:
    return walk(cast<clang::ParenExpr>(expression)->getSubExpr(), use);
  case clang::Stmt::ExprWithCleanupsClass:
  case clang::Stmt::ConstantExprClass:
    return walk(cast<clang::FullExpr>(expression)->getSubExpr(), use);
  case clang::Stmt::MaterializeTemporaryExprClass:
    return walk(cast<clang::MaterializeTemporaryExpr>(expression)->getSubExpr());
  case clang::Stmt::CXXBindTemporaryExprClass:
    return walk(cast<clang::CXXBindTemporaryExpr>(expression)->getSubExpr());
  case clang::Stmt::UnaryExprOrTypeTraitExprClass:
  case clang::Stmt::CXXNoexceptExprClass:
  case clang::Stmt::CXXTypeidExprClass:
  case clang::Stmt::RequiresExprClass:
  case clang::Stmt::CXXDefaultArgExprClass:
  case clang::Stmt::CXXDefaultInitExprClass:
  case clang::Stmt::SubstNonTypeTemplateParmExprClass:
    return;
  case clang::Stmt::UnaryOperatorClass: {
    const auto *unary = cast<clang::UnaryOperator>(expression);
    switch (unary->getOpcode()) {
    case clang::UO_Deref:
      return walkChain(expression, use);
    case clang::UO_AddrOf:
      // A use given to an address is that of a cache-hinted load or store through it.
      return walk(unary->getSubExpr(), use == Use::None ? Use::Address : use);
    case clang::UO_PreInc:
    case clang::UO_PostInc:
    case clang::UO_PreDec:
    case clang::UO_PostDec:
      return walk(unary->getSubExpr(), Use::ReadWrite);
    default:
      return walk(unary->getSubExpr());
    }
  }
  case clang::Stmt::BinaryOperatorClass:
  case clang::Stmt::CompoundAssignOperatorClass:
    return walkBinary(cast<clang::BinaryOperator>(expression), use);
  case clang::Stmt::ConditionalOperatorClass: {
    const auto *choice = cast<clang::ConditionalOperator>(expression);
    clang::ASTContext &ast = context_.unit.ast();
    const auto never = neverRuns(*choice, ast);
    const bool branches = !never && (readsMemory(choice->getTrueExpr(), ast) ||
                                     readsMemory(choice->getFalseExpr(), ast));
    walk(choice->getCond());
    if (branches)
      endRegion();
    walkPart(choice->getTrueExpr(), never, use);
    if (branches)
      endRegion();
    walkPart(choice->getFalseExpr(), never, use);
    if (branches)
      endRegion();
    return;
  }
  case clang::Stmt::InitListExprClass: {
    const auto *list = cast<clang::InitListExpr>(expression);
    if (const clang::InitListExpr *semantic = list->getSemanticForm())
      list = semantic;
    return walkChildren(list);
  }
  case clang::Stmt::LambdaExprClass:
    return walkLambda(cast<clang::LambdaExpr>(expression));
  case clang::Stmt::CXXNewExprClass: {
    const auto *creation = cast<clang::CXXNewExpr>(expression);
    if (context_.userRecord(creation->getAllocatedType()))
      warn(Code::NotTraceable, "a record made by 'new' is written without being traced",
           expression->getBeginLoc());
    return walkChildren(expression);
  }
  default:
    break;
  }
  if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    return walkCall(call, use);
  if (const auto *conversion = dyn_cast<clang::CastExpr>(expression))
    return walkCast(conversion, use);
  if (const auto *construct = dyn_cast<clang::CXXConstructExpr>(expression))
    return walkConstruct(construct);
  walkChildren(expression);
}

void BodyWalker::walkCast(const clang::CastExpr *conversion, Use use) {
  const clang::Expr *from = conversion->getSubExpr();
  if (use == Use::Read && isa<clang::ExplicitCastExpr>(conversion) && conversion->isGLValue())
    use = Use::ReadInPlace;
  switch (conversion->getCastKind()) {
  case clang::CK_LValueToRValue:
    return walk(from, Use::Read);
  case clang::CK_NoOp:
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
  case clang::CK_BaseToDerived:
  case clang::CK_ConstructorConversion:
  case clang::CK_UserDefinedConversion:
    return walk(from, use);
  case clang::CK_LValueBitCast:
    return walk(from, Use::Address);
  case clang::CK_ArrayToPointerDecay:
    return walk(from, use == Use::None ? Use::Address : use);
  case clang::CK_BitCast: {
    const clang::QualType source = from->getType()->getPointeeType();
    const clang::QualType target = conversion->getType()->getPointeeType();
    if (!source.isNull() && !target.isNull() && context_.userRecord(source) &&
        !context_.unit.ast().hasSameUnqualifiedType(source, target))
      warn(Code::PointerConverted,
           fmt::format("a pointer to '{}' becomes '{}': accesses through it are not traced",
                       source.getUnqualifiedType().getAsString(),
                       conversion->getType().getAsString()),
           conversion->getExprLoc());
    // A load or store through the new type moves other bytes than the old one says.
    return walk(from, Use::None);
  }
  case clang::CK_PointerToIntegral:
    if (context_.userRecord(from->getType()->getPointeeType()))
      warn(Code::PointerConverted,
           "a pointer to a record becomes an integer: accesses through it are not traced",
           conversion->getExprLoc());
    return walk(from);
  default:
    return walk(from);
  }
}

void BodyWalker::walkBinary(const clang::BinaryOperator *binary, Use use) {
  if (binary->isAssignmentOp()) {
    walk(binary->getRHS());
    walk(binary->getLHS(), binary->isCompoundAssignmentOp() ? Use::ReadWrite : Use::Write);
    if (hasSlowPath(*binary, context_.unit.ast(), context_.unit.floatMath()))
      endRegion();
    return;
  }
  if (binary->isPtrMemOp() && (context_.userRecord(binary->getLHS()->getType()) ||
                               context_.userRecord(binary->getLHS()->getType()->getPointeeType())))
    warn(Code::NotTraceable, "an access through a pointer to member is not traced",
         binary->getOperatorLoc());
  walk(binary->getLHS());
  clang::ASTContext &ast = context_.unit.ast();
  const auto never = neverRuns(*binary, ast);
  const bool branches = binary->isLogicalOp() && !never && readsMemory(binary->getRHS(), ast);
  if (branches)
    endRegion();
  walkPart(binary->getRHS(), never, binary->getOpcode() == clang::BO_Comma ? use : Use::None);
  if (branches || hasSlowPath(*binary, ast, context_.unit.floatMath()))
    endRegion();
}

void BodyWalker::walkConstruct(const clang::CXXConstructExpr *construct) {
  const clang::CXXConstructorDecl *constructor = construct->getConstructor();
  if (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided())
    return walk(construct->getArg(0), Use::Read);
  for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
    const bool isBound = i < constructor->getNumParams() &&
                         constructor->getParamDecl(i)->getType()->isReferenceType();
    walk(construct->getArg(i),
         isBound ? bindingUse(constructor->getParamDecl(i)->getType()) : Use::None);
  }
  // A declaration has no room for the call's own probe.
  noteCall(constructor, nullptr);
}

void BodyWalker::walkLambda(const clang::LambdaExpr *lambda) {
  for (const clang::Expr *captured : lambda->capture_inits())
    if (captured && context_.tokens.indexOf(captured->getBeginLoc()))
      walk(captured);
  // Whoever calls the closure, it is reached from here.
  if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator()) {
    for (const clang::FunctionDecl *instance : generic->specializations())
      noteCall(instance, nullptr);
  } else {
    noteCall(lambda->getCallOperator(), nullptr);
  }
}

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

} // namespace

void BodyWalker::walkCall(const clang::CallExpr *call, Use use) {
  if (!call->isLValue())
    noteUnprobable(call);
  const clang::FunctionDecl *callee = call->getDirectCallee();
  if (!callee) {
    instance_.synchronises = true;
    remark(Code::CallNotFollowed, "a call through a pointer: what it reaches is not followed",
           call->getExprLoc());
    walk(call->getCallee());
    for (const clang::Expr *argument : call->arguments())
      walk(argument);
    return endRegion();
  }
  const bool isUsers = context_.isUsers(callee->getLocation());
  const llvm::StringRef name =
      callee->getDeclName().isIdentifier() ? callee->getName() : llvm::StringRef();
  if (!isUsers) {
    if (isSynchronising(name))
      instance_.synchronises = true;
    const clang::DeclContext *scope = callee->getEnclosingNamespaceContext();
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
        space && space->getQualifiedNameAsString().starts_with("cooperative_groups"))
      instance_.synchronises = true;
    if (name.starts_with("atomic") && call->getNumArgs() > 0 &&
        call->getArg(0)->getType()->isPointerType()) {
      walkAtomicPointer(call->getArg(0));
      for (unsigned i = 1; i < call->getNumArgs(); ++i)
        walk(call->getArg(i));
      return;
    }
    if (isOneOf(name, {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"}))
      return walk(call->getArg(0), Use::ReadInPlace);
    if (isOneOf(name, {"__stwb", "__stcg", "__stcs", "__stwt"})) {
      walk(call->getArg(0), Use::Write);
      return walk(call->getArg(1));
    }
    if (callee->isInStdNamespace() && isOneOf(name, {"move", "forward"}) && call->getNumArgs() == 1)
      return walk(call->getArg(0), use == Use::Read ? Use::ReadInPlace : use);
  }
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(callee)) {
    if (method->isVirtual()) {
      instance_.synchronises = true;
      remark(Code::CallNotFollowed,
             fmt::format("'{}' is virtual: overriders are not followed", method->getNameAsString()),
             call->getExprLoc());
    }
    if (isa<clang::CXXOperatorCallExpr>(call) && !method->isUserProvided() &&
        (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
      walk(call->getArg(1), Use::Read);
      return walk(call->getArg(0), Use::Write);
    }
  }
  // The probe that names the call runs before the arguments.
  const SourceFunction *followed = noteCall(callee, call);
  walkArguments(call, callee);
  if (isUsers ? !followed || !followed->isStraight
              : hasSlowPath(*call, context_.unit.ast(), context_.unit.floatMath()))
    endRegion();
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
    operands.emplace_back(call->getArg(i),
                          isBound ? bindingUse(callee->getParamDecl(parameter)->getType())
                                  : Use::None);
  }
  if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(call);
      operation && operation->isAssignmentOp())
    std::reverse(operands.begin(), operands.end());
  const bool isForeign = !context_.isUsers(callee->getLocation());
  for (const auto &[operand, use] : operands)
    walk(operand, isForeign ? foreignUse(operand, use, callee) : use);
}

/// A function whose code is not walked: what it does to a record that it is handed is counted at
/// the call, and what it does to an array of them cannot be.
BodyWalker::Use BodyWalker::foreignUse(const clang::Expr *operand, Use use,
                                       const clang::FunctionDecl *callee) {
  if (!operand)
    return use;
  const std::string name = callee->getNameAsString();
  const clang::QualType pointee = operand->getType()->getPointeeType();
  if (use == Use::None && !pointee.isNull() && context_.userRecord(pointee) &&
      !operand->isGLValue()) {
    warn(Code::CallNotFollowed,
         fmt::format("'{}' is handed an array of '{}': its accesses are not traced", name,
                     context_.userRecord(pointee)->getNameAsString()),
         operand->getExprLoc());
    return use;
  }
  if ((use != Use::BindConst && use != Use::BindMutable) ||
      !context_.userRecord(operand->getType()))
    return use;
  const Chain chain = resolve(operand);
  if (chain.root == Root::Local || !chain.record || !operand->isLValue())
    return use;
  remark(Code::FieldReference,
         fmt::format("'{}' is handed a reference to '{}': counted as a {} of all of it here", name,
                     chain.record->getNameAsString(),
                     use == Use::BindConst ? "read" : "read and a write"),
         operand->getExprLoc());
  return use == Use::BindConst ? Use::Read : Use::ReadWrite;
}

const SourceFunction *BodyWalker::noteCall(const clang::FunctionDecl *callee,
                                           const clang::Expr *call) {
  const clang::FunctionDecl *definition = callee->getDefinition();
  if (!context_.isUsers(callee->getLocation()))
    return nullptr;
  if (!definition || !definition->hasBody()) {
    if (callee->isImplicit() || callee->isDefaulted())
      return nullptr;
    instance_.synchronises = true;
    remark(Code::CallNotFollowed,
           fmt::format("'{}' is defined in another translation unit: it is not followed",
                       callee->getNameAsString()),
           call ? call->getExprLoc() : callee->getLocation());
    return nullptr;
  }
  SourceFunction *source = onCall_(definition, loop_);
  if (!source)
    return nullptr;
  source_.callees[source].insert(loop_);
  if (!call || isa<clang::CXXConversionDecl>(callee) ||
      callee->getOverloadedOperator() == clang::OO_Arrow || call->isXValue())
    return source;
  if (Point *point = addPoint(PointKind::Call, call->getSourceRange())) {
    point->callee = source;
    point->loop = loop_;
  }
  return source;
}

/// A template's text may be an access in one instantiation, and this in another.
void BodyWalker::noteUnprobable(const clang::Expr *expression) {
  context_.facts.unprobable.emplace(context_.stable(expression->getBeginLoc()),
                                    context_.stable(expression->getEndLoc()));
}

Point *BodyWalker::addPoint(PointKind kind, clang::SourceRange range) {
  const auto first = context_.tokens.indexOf(range.getBegin());
  const auto last = context_.tokens.indexOf(range.getEnd());
  if (!first || !last || *last < *first)
    return nullptr;
  const StablePlace begin = context_.stable(range.getBegin());
  const StablePlace end = context_.stable(range.getEnd());
  Facts &facts = context_.facts;
  const auto [entry, isNew] = facts.pointAt.try_emplace({begin, end, kind}, nullptr);
  if (!isNew) {
    if (!context_.isHostPass)
      entry->second->inDevicePass = true;
    const auto known = std::find(source_.points.begin(), source_.points.end(), entry->second);
    if (known != source_.points.end())
      cursor_ = static_cast<std::size_t>(known - source_.points.begin()) + 1;
    regionOf_.emplace_back(entry->second, region_);
    return entry->second;
  }
  Point &point = facts.points.emplace_back();
  entry->second = &point;
  point.kind = kind;
  point.begin = begin;
  point.end = end;
  point.place = context_.unit.place(range.getBegin());
  point.inHostPass = context_.isHostPass;
  point.inDevicePass = !context_.isHostPass;
  point.firstToken = *first;
  point.lastToken = *last;
  source_.points.insert(source_.points.begin() + static_cast<std::ptrdiff_t>(cursor_), &point);
  ++cursor_;
  regionOf_.emplace_back(&point, region_);
  return &point;
}

} // namespace relayout::instrument
