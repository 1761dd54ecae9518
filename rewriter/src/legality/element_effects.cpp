// SPDX-License-Identifier: Apache-2.0
// Walks a function's body: every statement and expression has to be of a kind that is known.
#include "legality/element_effects.h"

#include "legality/library_functions.h"
#include "legality/object_parts.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

class EffectWalk {
public:
  EffectWalk(const Program &program, std::set<const clang::FunctionDecl *> &around,
             const clang::FunctionDecl &function, const clang::ParmVarDecl *tracked,
             bool tracksThis)
      : program_(program), around_(around), function_(function), tracked_(tracked),
        tracksThis_(tracksThis) {}

  ElementEffects run() {
    if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(&function_))
      for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
        walk(initialiser->getInit());
    walk(function_.getBody());
    return std::move(effects_);
  }

private:
  void stop(const std::string &what) {
    if (effects_.obstacle.empty())
      effects_.obstacle = fmt::format("'{}' {}", function_.getNameAsString(), what);
  }

  [[nodiscard]] bool isTracked(const Root &root) const {
    return root.isThis ? tracksThis_ : root.variable == tracked_ && tracked_ != nullptr;
  }

  void touch(const std::string &path) {
    if (conditions_ == 0)
      effects_.touched.insert(path);
  }

  /// Whether a glvalue may be changed: a variable of the function's own, or the tracked object.
  void write(const clang::Expr *glvalue) {
    const std::optional<Root> root = rootOf(glvalue);
    walkIndices(glvalue);
    if (!root)
      return stop("writes to memory that it reaches through a pointer or a reference");
    writeRoot(*root);
  }

  void writeRoot(const Root &root) {
    if (isTracked(root)) {
      effects_.written.insert(root.path);
      touch(root.path);
      return;
    }
    if (root.isThis)
      return stop("changes the object it is called on");
    if (!root.variable->hasLocalStorage())
      return stop(fmt::format("changes '{}'", root.variable->getNameAsString()));
    if (!root.variable->getType()->isReferenceType())
      return;
    const std::optional<Root> behind =
        isa<clang::ParmVarDecl>(root.variable) || !root.variable->getInit()
            ? std::nullopt
            : rootOf(root.variable->getInit());
    if (!behind)
      return stop(fmt::format("changes what '{}' refers to", root.variable->getNameAsString()));
    writeRoot({behind->variable, behind->isThis, joined(behind->path, root.path)});
  }

  /// The expressions that a glvalue's subscripts hold.
  void walkIndices(const clang::Expr *glvalue) {
    glvalue = glvalue->IgnoreParenImpCasts();
    if (const auto *member = dyn_cast<clang::MemberExpr>(glvalue)) {
      if (!isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
        walkIndices(member->getBase());
    } else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(glvalue)) {
      walk(subscript->getIdx());
      walkIndices(subscript->getBase());
    }
  }

  /// A glvalue that is read, or bound to a reference to const.
  void read(const clang::Expr *glvalue) {
    if (const std::optional<Root> root = rootOf(glvalue); root && isTracked(*root))
      touch(root->path);
    walkIndices(glvalue);
    walkNames(glvalue);
  }

  /// Looks at what a chain of members starts from.
  void walkNames(const clang::Expr *glvalue) {
    const clang::Expr *at = glvalue->IgnoreParenImpCasts();
    if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
      checkName(*member->getMemberDecl());
      if (isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
        return;
      return member->isArrow() ? walk(member->getBase()) : walkNames(member->getBase());
    }
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
      const auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
      return decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay
                 ? walkNames(decay->getSubExpr())
                 : walk(subscript->getBase());
    }
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(at))
      return checkName(*name->getDecl());
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(at);
        unary && unary->getOpcode() == clang::UO_Deref &&
        isa<clang::CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts()))
      return;
    walk(at);
  }

  /// A rewritten array might hold the very element.
  void checkName(const clang::ValueDecl &declaration) {
    if (program_.targetOf(&declaration) && !isKeptReference(&declaration))
      stop(fmt::format("uses '{}', whose layout changes", declaration.getNameAsString()));
    if (declaration.getType().isVolatileQualified())
      stop("reads what is volatile");
  }

  void walkConditional(const clang::Stmt *statement) {
    ++conditions_;
    walk(statement);
    --conditions_;
  }

  void walkChildren(const clang::Stmt *statement) {
    for (const clang::Stmt *child : statement->children())
      walk(child);
  }

  void walk(const clang::Stmt *statement) {
    if (!statement || !effects_.obstacle.empty())
      return;
    if (const auto *expression = dyn_cast<clang::Expr>(statement))
      return walkExpression(expression);
    switch (statement->getStmtClass()) {
    case clang::Stmt::CompoundStmtClass:
    case clang::Stmt::NullStmtClass:
      return walkChildren(statement);
    case clang::Stmt::BreakStmtClass:
    case clang::Stmt::ContinueStmtClass:
      return;
    case clang::Stmt::ReturnStmtClass:
      walkResult(cast<clang::ReturnStmt>(statement)->getRetValue());
      // What follows in the text may not be reached.
      if (conditions_ != 0)
        mayReturn_ = true;
      return;
    case clang::Stmt::DeclStmtClass:
      for (const clang::Decl *declared : cast<clang::DeclStmt>(statement)->decls())
        walkVariable(*declared);
      return;
    case clang::Stmt::IfStmtClass: {
      const auto *branch = cast<clang::IfStmt>(statement);
      walk(branch->getInit());
      walk(branch->getConditionVariableDeclStmt());
      walk(branch->getCond());
      walkConditional(branch->getThen());
      walkConditional(branch->getElse());
      return noteReturns();
    }
    case clang::Stmt::ForStmtClass: {
      const auto *loop = cast<clang::ForStmt>(statement);
      walk(loop->getInit());
      for (const clang::Stmt *part :
           {static_cast<const clang::Stmt *>(loop->getCond()), loop->getBody(),
            static_cast<const clang::Stmt *>(loop->getInc())})
        walkConditional(part);
      return noteReturns();
    }
    case clang::Stmt::WhileStmtClass:
    case clang::Stmt::DoStmtClass:
    case clang::Stmt::SwitchStmtClass:
    case clang::Stmt::CaseStmtClass:
    case clang::Stmt::DefaultStmtClass:
      ++conditions_;
      walkChildren(statement);
      --conditions_;
      return noteReturns();
    default:
      return stop(fmt::format("has a statement of a kind not followed ({})",
                              statement->getStmtClassName()));
    }
  }

  /// Behind a branch that may have returned, nothing is sure to run.
  void noteReturns() {
    if (mayReturn_ && conditions_ == 0)
      ++conditions_;
  }

  /// `return *this;`, `return a;` of a reference pass on what the caller has anyway.
  void walkResult(const clang::Expr *value) {
    if (!value)
      return;
    if (function_.getReturnType()->isPointerType())
      return stop("returns a pointer");
    if (function_.getReturnType()->isReferenceType() && rootOf(value))
      return walkIndices(value);
    walk(value);
  }

  void walkVariable(const clang::Decl &declared) {
    const auto *variable = dyn_cast<clang::VarDecl>(&declared);
    if (!variable || isa<clang::DecompositionDecl>(variable))
      return isa<clang::TypeDecl, clang::StaticAssertDecl, clang::EmptyDecl>(declared)
                 ? void()
                 : stop("declares something that is not a plain variable");
    if (!variable->hasLocalStorage())
      return stop(fmt::format("has a static variable '{}'", variable->getNameAsString()));
    if (variable->getType().isDestructedType() != clang::QualType::DK_none)
      return stop(
          fmt::format("has a variable '{}' with a destructor", variable->getNameAsString()));
    if (!variable->getInit())
      return;
    if (variable->getType()->isReferenceType() && rootOf(variable->getInit()))
      return read(variable->getInit());
    walk(variable->getInit());
  }

  void walkExpression(const clang::Expr *expression) {
    if (expression->getType().isVolatileQualified())
      return stop("reads what is volatile");
    switch (expression->getStmtClass()) {
    case clang::Stmt::MemberExprClass:
    case clang::Stmt::DeclRefExprClass:
    case clang::Stmt::ArraySubscriptExprClass:
      return read(expression);
    case clang::Stmt::CXXThisExprClass:
      return stop("uses the address of the object it is called on");
    case clang::Stmt::UnaryExprOrTypeTraitExprClass:
    case clang::Stmt::PseudoObjectExprClass: // threadIdx.x
      return;
    case clang::Stmt::UnaryOperatorClass:
      return walkUnary(*cast<clang::UnaryOperator>(expression));
    case clang::Stmt::BinaryOperatorClass:
    case clang::Stmt::CompoundAssignOperatorClass:
      return walkBinary(*cast<clang::BinaryOperator>(expression));
    case clang::Stmt::ConditionalOperatorClass: {
      const auto *choice = cast<clang::ConditionalOperator>(expression);
      walk(choice->getCond());
      walkConditional(choice->getTrueExpr());
      return walkConditional(choice->getFalseExpr());
    }
    case clang::Stmt::CXXDefaultArgExprClass:
      return walk(cast<clang::CXXDefaultArgExpr>(expression)->getExpr());
    case clang::Stmt::CXXDefaultInitExprClass:
      return walk(cast<clang::CXXDefaultInitExpr>(expression)->getExpr());
    case clang::Stmt::InitListExprClass: {
      const auto *list = cast<clang::InitListExpr>(expression);
      return walkChildren(list->getSemanticForm() ? list->getSemanticForm() : list);
    }
    case clang::Stmt::ParenExprClass:
    case clang::Stmt::ExprWithCleanupsClass:
    case clang::Stmt::ConstantExprClass:
    case clang::Stmt::MaterializeTemporaryExprClass:
    case clang::Stmt::SubstNonTypeTemplateParmExprClass:
    case clang::Stmt::IntegerLiteralClass:
    case clang::Stmt::FloatingLiteralClass:
    case clang::Stmt::CharacterLiteralClass:
    case clang::Stmt::CXXBoolLiteralExprClass:
    case clang::Stmt::CXXNullPtrLiteralExprClass:
    case clang::Stmt::ImplicitValueInitExprClass:
    case clang::Stmt::CXXScalarValueInitExprClass:
    case clang::Stmt::ArrayInitLoopExprClass:
    case clang::Stmt::ArrayInitIndexExprClass:
      return walkChildren(expression);
    default:
      break;
    }
    if (const auto *conversion = dyn_cast<clang::CastExpr>(expression))
      return walkCast(*conversion);
    if (const auto *call = dyn_cast<clang::CallExpr>(expression))
      return walkCall(*call);
    if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(expression))
      return walkConstruction(*construction);
    stop(fmt::format("has an expression of a kind not followed ({})",
                     expression->getStmtClassName()));
  }

  void walkUnary(const clang::UnaryOperator &unary) {
    if (unary.isIncrementDecrementOp())
      return write(unary.getSubExpr());
    if (unary.getOpcode() == clang::UO_AddrOf)
      return stop("takes an address");
    if (unary.getOpcode() == clang::UO_Deref && rootOf(&unary))
      return read(&unary); // *this
    walk(unary.getSubExpr());
  }

  void walkBinary(const clang::BinaryOperator &binary) {
    if (binary.isPtrMemOp())
      return stop("uses a pointer to a member");
    if (binary.isAssignmentOp()) {
      walk(binary.getRHS());
      return write(binary.getLHS());
    }
    walk(binary.getLHS());
    return binary.isLogicalOp() ? walkConditional(binary.getRHS()) : walk(binary.getRHS());
  }

  void walkCast(const clang::CastExpr &conversion) {
    switch (conversion.getCastKind()) {
    case clang::CK_BitCast:
    case clang::CK_LValueBitCast:
    case clang::CK_LValueToRValueBitCast:
    case clang::CK_PointerToIntegral:
    case clang::CK_IntegralToPointer:
    case clang::CK_AddressSpaceConversion:
    case clang::CK_Dynamic:
      return stop("casts between types of pointers");
    case clang::CK_ArrayToPointerDecay:
      if (const std::optional<Root> root = rootOf(conversion.getSubExpr());
          root && isTracked(*root))
        return stop("takes the address of an array member");
      break;
    default:
      break;
    }
    walk(conversion.getSubExpr());
  }

  /// An argument that the callee may change, or the object of a method.
  void passMutable(const clang::Expr &argument, const clang::FunctionDecl &callee, int parameter) {
    const std::optional<Root> root = rootOf(&argument);
    if (!root) {
      const clang::Expr *bare = argument.IgnoreParenImpCasts();
      if (!isa<clang::MaterializeTemporaryExpr>(bare) && bare->isGLValue())
        return stop("lets another function change what it reaches through a pointer");
      walk(&argument);
      return include(callee, parameter, "", false);
    }
    walkIndices(&argument);
    if (isTracked(*root))
      return include(callee, parameter, root->path, true);
    writeRoot(*root);
    include(callee, parameter, "", false);
  }

  /// The effects of a function that is called, on what is at `path` of the tracked object.
  void include(const clang::FunctionDecl &callee, int parameter, const std::string &path,
               bool isOnTracked) {
    const ElementEffects inner = effectsOf(callee, parameter);
    if (!inner.obstacle.empty() && effects_.obstacle.empty())
      effects_.obstacle = inner.obstacle;
    if (!isOnTracked)
      return;
    for (const std::string &written : inner.written)
      effects_.written.insert(joined(path, written));
    for (const std::string &touched : inner.touched)
      touch(joined(path, touched));
  }

  ElementEffects effectsOf(const clang::FunctionDecl &callee, int parameter);

  void walkCall(const clang::CallExpr &call) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee)
      return stop("calls through a pointer");
    const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
    if (method && method->isVirtual())
      return stop(fmt::format("calls '{}', which is virtual", callee->getNameAsString()));
    if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(&call);
        operation && method && method->isTrivial() && operation->isAssignmentOp()) {
      walk(call.getArg(1));
      return write(call.getArg(0));
    }
    unsigned first = 0;
    const clang::Expr *object = nullptr;
    if (const auto *member = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
      object = member->getImplicitObjectArgument();
    } else if (isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance()) {
      object = call.getArg(0);
      first = 1;
    }
    bool passed = false;
    if (object && method && method->isInstance())
      passed = walkObject(*object, *method);
    for (unsigned i = first; i < call.getNumArgs(); ++i)
      passed |= walkArgument(*call.getArg(i), *callee, static_cast<int>(i - first));
    if (!passed)
      include(*callee, -1, "", false);
  }

  /// \returns  whether the callee's effects were included
  bool walkObject(const clang::Expr &object, const clang::CXXMethodDecl &method) {
    const clang::Expr *bare = object.IgnoreParenImpCasts();
    const bool isThis = isa<clang::CXXThisExpr>(bare);
    if (object.getType()->isPointerType() && !isThis) {
      if (!method.isConst())
        stop("calls a method through a pointer");
      walk(&object);
      return false;
    }
    if (isThis) {
      if (tracksThis_) {
        include(method, -1, "", true);
        return true;
      }
      if (!method.isConst())
        stop("changes the object it is called on");
      return false;
    }
    if (method.isConst()) {
      const std::optional<Root> root = rootOf(bare);
      root ? read(bare) : walk(&object);
      return false;
    }
    passMutable(object, method, -1);
    return true;
  }

  bool walkArgument(const clang::Expr &argument, const clang::FunctionDecl &callee, int index) {
    const clang::ParmVarDecl *parameter =
        index < static_cast<int>(callee.getNumParams()) ? callee.getParamDecl(index) : nullptr;
    const clang::QualType type = parameter ? parameter->getType() : clang::QualType();
    if (!parameter || !type->isReferenceType() || type.getNonReferenceType().isConstQualified()) {
      if (parameter && type->isReferenceType() && rootOf(&argument))
        read(&argument);
      else
        walk(&argument);
      return false;
    }
    passMutable(argument, callee, index);
    return true;
  }

  void walkConstruction(const clang::CXXConstructExpr &construction) {
    const clang::CXXConstructorDecl &constructor = *construction.getConstructor();
    for (unsigned i = 0; i < construction.getNumArgs(); ++i)
      (void)walkArgument(*construction.getArg(i), constructor, static_cast<int>(i));
    if (!constructor.isTrivial() && !constructor.isImplicit() && !constructor.isDefaulted())
      include(constructor, -1, "", false);
  }

  const Program &program_;
  std::set<const clang::FunctionDecl *> &around_;
  const clang::FunctionDecl &function_;
  const clang::ParmVarDecl *tracked_;
  bool tracksThis_;
  int conditions_ = 0; ///< branches and loops around
  bool mayReturn_ = false;
  ElementEffects effects_;
};

ElementEffects effectsIn(const Program &program, const clang::FunctionDecl &callee, int parameter,
                         std::set<const clang::FunctionDecl *> &around) {
  const clang::FunctionDecl *body = callee.getDefinition();
  const std::string name = callee.getNameAsString();
  if (!isUsers(program, callee))
    return isMathematical(callee)
               ? ElementEffects{}
               : ElementEffects{{}, {}, fmt::format("'{}' may do more than compute a value", name)};
  if (!body || !body->hasBody())
    return {{}, {}, fmt::format("the body of '{}' is not known", name)};
  if (!around.insert(body).second)
    return {{}, {}, fmt::format("'{}' calls itself", name)};
  const auto *tracked =
      parameter >= 0 ? body->getParamDecl(static_cast<unsigned>(parameter)) : nullptr;
  // A constructor's object is the caller's own.
  const bool tracksThis = parameter < 0 && isa<clang::CXXMethodDecl>(body);
  ElementEffects effects = EffectWalk(program, around, *body, tracked, tracksThis).run();
  around.erase(body);
  return effects;
}

ElementEffects EffectWalk::effectsOf(const clang::FunctionDecl &callee, int parameter) {
  return effectsIn(program_, callee, parameter, around_);
}

} // namespace

ElementEffects effectsOn(const Program &program, const clang::FunctionDecl &function,
                         int parameter) {
  std::set<const clang::FunctionDecl *> around;
  return effectsIn(program, function, parameter, around);
}

bool onlyComputes(const Program &program, const clang::FunctionDecl &function) {
  const ElementEffects effects = effectsOn(program, function, -1);
  return effects.obstacle.empty() && effects.written.empty();
}

} // namespace relayout::rewriter
