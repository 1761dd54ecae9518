// SPDX-License-Identifier: Apache-2.0
// Counts the operations of a device function, those of loops with constant trip counts as often as
// they run.
#include "model/operation_counts.h"

#include "model/straight_line.h"
#include "relayout/instrument/clang/shared_arrays.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

using trace::OperationKind;
using trace::Operations;
using trace::ValueType;

ValueType valueTypeOf(clang::QualType type) {
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double))
    return ValueType::Double;
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float))
    return ValueType::Single;
  return type->isIntegralOrEnumerationType() ? ValueType::Integer : ValueType::Other;
}

/// `p->x`, `p[i].x`: what the replay counts by itself.
bool isRecordAccess(const clang::Expr *expression) {
  const auto *member = dyn_cast<clang::MemberExpr>(expression);
  return member && isa<clang::FieldDecl>(member->getMemberDecl()) &&
         (member->isArrow() ||
          isa<clang::ArraySubscriptExpr, clang::UnaryOperator>(
              member->getBase()->IgnoreParenImpCasts()) ||
          isRecordAccess(member->getBase()->IgnoreParenImpCasts()));
}

/// A variable of the function or of the block, or a part of one: what the replay does not see.
bool isOfVariable(const clang::Expr *part) {
  part = part->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<clang::MemberExpr>(part))
    return !member->isArrow() && isOfVariable(member->getBase());
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(part))
    return subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() &&
           isOfVariable(subscript->getBase());
  const auto *name = dyn_cast<clang::DeclRefExpr>(part);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && !variable->getType()->isReferenceType() &&
         (variable->hasLocalStorage() ||
          (variable->hasAttr<clang::CUDASharedAttr>() && !isSharedArray(*variable)));
}

class Counter {
public:
  Counter(clang::ASTContext &context, const LoopTest &isCounted)
      : context_(context), isCounted_(isCounted) {}

  /// \returns  what stands outside the loops that get a count of their own
  Operations function(const clang::FunctionDecl &function) {
    if (const auto known = known_.find(&function); known != known_.end())
      return known->second;
    if (!function.hasBody())
      return {};
    if (!path_.insert(&function).second) { // calls itself
      ++cuts_;
      return {};
    }
    const unsigned cutsBefore = cuts_;
    Operations operations = statement(function.getBody());
    path_.erase(&function);
    if (cuts_ == cutsBefore)
      known_[&function] = operations;
    return operations;
  }

  /// Different bodies of a loop, as it is reached from different calls.
  std::map<const clang::Stmt *, std::vector<Operations>> inLoop;

private:
  Operations children(const clang::Stmt *parent) {
    Operations operations;
    for (const clang::Stmt *part : runningParts(*parent, context_))
      operations.add(statement(part));
    return operations;
  }

  Operations statement(const clang::Stmt *node) {
    if (!node)
      return {};
    if (const auto *expression = dyn_cast<clang::Expr>(node))
      return this->expression(expression);
    if (const auto *branch = dyn_cast<clang::IfStmt>(node)) {
      if (neverRuns(*branch, context_))
        return children(branch);
      Operations operations = statement(branch->getCond());
      operations.add(trace::choiceOf({statement(branch->getThen()), statement(branch->getElse())}));
      return operations;
    }
    if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(node))
      return loop(node);
    return children(node);
  }

  Operations loop(const clang::Stmt *node) {
    Operations before;
    Operations body;
    body.add({OperationKind::Iterate, ValueType::Other, {}});
    if (const auto *counted = dyn_cast<clang::ForStmt>(node)) {
      before = statement(counted->getInit());
      body.add(statement(counted->getBody()));
    } else if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(node)) {
      body.add(statement(range->getBody()));
    } else {
      body.add(children(node));
    }
    if (!isCounted_(*node)) {
      before.add(body, constantTrips(*node, context_).value_or(1));
      return before;
    }
    if (std::vector<Operations> &known = inLoop[node];
        std::ranges::find(known, body) == known.end())
      known.push_back(std::move(body));
    return before;
  }

  Operations expression(const clang::Expr *node) {
    node = node->IgnoreParens();
    if (!node->isValueDependent() && node->isEvaluatable(context_))
      return {}; // a constant
    if (neverRuns(*node, context_))
      return children(node);
    if (isRecordAccess(node)) {
      Operations operations = indices(cast<clang::MemberExpr>(node));
      if (isOfVariable(node)) // a vector's are one access together
        operations.add({OperationKind::Access, valueTypeOf(node->getType()), {}},
                       vectorsOf(node->getType(), recordAround(node)));
      return operations;
    }
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(node)) {
      Operations operations = children(binary);
      addOperation(*binary, operations);
      return operations;
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(node))
      return this->unary(*unary);
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(node))
      return this->subscript(*subscript);
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(node)) {
      Operations operations = expression(choice->getCond());
      operations.add({OperationKind::Select, valueTypeOf(choice->getType()), {}});
      operations.add(
          trace::choiceOf({expression(choice->getTrueExpr()), expression(choice->getFalseExpr())}));
      return operations;
    }
    if (const auto *call = dyn_cast<clang::CallExpr>(node))
      return this->call(*call);
    if (const auto *conversion = dyn_cast<clang::CastExpr>(node)) {
      Operations operations = expression(conversion->getSubExpr());
      if (conversion->getCastKind() == clang::CK_IntegralToFloating ||
          conversion->getCastKind() == clang::CK_FloatingToIntegral ||
          conversion->getCastKind() == clang::CK_FloatingCast)
        operations.add(
            {OperationKind::Convert, valueTypeOf(conversion->getSubExpr()->getType()), {}});
      return operations;
    }
    if (isa<clang::UnaryExprOrTypeTraitExpr, clang::LambdaExpr>(node))
      return {};
    return children(node);
  }

  Operations unary(const clang::UnaryOperator &operation) {
    Operations operations = expression(operation.getSubExpr());
    const ValueType type = valueTypeOf(operation.getType());
    if (operation.getOpcode() == clang::UO_Deref) {
      if (!operation.getType()->isRecordType())
        operations.add({OperationKind::Access, type, {}});
    } else if (operation.isIncrementDecrementOp()) {
      operations.add({OperationKind::Step, type, {}});
    }
    return operations;
  }

  Operations subscript(const clang::ArraySubscriptExpr &subscript) {
    const clang::Expr *base = subscript.getBase()->IgnoreParenImpCasts();
    const bool isOfRecord = isRecordAccess(base); // `p[i].values[k]`
    Operations operations = expression(subscript.getBase());
    operations.add(expression(subscript.getIdx()));
    // A row of an array of arrays is an address.
    if (!isOfRecord && !subscript.getType()->isRecordType() && !subscript.getType()->isArrayType())
      operations.add({OperationKind::Access, valueTypeOf(subscript.getType()), {}});
    else if (subscript.getType()->isRecordType() && isOfVariable(&subscript))
      operations.add({OperationKind::Access, ValueType::Other, {}},
                     vectorsOf(subscript.getType(), subscript.getType()));
    return operations;
  }

  /// Accesses that an object takes, as a part of one that is aligned as `around`.
  [[nodiscard]] double vectorsOf(clang::QualType type, clang::QualType around) const {
    const auto bytes = context_.getTypeSizeInChars(type).getQuantity();
    const auto aligned = context_.getTypeAlignInChars(around).getQuantity();
    return static_cast<double>(bytes) / static_cast<double>(aligned);
  }

  /// Of `a[i].b.c`, the type of `a[i]`.
  [[nodiscard]] static clang::QualType recordAround(const clang::Expr *part) {
    while (const auto *member = dyn_cast<clang::MemberExpr>(part->IgnoreParenImpCasts()))
      part = member->getBase();
    return part->IgnoreParenImpCasts()->getType();
  }

  /// What the subscripts in front of a field compute.
  Operations indices(const clang::MemberExpr *member) {
    const clang::Expr *base = member->getBase()->IgnoreParenImpCasts();
    if (isRecordAccess(base))
      return indices(cast<clang::MemberExpr>(base));
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(base))
      return expression(subscript->getIdx());
    return {};
  }

  void addOperation(const clang::BinaryOperator &binary, Operations &operations) const {
    const clang::QualType type = binary.getLHS()->getType();
    const clang::BinaryOperatorKind kind =
        binary.isCompoundAssignmentOp()
            ? clang::BinaryOperator::getOpForCompoundAssignment(binary.getOpcode())
            : binary.getOpcode();
    switch (kind) {
    case clang::BO_Assign:
    case clang::BO_Comma:
      return;
    case clang::BO_Add:
    case clang::BO_Sub: {
      const bool ofProduct =
          type->isFloatingType() && (isProduct(binary.getLHS()) || isProduct(binary.getRHS()));
      return operations.add(
          {ofProduct ? OperationKind::AddProduct : OperationKind::Add, valueTypeOf(type), {}});
    }
    case clang::BO_Mul:
      return operations.add({OperationKind::Multiply, valueTypeOf(type), {}});
    case clang::BO_Div:
    case clang::BO_Rem: {
      const bool byConstant = !type->isFloatingType() && !binary.getRHS()->isValueDependent() &&
                              binary.getRHS()->isEvaluatable(context_);
      return operations.add({byConstant ? OperationKind::DivideByConstant : OperationKind::Divide,
                             valueTypeOf(type),
                             {}});
    }
    default:
      return operations.add({OperationKind::Logic, valueTypeOf(type), {}});
    }
  }

  static bool isProduct(const clang::Expr *expression) {
    const auto *binary = dyn_cast<clang::BinaryOperator>(expression->IgnoreParenImpCasts());
    return binary && binary->getOpcode() == clang::BO_Mul;
  }

  Operations call(const clang::CallExpr &call) {
    Operations operations;
    for (const clang::Expr *argument : call.arguments())
      operations.add(expression(argument));
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee) {
      operations.add({OperationKind::Call, ValueType::Other, {}});
      return operations;
    }
    const clang::SourceManager &sources = context_.getSourceManager();
    const clang::FunctionDecl *definition = callee->getDefinition();
    if (definition && definition->hasBody() && !sources.isInSystemHeader(definition->getLocation()))
      operations.add(function(*definition));
    else
      operations.add({OperationKind::Call, valueTypeOf(callee->getReturnType()),
                      callee->getDeclName().isIdentifier() ? callee->getName().str() : ""});
    return operations;
  }

  clang::ASTContext &context_;
  const LoopTest &isCounted_;
  std::set<const clang::FunctionDecl *> path_;
  std::map<const clang::FunctionDecl *, Operations> known_; ///< where no call was cut off
  unsigned cuts_ = 0;                                       ///< calls of functions in path_
};

} // namespace

OperationCounts countOperations(const clang::FunctionDecl &function, clang::ASTContext &context,
                                const LoopTest &isCounted) {
  Counter counter(context, isCounted);
  OperationCounts counts;
  counts.outside = counter.function(function);
  for (auto &[loop, bodies] : counter.inLoop)
    counts.inLoop[loop] = trace::choiceOf(std::move(bodies));
  return counts;
}

} // namespace relayout::instrument
