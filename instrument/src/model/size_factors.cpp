// SPDX-License-Identifier: Apache-2.0
// Takes the size of an allocation apart, and looks around it.
#include "relayout/instrument/clang/size_factors.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Variables within variables that are followed.
constexpr int kDeepest = 4;
constexpr std::size_t kMostFactors = 6;
constexpr std::size_t kMostNames = 24;

/// What `->` of a smart pointer of the library's is applied to; the expression itself otherwise.
const clang::Expr *pointerBehind(const clang::Expr &expression) {
  const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(expression.IgnoreParenImpCasts());
  const auto *method =
      call ? dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  const bool isArrow =
      method && call->getOperator() == clang::OO_Arrow && method->getParent()->isInStdNamespace();
  return isArrow ? call->getArg(0) : &expression;
}

/// The name by which a variable is found from everywhere that a namespace's name is.
std::string nameOf(const clang::DeclRefExpr &name) {
  if (!name.getQualifier() || !name.getDecl()->getDeclContext()->getRedeclContext()->isNamespace())
    return name.getNameInfo().getAsString();
  clang::PrintingPolicy policy(name.getDecl()->getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true; // namespaces without a name
  std::string text;
  llvm::raw_string_ostream stream(text);
  name.getDecl()->printQualifiedName(stream, policy);
  return text;
}

/// An expression of names, members, sums and differences, written anew; nothing for others.
std::optional<std::string> written(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    return isa<clang::VarDecl>(name->getDecl()) ? std::optional(nameOf(*name)) : std::nullopt;
  if (const auto *literal = dyn_cast<clang::IntegerLiteral>(bare))
    return std::to_string(literal->getValue().getLimitedValue());
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare)) {
    const std::string field = member->getMemberDecl()->getNameAsString();
    if (!isa<clang::FieldDecl>(member->getMemberDecl()))
      return std::nullopt;
    if (member->isImplicitAccess())
      return field;
    const std::optional<std::string> object = written(*pointerBehind(*member->getBase()));
    return object ? std::optional(*object + (member->isArrow() ? "->" : ".") + field)
                  : std::nullopt;
  }
  const auto *sum = dyn_cast<clang::BinaryOperator>(bare);
  if (!sum || !sum->isAdditiveOp())
    return std::nullopt;
  const std::optional<std::string> left = written(*sum->getLHS());
  const std::optional<std::string> right = written(*sum->getRHS());
  if (!left || !right)
    return std::nullopt;
  return "(" + *left + " " + sum->getOpcodeStr().str() + " " + *right + ")";
}

/// What a local variable was computed from, if that is a product or another name.
const clang::Expr *productBehind(const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(&expression);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable || !variable->hasLocalStorage() || isa<clang::ParmVarDecl>(variable) ||
      !variable->getInit())
    return nullptr;
  const clang::Expr *initial = variable->getInit()->IgnoreParenCasts();
  const auto *product = dyn_cast<clang::BinaryOperator>(initial);
  return (product && product->getOpcode() == clang::BO_Mul) || isa<clang::DeclRefExpr>(initial)
             ? initial
             : nullptr;
}

/// The variables and members whose values a sum is made of; of a name itself.
void addNames(const clang::Expr &expression, std::vector<const clang::ValueDecl *> &names) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    names.push_back(name->getDecl());
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare))
    names.push_back(member->getMemberDecl());
  if (const auto *sum = dyn_cast<clang::BinaryOperator>(bare)) {
    addNames(*sum->getLHS(), names);
    addNames(*sum->getRHS(), names);
  }
}

void addFactors(const clang::Expr &bytes, int depth, std::vector<ExtentName> &factors) {
  const clang::Expr *bare = bytes.IgnoreParenCasts();
  if (const auto *product = dyn_cast<clang::BinaryOperator>(bare);
      product && product->getOpcode() == clang::BO_Mul) {
    addFactors(*product->getLHS(), depth, factors);
    return addFactors(*product->getRHS(), depth, factors);
  }
  if (isa<clang::UnaryExprOrTypeTraitExpr, clang::IntegerLiteral>(bare) ||
      !bare->getType()->isIntegerType())
    return;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
        variable && variable->getType().isConstQualified() && variable->getInit() &&
        !variable->getInit()->isValueDependent() &&
        variable->getInit()->isIntegerConstantExpr(variable->getASTContext()))
      return;
  if (const clang::Expr *product = depth < kDeepest ? productBehind(*bare) : nullptr)
    return addFactors(*product, depth + 1, factors);
  const std::optional<std::string> text = written(*bare);
  if (!text || factors.size() == kMostFactors ||
      std::ranges::find(factors, *text, &ExtentName::text) != factors.end())
    return;
  ExtentName &factor = factors.emplace_back(*text);
  factor.isSum = isa<clang::BinaryOperator>(bare);
  addNames(*bare, factor.declarations);
}

/// The variables that are visible where a call stands.
class Scope {
public:
  explicit Scope(const clang::Expr &call) : call_(call) {}

  /// \returns  whether the call is inside; the variables in front of it are in `visible` then
  bool find(const clang::Stmt *statement) {
    if (!statement)
      return false;
    if (statement == &call_)
      return true;
    if (const auto *lambda = dyn_cast<clang::LambdaExpr>(statement))
      return findIn(*lambda);
    const std::size_t before = visible.size();
    for (const clang::Stmt *child : statement->children()) {
      if (find(child))
        return true;
      if (const auto *declarations = dyn_cast_or_null<clang::DeclStmt>(child))
        for (const clang::Decl *declaration : declarations->decls())
          if (const auto *variable = dyn_cast<clang::VarDecl>(declaration))
            visible.push_back(variable);
    }
    visible.resize(before);
    return false;
  }

  std::vector<const clang::VarDecl *> visible;
  bool isInLambda = false; ///< then what stands around it is visible as far as it is captured

private:
  bool findIn(const clang::LambdaExpr &lambda) {
    std::vector<const clang::VarDecl *> around = std::move(visible);
    visible.clear();
    for (const clang::LambdaCapture &capture : lambda.captures())
      if (capture.capturesVariable())
        if (const auto *variable = dyn_cast<clang::VarDecl>(capture.getCapturedVar()))
          visible.push_back(variable);
    isInLambda = find(lambda.getBody());
    if (!isInLambda)
      visible = std::move(around);
    return isInLambda;
  }

  const clang::Expr &call_;
};

bool isExtent(const clang::ValueDecl &declaration) {
  const clang::QualType type = declaration.getType().getNonReferenceType();
  return type->isIntegerType() && !type->isBooleanType() && !type->isAnyCharacterType() &&
         !type.isVolatileQualified() && declaration.getDeclName().isIdentifier() &&
         !declaration.getName().empty();
}

bool isConstant(const clang::VarDecl &variable) {
  return variable.getType().isConstQualified() && variable.getInit() &&
         !variable.getInit()->isValueDependent() &&
         variable.getInit()->isIntegerConstantExpr(variable.getASTContext());
}

const clang::ValueDecl *canonical(const clang::ValueDecl &declaration) {
  return cast<clang::ValueDecl>(declaration.getCanonicalDecl());
}

/// The declaration that a template's instance was made from, whose names are the text's.
const clang::ValueDecl *patternOf(const clang::ValueDecl &declaration) {
  if (const auto *variable = dyn_cast<clang::VarDecl>(&declaration))
    if (const clang::VarDecl *pattern = variable->getTemplateInstantiationPattern())
      return canonical(*pattern);
  return canonical(declaration);
}

void addVisible(const clang::Expr &call, const clang::FunctionDecl &around,
                const PassedNames &passed, std::vector<ExtentName> &names) {
  const auto addName = [&](const clang::ValueDecl &declaration) {
    const std::string name = declaration.getNameAsString();
    if (isExtent(declaration) && names.size() < kMostNames &&
        passed.contains(patternOf(declaration)) &&
        std::ranges::find(names, name, &ExtentName::text) == names.end())
      names.push_back({name, {&declaration}});
  };
  Scope scope(call);
  const bool isInBody = around.hasBody() && scope.find(around.getBody());
  if (isInBody)
    for (const clang::VarDecl *variable : scope.visible)
      if (variable->hasInit() && !isConstant(*variable))
        addName(*variable);
  for (const clang::ParmVarDecl *parameter : around.parameters())
    if (!around.isMain() && !scope.isInLambda) // how many words the command line has is no extent
      addName(*parameter);
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(&around);
      method && !method->isStatic() && !scope.isInLambda &&
      (isInBody || !isa<clang::CXXConstructorDecl>(method))) // members have their values
    for (const clang::FieldDecl *field : method->getParent()->fields())
      addName(*field);
  const clang::SourceManager &sources = around.getASTContext().getSourceManager();
  for (const clang::Decl *declaration : around.getTranslationUnitDecl()->decls())
    if (const auto *variable = dyn_cast<clang::VarDecl>(declaration);
        variable && !isConstant(*variable) &&
        sources.isWrittenInMainFile(sources.getExpansionLoc(variable->getLocation())) &&
        sources.isBeforeInTranslationUnit(variable->getLocation(), call.getBeginLoc()) &&
        !variable->hasAttr<clang::CUDADeviceAttr>() &&
        !variable->hasAttr<clang::CUDAConstantAttr>())
      addName(*variable);
}

bool isDeviceCode(const clang::FunctionDecl &function) {
  return function.hasAttr<clang::CUDAGlobalAttr>() || function.hasAttr<clang::CUDADeviceAttr>();
}

/// Collects passedNames().
class PassedFinder : public clang::DynamicRecursiveASTVisitor {
public:
  PassedFinder(clang::ASTContext &ast, PassedNames &passed)
      : sources_(ast.getSourceManager()), passed_(passed) {}

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) && !isOwn(*declaration))
      return true;
    const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration);
    const int outer = counts_;
    counts_ += function && isDeviceCode(*function);
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    counts_ = outer;
    return goOn;
  }
  bool TraverseCUDAKernelCallExpr(clang::CUDAKernelCallExpr *launch) override {
    return counted(
        [&] { return clang::DynamicRecursiveASTVisitor::TraverseCUDAKernelCallExpr(launch); });
  }
  bool TraverseCallExpr(clang::CallExpr *call) override {
    const auto traverse = [&] { return clang::DynamicRecursiveASTVisitor::TraverseCallExpr(call); };
    const clang::Decl *callee = call->getCalleeDecl();
    return !callee || isOwn(*callee) ? counted(traverse) : traverse();
  }
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr *call) override {
    const auto traverse = [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXMemberCallExpr(call);
    };
    const clang::Decl *callee = call->getCalleeDecl();
    return !callee || isOwn(*callee) ? counted(traverse) : traverse();
  }
  bool TraverseCXXConstructExpr(clang::CXXConstructExpr *made) override {
    return counted(*made->getConstructor(), [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXConstructExpr(made);
    });
  }
  bool TraverseCXXTemporaryObjectExpr(clang::CXXTemporaryObjectExpr *made) override {
    return counted(*made->getConstructor(), [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXTemporaryObjectExpr(made);
    });
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (counts_ != 0)
      passed_.insert(canonical(*name->getDecl()));
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override {
    if (counts_ != 0)
      passed_.insert(canonical(*member->getMemberDecl()));
    return true;
  }

private:
  [[nodiscard]] bool isOwn(const clang::Decl &declaration) const {
    return !sources_.isInSystemHeader(sources_.getExpansionLoc(declaration.getLocation()));
  }
  template <class Traverse> bool counted(const Traverse &traverse) {
    ++counts_;
    const bool goOn = traverse();
    --counts_;
    return goOn;
  }
  template <class Traverse>
  bool counted(const clang::CXXConstructorDecl &constructor, const Traverse &traverse) {
    return isOwn(constructor) || constructor.getParent()->getName() == "dim3" ? counted(traverse)
                                                                              : traverse();
  }

  const clang::SourceManager &sources_;
  PassedNames &passed_;
  int counts_ = 0; ///< calls and device functions around
};

} // namespace

PassedNames passedNames(clang::ASTContext &ast) {
  PassedNames passed;
  PassedFinder(ast, passed).TraverseDecl(ast.getTranslationUnitDecl());
  return passed;
}

llvm::ArrayRef<const clang::Expr *> argumentsOf(const clang::Expr &call) {
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(&call))
    return {made->getArgs(), made->getNumArgs()};
  const auto &called = clang::cast<clang::CallExpr>(call);
  return {called.getArgs(), called.getNumArgs()};
}

std::vector<ExtentName> extentNames(const clang::Expr &call, const clang::FunctionDecl *around,
                                    const PassedNames &passed) {
  std::vector<ExtentName> names;
  for (const clang::Expr *argument : argumentsOf(call))
    if (argument->getType()->isIntegerType() && !isa<clang::CXXDefaultArgExpr>(argument))
      addFactors(*argument, 0, names);
  if (around)
    addVisible(call, *around, passed, names);
  return names;
}

} // namespace relayout::instrument
