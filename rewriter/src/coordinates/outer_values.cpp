// SPDX-License-Identifier: Apache-2.0
// Collects what members and global variables are given. Whatever may write bytes of an object in
// another way makes its members unknown.
#include "coordinates/outer_values.h"

#include "pass/user_visitor.h"
#include "relayout/base/cuda_calls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

constexpr int kMostCallers = 4;

const clang::CXXRecordDecl *recordBehind(clang::QualType type) {
  if (type->isPointerType() || type->isReferenceType())
    type = type->getPointeeType();
  const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record ? record->getDefinition() : nullptr;
}

bool isCounter(const clang::ValueDecl &declaration) {
  const clang::QualType type = declaration.getType();
  return type->isIntegerType() && !type.isVolatileQualified();
}

/// Device memory, or a kernel, is made use of below a statement.
class DeviceWork : public clang::DynamicRecursiveASTVisitor {
public:
  explicit DeviceWork(const Program &program) : program_(program) {}
  bool found = false;

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *) override { return !(found = true); }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    const std::string name = runtimeName(program_, *call);
    const CudaCall *known = cudaCallNamed(name);
    if (!callee || (known && known->kind == CudaCallKind::Allocation) ||
        name.find("Launch") != std::string::npos)
      return !(found = true);
    enter(*callee);
    return !found;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    enter(*made->getConstructor());
    return !found;
  }

private:
  void enter(const clang::FunctionDecl &called) {
    const clang::FunctionDecl *definition = called.getDefinition();
    if (definition && isUsers(program_, *definition) && entered_.insert(definition).second)
      TraverseDecl(const_cast<clang::FunctionDecl *>(definition));
  }

  const Program &program_;
  std::set<const clang::FunctionDecl *> entered_;
};

} // namespace

class OuterValues::Finder : public UserVisitor {
public:
  Finder(const Program &program, const Callers &callers, OuterValues &found)
      : UserVisitor(program), callers_(callers), found_(found) {}

  /// What a generic one is instantiated for: no place in it is in the index, so that each name in
  /// it counts as an unknown write.
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator())
      for (clang::FunctionDecl *instance : generic->specializations())
        if (instance->hasBody())
          TraverseStmt(instance->getBody());
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (function->isMain() && function->hasBody())
      found_.main_ = function->getDefinition();
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    if (const auto *field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        field && isCounter(*field))
      note(*field, *member);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *field = dyn_cast<clang::FieldDecl>(name->getDecl())) // `&Grid::nx`
      writesOf(*field).areKnown = false;
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
        variable && variable->hasGlobalStorage() && isCounter(*variable))
      note(*variable, *name);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (!variable->hasGlobalStorage())
      return true;
    if (const clang::CXXRecordDecl *record = recordBehind(variable->getType());
        record && !variable->getType()->isPointerType() &&
        !isa_and_nonnull<clang::InitListExpr>(variable->getInit()))
      found_.forget(*record); // starts with zeros
    if (const clang::Expr *start = variable->getInit(); start && isCounter(*variable)) {
      const auto zero = start->isValueDependent()
                            ? std::nullopt
                            : start->getIntegerConstantExpr(program_.unit.ast());
      if (!zero || !zero->isZero())
        writesOf(*variable).all.push_back({start, nullptr});
    }
    return true;
  }

  bool VisitDecompositionDecl(clang::DecompositionDecl *bindings) override {
    forget(bindings->getType());
    return true;
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *record) override {
    if (!record->isThisDeclarationADefinition() || record->isDependentType())
      return true;
    if (record->isUnion() || callers_.isInLibrary(*record))
      found_.forget(*record);
    for (const clang::FieldDecl *field : record->fields())
      if (field->hasInClassInitializer() && isCounter(*field) && startsByDefault(*record, *field)) {
        if (const clang::Expr *start = field->getInClassInitializer())
          writesOf(*field).all.push_back({start, nullptr});
        else
          writesOf(*field).areKnown = false;
      }
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer() && initialiser->isWritten() &&
          isCounter(*initialiser->getMember()))
        writesOf(*initialiser->getMember()).all.push_back({initialiser->getInit(), constructor});
    return true;
  }

  bool TraverseInitListExpr(clang::InitListExpr *list) override {
    giveMembers(*list, [this](const clang::FieldDecl &field, const clang::Expr &value) {
      if (isa<clang::ImplicitValueInitExpr, clang::CXXDefaultInitExpr>(value))
        forgetField(field);
      else if (isCounter(field))
        writesOf(field).all.push_back({&value, around_});
    });
    return clang::DynamicRecursiveASTVisitor::TraverseInitListExpr(list);
  }
  bool VisitCXXParenListInitExpr(clang::CXXParenListInitExpr *list) override {
    forget(list->getType());
    return true;
  }
  bool VisitImplicitValueInitExpr(clang::ImplicitValueInitExpr *zero) override {
    forget(zero->getType());
    return true;
  }
  bool VisitCXXScalarValueInitExpr(clang::CXXScalarValueInitExpr *zero) override {
    forget(zero->getType());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    if (made->requiresZeroInitialization())
      forget(made->getType());
    return true;
  }

  /// Bytes of an object, and objects of bytes.
  bool VisitCastExpr(clang::CastExpr *conversion) override {
    const clang::CastKind kind = conversion->getCastKind();
    if (kind != clang::CK_BitCast && kind != clang::CK_LValueBitCast &&
        kind != clang::CK_ReinterpretMemberPointer && kind != clang::CK_IntegralToPointer &&
        kind != clang::CK_AddressSpaceConversion)
      return true;
    const clang::QualType from = conversion->getSubExpr()->getType(), to = conversion->getType();
    if (const clang::CXXRecordDecl *record = recordBehind(from);
        record && !isConstBehind(to) && !isInCudaCall(*conversion, *record))
      found_.forget(*record);
    if (const clang::CXXRecordDecl *record = recordBehind(to);
        record && !isNewMemory(*conversion->getSubExpr()))
      found_.forget(*record);
    return true;
  }

private:
  static bool isConstBehind(clang::QualType type) {
    return type->isPointerType() && type->getPointeeType().isConstQualified();
  }

  /// `cudaMemcpy(&p, …)` between objects of one type, or an allocation of memory without values.
  [[nodiscard]] bool isInCudaCall(const clang::CastExpr &conversion,
                                  const clang::CXXRecordDecl &record) const {
    const clang::Stmt *parent = program_.index.parentOf(&conversion).stmt;
    while (isa_and_nonnull<clang::CastExpr, clang::ParenExpr>(parent))
      parent = program_.index.parentOf(parent).stmt;
    const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
    const CudaCall *known = call ? cudaCallNamed(runtimeName(program_, *call)) : nullptr;
    if (!known)
      return false;
    if (known->kind == CudaCallKind::Free || known->kind == CudaCallKind::Allocation)
      return true;
    if (known->kind != CudaCallKind::Copy || call->getNumArgs() < 2)
      return false;
    return std::ranges::all_of(std::array{0u, 1u}, [&](unsigned side) {
      const clang::CXXRecordDecl *other =
          recordBehind(call->getArg(side)->IgnoreParenCasts()->getType());
      return other && other->getCanonicalDecl() == record.getCanonicalDecl();
    });
  }

  static bool isNewMemory(const clang::Expr &memory) {
    const auto *call = dyn_cast<clang::CallExpr>(memory.IgnoreParenCasts());
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return (callee && callee->getDeclName().isIdentifier() && callee->getName() == "malloc") ||
           memory.IgnoreParenCasts()->getType()->isNullPtrType();
  }

  /// Some constructor leaves a member to the value that the class gives it.
  static bool startsByDefault(const clang::CXXRecordDecl &record, const clang::FieldDecl &field) {
    bool hasConstructor = false;
    for (const clang::CXXConstructorDecl *constructor : record.ctors()) {
      if (constructor->isImplicit() || constructor->isDefaulted()) {
        if (constructor->isDefaultConstructor() && !constructor->isDeleted())
          return true;
        continue;
      }
      hasConstructor = true;
      if (!constructor->isDelegatingConstructor() &&
          std::ranges::none_of(constructor->inits(), [&](const clang::CXXCtorInitializer *start) {
            return start->isWritten() && start->getMember() == &field;
          }))
        return true;
    }
    return !hasConstructor;
  }

  Writes &writesOf(const clang::ValueDecl &declaration) {
    return found_.writes_[clang::cast<clang::ValueDecl>(declaration.getCanonicalDecl())];
  }
  void forget(clang::QualType type) {
    if (const clang::CXXRecordDecl *record = recordBehind(type))
      found_.forget(*record);
  }
  void forgetField(const clang::FieldDecl &field) {
    writesOf(field).areKnown = false;
    forget(field.getType());
  }

  void note(const clang::ValueDecl &declaration, const clang::Expr &name) {
    const clang::Stmt *current = &name;
    const clang::Stmt *parent = program_.index.parentOf(current).stmt;
    while (isa_and_nonnull<clang::ParenExpr>(parent)) {
      current = parent;
      parent = program_.index.parentOf(current).stmt;
    }
    if (const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
        conversion && conversion->getCastKind() == clang::CK_LValueToRValue)
      return;
    Writes &writes = writesOf(declaration);
    const auto *assignment = dyn_cast_or_null<clang::BinaryOperator>(parent);
    if (assignment && assignment->getOpcode() == clang::BO_Assign &&
        assignment->getLHS() == current && around_ && !around_->isDependentContext())
      writes.all.push_back({assignment->getRHS(), around_});
    else if (!around_ || !around_->isDependentContext())
      writes.areKnown = false;
  }

  const Callers &callers_;
  OuterValues &found_;
};

OuterValues::OuterValues(const Program &program, const Callers &callers)
    : program_(program), callers_(callers) {
  Finder(program, callers, *this).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

void OuterValues::forget(const clang::CXXRecordDecl &record) {
  for (const clang::FieldDecl *field : record.fields()) {
    Writes &writes = writes_[field->getCanonicalDecl()];
    const bool isNew = writes.areKnown;
    writes.areKnown = false;
    const clang::CXXRecordDecl *inner = isNew ? recordBehind(field->getType()) : nullptr;
    if (inner && !field->getType()->isPointerType() && !field->getType()->isReferenceType())
      forget(*inner);
  }
}

const OuterValues::Writes &OuterValues::of(const clang::ValueDecl &declaration) const {
  static const Writes kUnknown{{}, false};
  const auto entry = writes_.find(clang::cast<clang::ValueDecl>(declaration.getCanonicalDecl()));
  return entry == writes_.end() || !program_.isAlone ? kUnknown : entry->second;
}

bool OuterValues::isOnce(const Written &written) const {
  if (!written.around || written.around != main_)
    return false;
  for (const clang::Stmt *outer = written.value; outer;
       outer = program_.index.parentOf(outer).stmt) {
    if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt,
            clang::LambdaExpr, clang::LabelStmt>(outer))
      return false;
    if (outer == main_->getBody())
      return true;
  }
  return false;
}

std::ptrdiff_t OuterValues::lastIn(const clang::Stmt &statement, const clang::FunctionDecl *around,
                                   int depth) const {
  if (!main_ || !around)
    return -1;
  if (around->getDefinition() == main_) {
    const auto *body = clang::cast<clang::CompoundStmt>(main_->getBody());
    const clang::Stmt *below = &statement;
    while (below && program_.index.parentOf(below).stmt != body) {
      below = isa<clang::LambdaExpr>(below) ? nullptr : program_.index.parentOf(below).stmt;
    }
    const auto *const at = std::find(body->body_begin(), body->body_end(), below);
    return at == body->body_end() ? -1 : at - body->body_begin();
  }
  const std::vector<Callers::Call> *calls = depth > 0 ? callers_.of(*around) : nullptr;
  std::ptrdiff_t last = -1;
  if (calls)
    for (const Callers::Call &call : *calls) {
      const std::ptrdiff_t at = lastIn(*call.expression, call.around, depth - 1);
      if (at < 0)
        return -1;
      last = std::max(last, at);
    }
  return last;
}

bool OuterValues::isSettledFirst(const clang::VarDecl &global) const {
  const Writes &writes = of(global);
  if (!main_ || !writes.areKnown)
    return false;
  std::ptrdiff_t last = -1;
  for (const Written &written : writes.all) {
    if (!written.around) // what it starts with
      continue;
    const std::ptrdiff_t at = lastIn(*written.value, written.around, kMostCallers);
    if (at < 0)
      return false;
    last = std::max(last, at);
  }
  DeviceWork work(program_);
  const auto *body = clang::cast<clang::CompoundStmt>(main_->getBody());
  for (std::ptrdiff_t i = 0; i <= last; ++i)
    work.TraverseStmt(*(body->body_begin() + i));
  // What objects do before `main` begins.
  for (clang::Decl *declaration : main_->getTranslationUnitDecl()->decls())
    if (auto *variable = dyn_cast<clang::VarDecl>(declaration);
        variable && isUsers(program_, *variable) && variable->getInit())
      work.TraverseStmt(variable->getInit());
  return !work.found;
}

} // namespace relayout::rewriter
