// SPDX-License-Identifier: Apache-2.0
// Walks all that a kernel's thread executes. What is not known to concern one thread alone binds
// the threads.
#include "threads/thread_independence.h"

#include "coordinates/thread_numbers.h"
#include "legality/library_functions.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <set>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

constexpr const char *kLeave = "leave the kernel's mapping of threads to elements as it is";

class ThreadWalk : public clang::DynamicRecursiveASTVisitor {
  using Base = clang::DynamicRecursiveASTVisitor;

public:
  ThreadWalk(const instrument::ParsedUnit &unit, const clang::SourceManager &sources,
             KernelThreads &found)
      : unit_(unit), sources_(sources), found_(found) {
    ShouldVisitImplicitCode = true;
  }

  void walk(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *body = nullptr;
    if (!function.hasBody(body))
      return bind(fmt::format("'{}' is defined elsewhere", function.getNameAsString()),
                  function.getLocation());
    if (!walked_.insert(body).second)
      return;
    if (isLeftOutPartly(*body))
      bind(fmt::format("'{}' has branches that this build leaves out", body->getNameAsString()),
           body->getLocation());
    ++depth_;
    TraverseStmt(body->getBody());
    if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(body))
      for (const clang::CXXCtorInitializer *initializer : constructor->inits())
        TraverseStmt(initializer->getInit());
    --depth_;
    for (const clang::ParmVarDecl *parameter : body->parameters())
      followDestructor(parameter->getType(), parameter->getLocation());
  }

  bool TraversePseudoObjectExpr(clang::PseudoObjectExpr *property) override {
    if (noteNumber(*property))
      return true;
    return Base::TraversePseudoObjectExpr(property);
  }
  bool TraverseMemberExpr(clang::MemberExpr *member) override {
    if (noteNumber(*member))
      return true;
    return Base::TraverseMemberExpr(member);
  }

  /// Text that others than this kernel execute, too.
  bool TraverseCXXDefaultArgExpr(clang::CXXDefaultArgExpr *argument) override {
    ++depth_;
    Base::TraverseCXXDefaultArgExpr(argument);
    --depth_;
    return true;
  }
  bool TraverseCXXDefaultInitExpr(clang::CXXDefaultInitExpr *initializer) override {
    ++depth_;
    Base::TraverseCXXDefaultInitExpr(initializer);
    --depth_;
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const clang::ValueDecl *named = name->getDecl();
    if (named->hasAttr<clang::CUDASharedAttr>())
      bind("its threads share memory", name->getLocation());
    if (!named->getDeclName().isIdentifier() ||
        !named->getDeclContext()->getRedeclContext()->isTranslationUnit())
      return true;
    for (const char *builtin : {"threadIdx", "blockDim", "warpSize"})
      if (named->getName() == builtin)
        bind(fmt::format("it uses '{}' in another way than by its x, y and z", builtin),
             name->getLocation());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->hasAttr<clang::CUDASharedAttr>())
      bind("its threads share memory", variable->getLocation());
    followDestructor(variable->getType(), variable->getLocation());
    return true;
  }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr *temporary) override {
    followDestructor(temporary->getType(), temporary->getExprLoc());
    return true;
  }
  bool VisitExpr(clang::Expr *expression) override {
    if (expression->isGLValue() && expression->getType().isVolatileQualified())
      bind("it accesses volatile memory, which other threads change", expression->getExprLoc());
    return true;
  }
  bool VisitAsmStmt(clang::AsmStmt *text) override {
    bind("it has inline PTX", text->getAsmLoc());
    return true;
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr *allocation) override {
    bind("it allocates memory", allocation->getExprLoc());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *release) override {
    bind("it frees memory", release->getExprLoc());
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *launch) override {
    bind("it launches kernels", launch->getExprLoc());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    if (isa<clang::CUDAKernelCallExpr>(call))
      return true;
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      bind("it calls a function through a pointer", call->getExprLoc());
    else
      follow(*callee, call->getExprLoc());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    if (const clang::CXXConstructorDecl *constructor = construction->getConstructor();
        !constructor->isTrivial())
      follow(*constructor, construction->getExprLoc());
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr *construction) override {
    follow(*construction->getConstructor(), construction->getExprLoc());
    return true;
  }

private:
  void follow(const clang::FunctionDecl &callee, clang::SourceLocation where) {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
    if (method && method->isVirtual())
      return bind(fmt::format("'{}' is virtual", callee.getNameAsString()), where);
    if (method && method->isTrivial())
      return;
    const auto *destructor = dyn_cast<clang::CXXDestructorDecl>(&callee);
    if (destructor)
      followParts(*destructor->getParent(), where);
    if (method && method->isDefaulted())
      return destructor ? void() : walk(callee);
    const clang::SourceLocation place = sources_.getExpansionLoc(callee.getLocation());
    if (place.isValid() && unit_.isUserFile(sources_.getFileID(place)))
      return walk(callee);
    const std::string name = callee.getNameAsString();
    if (!isMathematical(callee) && !isReadOnlyLoad(name) &&
        (!forgetsAddresses(name) || isAtomic(name)))
      bind(fmt::format("it calls '{}', which is not known to concern one thread alone", name),
           where);
  }

  void followDestructor(clang::QualType type, clang::SourceLocation where) {
    const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (type->isReferenceType() || !record || !record->hasDefinition() ||
        record->hasTrivialDestructor())
      return;
    if (const clang::CXXDestructorDecl *destructor = record->getDestructor())
      follow(*destructor, where);
  }

  /// A destructor runs those of its members and bases.
  void followParts(const clang::CXXRecordDecl &record, clang::SourceLocation where) {
    for (const clang::CXXBaseSpecifier &base : record.bases())
      followDestructor(base.getType(), where);
    for (const clang::FieldDecl *field : record.fields())
      followDestructor(field->getType(), where);
  }

  /// \returns  true for a number of a thread or block
  bool noteNumber(const clang::Expr &expression) {
    const std::optional<std::string> name = builtinNamed(expression);
    if (!name)
      return false;
    const clang::Expr *bare = expression.IgnoreParens();
    if (const auto *pseudo = dyn_cast<clang::PseudoObjectExpr>(bare))
      bare = pseudo->getSyntacticForm()->IgnoreParens();
    const auto *property = dyn_cast<clang::MSPropertyRefExpr>(bare);
    const clang::SourceLocation member =
        property ? property->getMemberLoc() : clang::cast<clang::MemberExpr>(bare)->getMemberLoc();
    found_.named.insert(*name);
    if (depth_ == 1)
      found_.numbers.push_back({*name, member});
    else if (name->starts_with("threadIdx") || name->starts_with("blockDim"))
      bind(fmt::format("a function that it calls, or a default argument or initializer, uses '{}'",
                       *name),
           member);
    return true;
  }

  /// Another build, or another architecture, has other code.
  [[nodiscard]] bool isLeftOutPartly(const clang::FunctionDecl &function) const {
    const clang::SourceLocation begin = sources_.getExpansionLoc(function.getBeginLoc());
    const clang::SourceLocation end = sources_.getExpansionLoc(function.getEndLoc());
    for (const clang::SourceRange &skipped : unit_.skippedRanges())
      if (!sources_.isBeforeInTranslationUnit(skipped.getBegin(), begin) &&
          sources_.isBeforeInTranslationUnit(skipped.getBegin(), end))
        return true;
    return false;
  }

  void bind(std::string why, clang::SourceLocation where) {
    if (!found_.whyBound)
      found_.whyBound = Refusal{Code::ThreadRolesFixed, std::move(why), where, kLeave};
  }

  const instrument::ParsedUnit &unit_;
  const clang::SourceManager &sources_;
  KernelThreads &found_;
  std::set<const clang::FunctionDecl *> walked_;
  int depth_ = 0;
};

} // namespace

KernelThreads threadsOf(instrument::ParsedUnit &unit, const clang::FunctionDecl &kernel) {
  KernelThreads found;
  ThreadWalk(unit, unit.sources(), found).walk(kernel);
  return found;
}

} // namespace relayout::rewriter
