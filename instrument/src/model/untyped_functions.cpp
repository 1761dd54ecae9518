// SPDX-License-Identifier: Apache-2.0
// Reads functions that deal with memory through pointers without a type. Every use of such a
// pointer is known, or the function is not followed.
#include "relayout/instrument/clang/untyped_functions.h"

#include "model/address_maps.h"
#include "model/flow_graph.h"
#include "model/referents.h"
#include "model/untyped_reading.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

using Path = std::vector<const clang::FunctionDecl *>;

UntypedFunction readFunction(const clang::FunctionDecl &callee, Path &path, UntypedKind kind);

/// Behind parentheses and casts that leave the type out.
const clang::Expr *behindCasts(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  while (const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(expression)) {
    if (untypedLevel(conversion->getType()) == 0)
      break;
    expression = conversion->getSubExpr()->IgnoreParenImpCasts();
  }
  return expression;
}

/// A name of a pointer in an expression.
struct UntypedUse {
  const clang::DeclRefExpr *name = nullptr;
  const clang::VarDecl *variable = nullptr;
  unsigned level = 0; ///< of the expression: 1 the pointer, 2 its address
};

UntypedUse useIn(const clang::Expr *expression) {
  expression = behindCasts(expression);
  int stars = 0;
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression);
      unary && (unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref)) {
    stars = unary->getOpcode() == clang::UO_AddrOf ? 1 : -1;
    expression = unary->getSubExpr()->IgnoreParenImpCasts();
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  const unsigned level =
      variable && variable->isLocalVarDeclOrParm() ? untypedLevel(variable->getType()) : 0;
  if (level == 0 || (level == 1 && stars < 0) || (level == 2 && stars > 0))
    return {};
  return {name, variable, static_cast<unsigned>(static_cast<int>(level) + stars)};
}

bool isNullPointer(const clang::Expr *expression, const clang::ASTContext &ast) {
  return expression->isNullPointerConstant(const_cast<clang::ASTContext &>(ast),
                                           clang::Expr::NPC_ValueDependentIsNotNull) !=
         clang::Expr::NPCK_NotNull;
}

std::string obstacleTo(const clang::FunctionDecl &callee, const clang::FunctionDecl *definition,
                       UntypedKind kind) {
  if (!definition || !definition->doesThisDeclarationHaveABody())
    return "is defined in another file";
  if (definition->isDependentContext() ||
      (kind == UntypedKind::Copied && callee.isTemplateInstantiation()))
    return "is a template";
  if (kind == UntypedKind::Copied && isa<clang::CXXMethodDecl>(definition))
    return "is a method";
  if (kind == UntypedKind::Copied && definition->isExternC())
    return "has C linkage";
  if (definition->isVariadic())
    return "takes any number of arguments";
  if (untypedLevel(definition->getReturnType()) > 1)
    return "returns a pointer to a pointer";
  return {};
}

/// `char *`, which text has as well.
bool mayBeText(clang::QualType type) {
  return untypedLevel(type) != 0 && type->isPointerType() &&
         (type->getPointeeType()->isCharType() ||
          (type->getPointeeType()->isPointerType() &&
           type->getPointeeType()->getPointeeType()->isCharType()));
}

/// What is not memory of any type in a function, but text: variables `char *`, and the function
/// itself for what it returns.
using Texts = std::set<const clang::ValueDecl *>;

class UntypedReader : public clang::DynamicRecursiveASTVisitor {
public:
  UntypedReader(UntypedFunction &into, Path &path, UntypedKind kind, const Texts &texts)
      : texts(texts), into_(into), path_(path), kind_(kind), ast_(into.function->getASTContext()) {}

  Texts texts; ///< grows with what is found to be text

  void run() {
    for (const clang::ParmVarDecl *parameter : into_.function->parameters())
      addVariable(*parameter);
    if (untypedLevel(into_.function->getReturnType()) == 1 && !texts.contains(into_.function))
      into_.pointers.push_back({{}, {}, true, false});
    TraverseStmt(into_.function->getBody());
    for (const clang::DeclRefExpr *name : names_)
      if (!known_.count(name) && !noteText(name->getDecl()))
        refuse("uses '" + name->getDecl()->getNameAsString() + "' in a way that is not followed",
               name->getLocation());
    for (const UntypedFunction::Pointer &pointer : into_.pointers)
      if (std::ranges::count_if(pointer.variables, [](const clang::VarDecl *variable) {
            return isa<clang::ParmVarDecl>(variable);
          }) > 1)
        refuse("makes one pointer of two of its parameters", into_.function->getLocation());
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
        variable && variable->isLocalVarDeclOrParm() && levelOf(*variable) != 0)
      names_.push_back(name);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->isStaticLocal())
      refuse("has a static variable", variable->getLocation());
    if (levelOf(*variable) == 0)
      return true;
    const std::size_t pointer = addVariable(*variable);
    if (const clang::Expr *initial = variable->getInit())
      receive(pointer, *variable, *initial, untypedLevel(variable->getType()));
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    refuse("has a lambda", lambda->getBeginLoc());
    return true;
  }

  bool VisitReturnStmt(clang::ReturnStmt *statement) override {
    if (const std::size_t result = into_.returned();
        result != UntypedFunction::kNone && statement->getRetValue())
      receive(result, *into_.function, *statement->getRetValue(), 1);
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
    const UntypedUse left = use(operation->getLHS()), right = use(operation->getRHS());
    if (operation->getOpcode() == clang::BO_Assign && left.level == 1) {
      known_.insert(left.name);
      receive(into_.pointerOf(left.variable), *left.variable, *operation->getRHS(), 1);
    } else if (operation->isEqualityOp()) {
      if (left.level == 1 && isNullPointer(operation->getRHS(), ast_))
        noteComparison(left);
      if (right.level == 1 && isNullPointer(operation->getLHS(), ast_))
        noteComparison(right);
    }
    return true;
  }

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *conversion) override {
    if (conversion->getCastKind() == clang::CK_PointerToBoolean)
      if (const UntypedUse tested = use(conversion->getSubExpr()); tested.level == 1)
        known_.insert(tested.name);
    return true;
  }

  bool VisitCompoundStmt(clang::CompoundStmt *block) override {
    for (const clang::Stmt *statement : block->body())
      if (const auto *expression = dyn_cast<clang::Expr>(statement))
        statements_.insert(expression->IgnoreParenImpCasts());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return true;
    if (const CudaCall *cuda = cudaCallNamed(calleeName(call)))
      noteCudaCall(*call, *cuda);
    else if (kind_ == UntypedKind::Any && looksUpAddress(*call))
      noteLookup(*call);
    else if (takesUntyped(*callee) && callee->getDefinition() &&
             !isa<clang::CXXOperatorCallExpr>(call))
      noteOwnCall(*call, *callee);
    return true;
  }

private:
  unsigned levelOf(const clang::VarDecl &variable) const {
    return texts.contains(&variable) ? 0 : untypedLevel(variable.getType());
  }

  UntypedUse use(const clang::Expr *expression) const {
    const UntypedUse found = useIn(expression);
    return found.variable && texts.contains(found.variable) ? UntypedUse{} : found;
  }

  /// \returns  false for what cannot be text
  bool noteText(const clang::ValueDecl *declaration) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declaration);
    if (!mayBeText(function ? function->getReturnType() : declaration->getType()))
      return false;
    texts.insert(declaration);
    return true;
  }

  std::size_t addVariable(const clang::VarDecl &variable) {
    if (levelOf(variable) == 0)
      return UntypedFunction::kNone;
    if (const std::size_t known = into_.pointerOf(&variable); known != UntypedFunction::kNone)
      return known;
    into_.pointers.push_back({{&variable}, {}, false, false});
    return into_.pointers.size() - 1;
  }

  void noteComparison(const UntypedUse &use) {
    known_.insert(use.name);
    into_.pointers[into_.pointerOf(use.variable)].isCompared = true;
  }

  void noteLookup(const clang::CallExpr &call) {
    for (const clang::Expr *argument : call.arguments())
      if (const UntypedUse key = use(argument); key.level == 1)
        known_.insert(key.name);
  }

  void refuse(std::string why, clang::SourceLocation where) {
    if (!into_.obstacle.empty())
      return;
    into_.obstacle = std::move(why);
    into_.where = where;
  }

  void join(std::size_t a, std::size_t b) {
    if (a == b || a >= into_.pointers.size() || b >= into_.pointers.size())
      return;
    UntypedFunction::Pointer &to = into_.pointers[std::min(a, b)];
    const UntypedFunction::Pointer from = into_.pointers[std::max(a, b)];
    to.variables.insert(to.variables.end(), from.variables.begin(), from.variables.end());
    to.isReturned |= from.isReturned;
    to.isCompared |= from.isCompared;
    merge(from.allocated, to.allocated);
    into_.pointers.erase(into_.pointers.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
  }

  /// What flows into a pointer: null, another one, what a function returns.
  /// \param to  the variable, or the function that returns it
  void receive(std::size_t pointer, const clang::ValueDecl &to, const clang::Expr &value,
               unsigned level) {
    if (const auto *braces = dyn_cast<clang::InitListExpr>(value.IgnoreImplicit())) {
      if (braces->getNumInits() == 1)
        receive(pointer, to, *braces->getInit(0), level);
      return; // `{}` is null
    }
    if (pointer == UntypedFunction::kNone || isNullPointer(&value, ast_))
      return;
    if (const UntypedUse from = use(&value); from.level == level) {
      known_.insert(from.name);
      return join(pointer, into_.pointerOf(from.variable));
    }
    const auto *call = dyn_cast<clang::CallExpr>(behindCasts(&value));
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && isOneOf(calleeName(call), {"malloc", "calloc"})) {
      into_.pointers[pointer].allocated.host = true;
      return;
    }
    if (!noteText(&to))
      refuse("has a pointer from elsewhere", value.getExprLoc());
  }

  void noteCudaCall(const clang::CallExpr &call, const CudaCall &cuda) {
    bool isUsed = false;
    for (unsigned i = 0; i < call.getNumArgs(); ++i) {
      const UntypedUse given = use(call.getArg(i));
      const bool isAllocation = cuda.kind == CudaCallKind::Allocation;
      const bool isPlace = (cuda.kind == CudaCallKind::Copy && i <= 1) ||
                           ((isAllocation || cuda.kind == CudaCallKind::Free ||
                             cuda.kind == CudaCallKind::Set || cuda.kind == CudaCallKind::Hint) &&
                            i == 0);
      if (given.level != (isAllocation ? 2u : 1u))
        continue;
      if (!cuda.isGenerated || !isPlace) {
        if (!noteText(given.variable))
          refuse("calls '" + std::string(cuda.name) + "'", call.getExprLoc());
        continue;
      }
      known_.insert(given.name);
      isUsed = true;
      if (isAllocation)
        noteMemory(cuda.memory, into_.pointers[into_.pointerOf(given.variable)].allocated);
    }
    if (isUsed)
      into_.calls.push_back({&call, &cuda});
  }

  static void noteMemory(CudaMemory memory, Origins &origins) {
    origins.device |= memory == CudaMemory::Device;
    origins.managed |= memory == CudaMemory::Managed;
    origins.pinned |= memory == CudaMemory::Host;
  }

  void noteOwnCall(const clang::CallExpr &call, const clang::FunctionDecl &callee) {
    const UntypedFunction inner = readFunction(callee, path_, kind_);
    bool isUsed = false;
    for (unsigned i = 0; i < call.getNumArgs() && i < callee.getNumParams(); ++i) {
      const UntypedUse given = use(call.getArg(i));
      if (given.level == 0 || given.level != untypedLevel(callee.getParamDecl(i)->getType()))
        continue;
      const std::size_t pointer = inner.obstacle.empty()
                                      ? inner.pointerOf(inner.function->getParamDecl(i))
                                      : UntypedFunction::kNone;
      if (pointer == UntypedFunction::kNone) {
        if (!noteText(given.variable))
          refuse("calls '" + callee.getNameAsString() + "', which " +
                     (inner.obstacle.empty() ? "takes it for text" : inner.obstacle),
                 call.getExprLoc());
        continue;
      }
      if (inner.pointers[pointer].isReturned && !statements_.contains(&call))
        refuse("uses what '" + callee.getNameAsString() + "' returns", call.getExprLoc());
      known_.insert(given.name);
      isUsed = true;
      const std::size_t own = into_.pointerOf(given.variable);
      merge(inner.pointers[pointer].allocated, into_.pointers[own].allocated);
    }
    if (isUsed)
      into_.calls.push_back({&call, nullptr});
  }

  UntypedFunction &into_;
  Path &path_;
  UntypedKind kind_;
  const clang::ASTContext &ast_;
  std::vector<const clang::DeclRefExpr *> names_;
  std::set<const clang::DeclRefExpr *> known_;
  std::set<const clang::Expr *> statements_; ///< expressions whose value nobody uses
};

UntypedFunction readFunction(const clang::FunctionDecl &callee, Path &path, UntypedKind kind) {
  UntypedFunction result;
  result.where = callee.getLocation();
  const clang::FunctionDecl *definition = callee.getDefinition();
  result.obstacle = obstacleTo(callee, definition, kind);
  if (result.obstacle.empty() && std::ranges::find(path, definition) != path.end())
    result.obstacle = "calls itself";
  if (!result.obstacle.empty())
    return result;
  path.push_back(definition);
  Texts texts;
  for (bool grows = true; grows;) { // what becomes text is no memory, and what it is given neither
    result = {};
    result.where = callee.getLocation();
    result.function = definition;
    UntypedReader reader(result, path, kind, texts);
    reader.run();
    grows = reader.texts.size() != texts.size();
    texts = std::move(reader.texts);
  }
  path.pop_back();
  return result;
}

} // namespace

unsigned untypedLevel(clang::QualType type) {
  unsigned level = 0;
  for (; !type.isNull() && type->isPointerType(); type = type->getPointeeType())
    ++level;
  const bool isUntyped =
      !type.isNull() &&
      (type->isVoidType() || type->isSpecificBuiltinType(clang::BuiltinType::Char_S) ||
       type->isSpecificBuiltinType(clang::BuiltinType::Char_U));
  return isUntyped && level <= 2 ? level : 0;
}

std::size_t UntypedFunction::pointerOf(const clang::Expr *expression) const {
  const UntypedUse use = useIn(expression);
  return use.variable ? pointerOf(use.variable) : kNone;
}

std::size_t UntypedFunction::pointerOf(const clang::VarDecl *variable) const {
  for (std::size_t i = 0; i < pointers.size(); ++i)
    if (std::ranges::find(pointers[i].variables, variable) != pointers[i].variables.end())
      return i;
  return kNone;
}

std::size_t UntypedFunction::returned() const {
  for (std::size_t i = 0; i < pointers.size(); ++i)
    if (pointers[i].isReturned)
      return i;
  return kNone;
}

const clang::Expr *UntypedFunction::argumentFor(std::size_t pointer,
                                                const clang::CallExpr &call) const {
  for (const clang::VarDecl *variable : pointers[pointer].variables)
    if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(variable);
        parameter && parameter->getFunctionScopeIndex() < call.getNumArgs())
      return call.getArg(parameter->getFunctionScopeIndex());
  return nullptr;
}

UntypedFunction readUntyped(const clang::FunctionDecl &callee, UntypedKind kind) {
  Path path;
  return readFunction(callee, path, kind);
}

UntypedFunction readUntyped(const clang::FunctionDecl &callee) {
  return readUntyped(callee, UntypedKind::Copied);
}

bool takesUntyped(const clang::FunctionDecl &callee) {
  return untypedLevel(callee.getReturnType()) != 0 ||
         std::ranges::any_of(callee.parameters(), [](const clang::ParmVarDecl *parameter) {
           return untypedLevel(parameter->getType()) != 0;
         });
}

const CudaCall *standsFor(const clang::FunctionDecl &callee) {
  if (!takesUntyped(callee))
    return nullptr;
  const UntypedFunction function = readUntyped(callee);
  if (!function.obstacle.empty())
    return nullptr;
  const CudaCall *allocation = nullptr;
  for (const UntypedFunction::Call &inner : function.calls) {
    const CudaCall *known = inner.known ? inner.known : standsFor(*inner.call->getDirectCallee());
    if (known && known->kind == CudaCallKind::Copy)
      return known;
    if (known && known->kind == CudaCallKind::Allocation && callee.getNumParams() != 0 &&
        untypedLevel(callee.getParamDecl(0)->getType()) == 2)
      allocation = known;
  }
  return allocation;
}

} // namespace relayout::instrument
