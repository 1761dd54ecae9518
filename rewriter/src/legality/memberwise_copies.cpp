// SPDX-License-Identifier: Apache-2.0
// Reads the bodies of copy and move functions.
#include "legality/memberwise_copies.h"

#include "legality/empty_destructors.h"
#include "legality/number_pairs.h"
#include "legality/object_bits.h"
#include "legality/whole_loops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/StmtCXX.h>

#include <llvm/ADT/ScopeExit.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// What a function has copied of the other object.
struct Copied {
  ObjectBits bits;
  std::set<const clang::CXXRecordDecl *> bases;
};

/// What is below conversions and copies that the language puts in.
const clang::Expr *behindCopies(const Program &program, const clang::Expr *expression) {
  while (true) {
    expression = expression->IgnoreParenImpCasts();
    if (const auto *wrapper = dyn_cast<clang::FullExpr>(expression))
      expression = wrapper->getSubExpr();
    else if (const auto *list = dyn_cast<clang::InitListExpr>(expression);
             list && list->getNumInits() == 1)
      expression = list->getInit(0);
    else if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(expression);
             construction && construction->getConstructor()->isCopyOrMoveConstructor() &&
             copiesMembers(program, *construction->getConstructor()))
      expression = construction->getArg(0);
    else
      return expression;
  }
}

/// Notes a part that becomes the same part of the other object, by whatever names.
bool copiesPart(const Program &program, const ObjectPart &to, const clang::Expr &from,
                const clang::CXXMethodDecl &function, Copied &copied) {
  const auto part = objectPart(program, *behindCopies(program, &from), {function.getParamDecl(0)});
  if (!part || part->begin != to.begin || part->size != to.size ||
      !function.getASTContext().hasSameUnqualifiedType(part->type, to.type))
    return false;
  copied.bits.add(to.begin, to.size);
  return true;
}

/// The function's parameter.
bool isOther(const clang::Expr *expression, const clang::CXXMethodDecl &function) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return name && name->getDecl() == function.getParamDecl(0);
}

/// The sides of an assignment that copies.
struct Assignment {
  const clang::Expr *left = nullptr, *right = nullptr;
};

std::optional<Assignment> assignmentOf(const Program &program, const clang::Stmt *statement) {
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(statement))
    statement = wrapper->getSubExpr();
  if (const auto *assignment = dyn_cast<clang::BinaryOperator>(statement);
      assignment && assignment->getOpcode() == clang::BO_Assign)
    return Assignment{assignment->getLHS(), assignment->getRHS()};
  const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(statement);
  const auto *method = call && call->getOperator() == clang::OO_Equal
                           ? dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee())
                           : nullptr;
  return method && copiesMembers(program, *method)
             ? std::optional(Assignment{call->getArg(0), call->getArg(1)})
             : std::nullopt;
}

/// `x[i] = other.x[i];` in a loop over all of an array.
bool copiesElement(const Program &program, const clang::Stmt *statement, const WholeLoop &loop,
                   const clang::CXXMethodDecl &function, Copied &copied) {
  const std::optional<Assignment> assignment = assignmentOf(program, statement);
  if (!assignment)
    return false;
  const auto *to = dyn_cast<clang::ArraySubscriptExpr>(assignment->left->IgnoreParenImpCasts());
  const auto *from = dyn_cast<clang::ArraySubscriptExpr>(
      behindCopies(program, assignment->right)->IgnoreParenImpCasts());
  const auto whole = to && from ? objectPart(program, *to->getBase()->IgnoreParenImpCasts(), {})
                                : std::optional<ObjectPart>();
  const clang::ConstantArrayType *array =
      whole ? function.getASTContext().getAsConstantArrayType(whole->type) : nullptr;
  const auto isCounted = [&](const clang::ArraySubscriptExpr &element) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(element.getIdx()->IgnoreParenImpCasts());
    return name && name->getDecl() == loop.counter;
  };
  return array && loop.iterations == array->getSize().getZExtValue() && isCounted(*to) &&
         isCounted(*from) &&
         copiesPart(program, *whole, *from->getBase()->IgnoreParenImpCasts(), function, copied);
}

/// `for (int i = 0; i < 3; i++) { x[i] = other.x[i]; v[i] = other.v[i]; }`
bool copiesElements(const Program &program, const clang::ForStmt &loop,
                    const clang::CXXMethodDecl &function, Copied &copied) {
  const std::optional<WholeLoop> counted = wholeLoop(loop, function.getASTContext());
  const auto copies = [&](const clang::Stmt *statement) {
    return copiesElement(program, statement, *counted, function, copied);
  };
  const auto *block = dyn_cast<clang::CompoundStmt>(loop.getBody());
  return counted && (block ? std::ranges::all_of(block->body(), copies) : copies(loop.getBody()));
}

/// `x = other.x;`
bool copiesOne(const Program &program, const clang::Stmt *statement,
               const clang::CXXMethodDecl &function, Copied &copied) {
  const std::optional<Assignment> assignment = assignmentOf(program, statement);
  const auto to =
      assignment ? objectPart(program, *assignment->left, {}) : std::optional<ObjectPart>();
  return to && copiesPart(program, *to, *assignment->right, function, copied);
}

/// `this == &other` or `this != &other`: which of them, or nothing.
std::optional<clang::BinaryOperatorKind> comparesAddresses(const clang::Expr *condition) {
  const auto *comparison = dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
  if (!comparison || !comparison->isEqualityOp())
    return std::nullopt;
  const auto isAddress = [](const clang::Expr *side) {
    side = side->IgnoreParenImpCasts();
    const auto *unary = dyn_cast<clang::UnaryOperator>(side);
    return isa<clang::CXXThisExpr>(side) ||
           (unary && unary->getOpcode() == clang::UO_AddrOf &&
            isa<clang::DeclRefExpr>(unary->getSubExpr()->IgnoreParenImpCasts()));
  };
  return isAddress(comparison->getLHS()) && isAddress(comparison->getRHS())
             ? std::optional(comparison->getOpcode())
             : std::nullopt;
}

/// `*this`
bool isObject(const clang::Expr *expression) {
  const auto *object = dyn_cast<clang::UnaryOperator>(expression->IgnoreParenImpCasts());
  return object && object->getOpcode() == clang::UO_Deref &&
         isa<clang::CXXThisExpr>(object->getSubExpr()->IgnoreParenImpCasts());
}

/// `return *this;`
bool returnsObject(const Program &program, const clang::Stmt *statement) {
  const auto *result = dyn_cast<clang::ReturnStmt>(statement);
  return result && result->getRetValue() && isObject(behindCopies(program, result->getRetValue()));
}

/// `*this = other;` in a constructor. An assignment that is written so calls itself.
bool assignsOther(const Program &program, const clang::Stmt *statement,
                  const clang::CXXMethodDecl &function) {
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(statement))
    statement = wrapper->getSubExpr();
  const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(statement);
  if (!call || call->getOperator() != clang::OO_Equal || !isa<clang::CXXConstructorDecl>(function))
    return false;
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
  return method &&
         method->getParent()->getCanonicalDecl() == function.getParent()->getCanonicalDecl() &&
         copiesMembers(program, *method) && isObject(call->getArg(0)) &&
         isOther(call->getArg(1), function);
}

/// `Base::operator=(other);`
bool copiesBase(const Program &program, const clang::Stmt *statement,
                const clang::CXXMethodDecl &function, Copied &copied) {
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(statement))
    statement = wrapper->getSubExpr();
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(statement);
  const clang::CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
  return method && method->isCopyAssignmentOperator() && copiesMembers(program, *method) &&
         isa<clang::CXXThisExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts()) &&
         isOther(call->getArg(0), function) &&
         copied.bases.insert(method->getParent()->getCanonicalDecl()).second;
}

/// `return *this;`, alone or in braces.
bool onlyReturns(const Program &program, const clang::Stmt *statement) {
  const auto *block = dyn_cast<clang::CompoundStmt>(statement);
  return block ? block->size() == 1 && returnsObject(program, block->body_front())
               : returnsObject(program, statement);
}

bool mayReturn(const clang::Stmt *statement) {
  return statement &&
         (isa<clang::ReturnStmt>(statement) || llvm::any_of(statement->children(), mayReturn));
}

bool copiesIn(const Program &program, const clang::Stmt *statement,
              const clang::CXXMethodDecl &function, Copied &copied) {
  if (!statement || isa<clang::NullStmt>(statement) || returnsObject(program, statement))
    return true;
  if (const auto *block = dyn_cast<clang::CompoundStmt>(statement)) {
    for (auto part = block->body_begin(); part != block->body_end(); ++part) {
      const auto *test = dyn_cast<clang::IfStmt>(*part);
      const bool isForSelf =
          test && comparesAddresses(test->getCond()) == clang::BO_EQ; // leaves nothing out
      if (!copiesIn(program, *part, function, copied))
        return false;
      // What follows a return is not done.
      if (mayReturn(*part) && !isForSelf)
        return std::all_of(part + 1, block->body_end(),
                           [&](const clang::Stmt *rest) { return returnsObject(program, rest); });
    }
    return true;
  }
  if (const auto *test = dyn_cast<clang::IfStmt>(statement)) { // copying an object to itself
    const auto comparison = comparesAddresses(test->getCond());
    if (test->getElse() || test->getInit() || !comparison)
      return false;
    return comparison == clang::BO_EQ ? onlyReturns(program, test->getThen())
                                      : copiesIn(program, test->getThen(), function, copied);
  }
  if (const auto *loop = dyn_cast<clang::ForStmt>(statement))
    return copiesElements(program, *loop, function, copied);
  if (assignsOther(program, statement, function)) {
    const clang::ASTContext &context = function.getASTContext();
    copied.bits.add(0, context.toBits(context.getASTRecordLayout(function.getParent()).getSize()));
    return true;
  }
  return copiesBase(program, statement, function, copied) ||
         copiesOne(program, statement, function, copied);
}

/// In a unit of host C++ nothing says so; CUDA's units do.
bool isOfDevice(const clang::CXXMethodDecl &function) {
  return !function.getASTContext().getLangOpts().CUDA || function.isConstexpr() ||
         function.hasAttr<clang::CUDADeviceAttr>();
}

bool isOfHost(const clang::CXXMethodDecl &function) {
  return !function.hasAttr<clang::CUDADeviceAttr>() || function.hasAttr<clang::CUDAHostAttr>();
}

/// `: Base(other)`, of a constructor.
bool initialisesBase(const Program &program, const clang::CXXCtorInitializer &initialiser,
                     const clang::CXXMethodDecl &function, Copied &copied) {
  const auto *construction =
      dyn_cast<clang::CXXConstructExpr>(initialiser.getInit()->IgnoreImplicit());
  return initialiser.isBaseInitializer() && construction &&
         construction->getConstructor()->isCopyConstructor() &&
         copiesMembers(program, *construction->getConstructor()) &&
         isOther(construction->getArg(0), function) &&
         copied.bases.insert(construction->getConstructor()->getParent()->getCanonicalDecl())
             .second;
}

/// `: R(other.x, other.y)`, where that constructor gives its parameters to the members.
bool delegates(const Program &program, const clang::CXXCtorInitializer &initialiser,
               const clang::CXXMethodDecl &function, Copied &copied) {
  const auto *construction =
      dyn_cast<clang::CXXConstructExpr>(initialiser.getInit()->IgnoreImplicit());
  const clang::CXXConstructorDecl *delegate =
      construction ? construction->getConstructor() : nullptr;
  const clang::FunctionDecl *definition = delegate ? delegate->getDefinition() : nullptr;
  const auto *body = definition ? dyn_cast<clang::CompoundStmt>(definition->getBody()) : nullptr;
  if (!body || !body->body_empty() || !isOfHost(*delegate) ||
      llvm::any_of(construction->arguments(), [&](const clang::Expr *argument) {
        return argument->HasSideEffects(function.getASTContext());
      }))
    return false;
  for (const clang::CXXCtorInitializer *given :
       clang::cast<clang::CXXConstructorDecl>(definition)->inits()) {
    const auto *name = given->isMemberInitializer()
                           ? dyn_cast<clang::DeclRefExpr>(behindCopies(program, given->getInit()))
                           : nullptr;
    const auto *parameter = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
    if (!parameter || parameter->getDeclContext() != definition ||
        !function.getASTContext().hasSameUnqualifiedType(parameter->getType().getNonReferenceType(),
                                                         given->getMember()->getType()) ||
        !copiesPart(program, partOfMember(*given->getMember()),
                    *construction->getArg(parameter->getFunctionScopeIndex()), function, copied))
      return false;
  }
  return true;
}

bool initialises(const Program &program, const clang::CXXCtorInitializer &initialiser,
                 const clang::CXXMethodDecl &function, Copied &copied) {
  if (initialiser.isDelegatingInitializer())
    return delegates(program, initialiser, function, copied);
  if (initialiser.isBaseInitializer())
    return initialisesBase(program, initialiser, function, copied);
  const clang::ValueDecl *member =
      initialiser.isIndirectMemberInitializer()
          ? static_cast<const clang::ValueDecl *>(initialiser.getIndirectMember())
          : initialiser.getMember();
  return copiesPart(program, partOfMember(*member), *initialiser.getInit(), function, copied);
}

} // namespace

bool copiesMembers(const Program &program, const clang::CXXMethodDecl &function) {
  if (function.isDeleted() || function.isVirtual() || function.getNumParams() != 1)
    return false;
  if (!function.isUserProvided())
    return true;
  const clang::QualType parameter = function.getParamDecl(0)->getType();
  const LinkedFunction linked = program.linked.bodyOf(program, function);
  const Program &owner = *linked.programOr(&program);
  const auto *body = dyn_cast_or_null<clang::CXXMethodDecl>(linked.body);
  // A constructor that assigns, and an assignment that returns a copy, need each other.
  thread_local std::set<const clang::CXXMethodDecl *> asked;
  if (!body || !asked.insert(body).second)
    return body != nullptr;
  const llvm::scope_exit answered([&] { asked.erase(body); });
  const bool takesCopy = !parameter->isReferenceType(); // `R &operator=(R other)`
  if (!isOfHost(function) || (takesCopy && !parameter->isRecordType()) ||
      (parameter->isLValueReferenceType() && !parameter.getNonReferenceType().isConstQualified()))
    return false;
  Copied copied;
  if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(body))
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isWritten() && !initialises(owner, *initialiser, *body, copied))
        return false;
  if (!copiesIn(owner, body->getBody(), *body, copied))
    return false;
  if (!copied.bits.holdMembersOf(*body->getParent()))
    return false;
  return llvm::all_of(body->getParent()->bases(), [&](const clang::CXXBaseSpecifier &base) {
    const clang::CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
    return record && (record->isEmpty() || copied.bases.count(record->getCanonicalDecl()) != 0);
  });
}

namespace {

const char *nameOfCopy(const clang::CXXMethodDecl &function) {
  if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(&function))
    return constructor->isCopyConstructor()   ? "a copy constructor"
           : constructor->isMoveConstructor() ? "a move constructor"
                                              : nullptr;
  return function.isCopyAssignmentOperator()   ? "a copy assignment"
         : function.isMoveAssignmentOperator() ? "a move assignment"
                                               : nullptr;
}

/// Of a base or a member, which is named.
std::optional<CopyObstacle> obstacleInPart(const Program &program, const char *what,
                                           clang::QualType type) {
  const clang::CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!inner || !inner->getDefinition())
    return std::nullopt;
  std::optional<CopyObstacle> obstacle = obstacleToCopies(program, *inner->getDefinition());
  if (obstacle)
    obstacle->text =
        fmt::format("has {} '{}', which {}", what, inner->getNameAsString(), obstacle->text);
  return obstacle;
}

} // namespace

std::optional<CopyObstacle> obstacleToCopies(const Program &program,
                                             const clang::CXXRecordDecl &record) {
  if (record.isTriviallyCopyable())
    return std::nullopt;
  if (const clang::CXXDestructorDecl *destructor = record.getDestructor();
      destructor && !isEmpty(program, *destructor))
    return CopyObstacle{"has a destructor", destructor->getLocation()};
  for (const clang::CXXMethodDecl *function : record.methods()) {
    const char *name = nameOfCopy(*function);
    if (name && !function->isDeleted() && !copiesMembers(program, *function))
      return CopyObstacle{
          fmt::format("has {} that {}", name,
                      function->isUserProvided() && !program.linked.bodyOf(program, *function).body
                          ? "no file of the program defines"
                          : "does not only copy its members, or is the device's alone"),
          function->getLocation()};
  }
  for (const clang::CXXBaseSpecifier &base : record.bases())
    if (auto obstacle = obstacleInPart(program, "a base class", base.getType()))
      return obstacle;
  for (const clang::FieldDecl *field : record.fields())
    if (!isPairOfNumbers(*field))
      if (auto obstacle = obstacleInPart(program, "a member of type", field->getType()))
        return obstacle;
  if (!destroysNothing(program, record))
    return CopyObstacle{"has a destructor", record.getLocation()};
  return std::nullopt;
}

bool copiesOnDevice(const clang::CXXRecordDecl &record) {
  const auto isCopied = [](clang::QualType type) {
    const clang::CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return !inner || !inner->getDefinition() || copiesOnDevice(*inner->getDefinition());
  };
  return record.isTriviallyCopyable() ||
         (llvm::all_of(record.methods(),
                       [](const clang::CXXMethodDecl *function) {
                         return !nameOfCopy(*function) || !function->isUserProvided() ||
                                isOfDevice(*function);
                       }) &&
          llvm::all_of(record.bases(),
                       [&](const auto &base) { return isCopied(base.getType()); }) &&
          llvm::all_of(record.fields(), [&](const auto *field) {
            return isPairOfNumbers(*field) || isCopied(field->getType());
          }));
}

} // namespace relayout::rewriter
