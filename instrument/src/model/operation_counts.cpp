// SPDX-License-Identifier: Apache-2.0
// Counts the operations of a device function as an unrolling compiler would leave them. The weights
// are instructions that nvcc 13 emits for sm_90 with -O3: counted in SASS, double precision twice
// because it issues at half the rate.
#include "model/operation_counts.h"

#include "model/straight_line.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

constexpr double kFloatDivision = 8;
constexpr double kIntegerDivision = 16;
constexpr double kDivisionByConstant = 4;
constexpr double kUntracedAccess = 2; ///< an address and the access
constexpr double kUnknownCall = 4;
constexpr double kLoopHead = 0.5; ///< increment, test and jump of a loop that is unrolled

double weightOfMath(llvm::StringRef name) {
  name.consume_front("__");
  name.consume_back("f");
  static const std::map<llvm::StringRef, double> kWeights = {
      {"abs", 0},     {"fab", 0},   {"fabs", 0},   {"fmin", 1},  {"fmax", 1},
      {"min", 1},     {"max", 1},   {"fma", 1},    {"floor", 1}, {"ceil", 1},
      {"sqrt", 8},    {"rsqrt", 4}, {"exp", 6},    {"exp2", 3},  {"log", 10},
      {"log2", 8},    {"pow", 40},  {"sin", 20},   {"cos", 20},  {"sincos", 30},
      {"tan", 30},    {"atan", 16}, {"atan2", 24}, {"tanh", 16}, {"expm1", 8},
      {"log1p", 12},  {"cbrt", 12}, {"hypot", 16}, {"fmod", 24}, {"syncthreads", 1},
      {"syncwarp", 1}};
  if (const auto found = kWeights.find(name); found != kWeights.end())
    return found->second;
  if (name.starts_with("shfl") || name.starts_with("ballot") || name.starts_with("float_as") ||
      name.starts_with("int_as") || name.starts_with("popc") || name.starts_with("clz"))
    return 1;
  return kUnknownCall;
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

bool touchesRecords(const clang::Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *expression = dyn_cast<clang::Expr>(statement);
      expression && isRecordAccess(expression))
    return true;
  return std::ranges::any_of(statement->children(), touchesRecords);
}

class Counter {
public:
  explicit Counter(clang::ASTContext &context) : context_(context) {}

  /// \returns  what stands outside the loops that get a count of their own
  double function(const clang::FunctionDecl &function) {
    if (!function.hasBody() || !path_.insert(&function).second)
      return 0; // calls itself
    const double count = statement(function.getBody());
    path_.erase(&function);
    return count;
  }

  std::map<const clang::Stmt *, double> inLoop;

private:
  double children(const clang::Stmt *parent) {
    double count = 0;
    for (const clang::Stmt *part : runningParts(*parent, context_))
      count += statement(part);
    return count;
  }

  double statement(const clang::Stmt *node) {
    if (!node)
      return 0;
    if (const auto *expression = dyn_cast<clang::Expr>(node))
      return this->expression(expression);
    if (const auto *branch = dyn_cast<clang::IfStmt>(node)) {
      if (neverRuns(*branch, context_))
        return children(branch);
      return statement(branch->getCond()) +
             std::max(statement(branch->getThen()), statement(branch->getElse()));
    }
    if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(node))
      return loop(node);
    return children(node);
  }

  double loop(const clang::Stmt *node) {
    double before = 0;
    double body = kLoopHead;
    if (const auto *counted = dyn_cast<clang::ForStmt>(node)) {
      before = statement(counted->getInit());
      body += statement(counted->getBody());
    } else if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(node)) {
      body += statement(range->getBody());
    } else {
      body += children(node);
    }
    if (!touchesRecords(node))
      return before + body * constantTurns(*node, context_).value_or(1);
    double &known = inLoop[node];
    known = std::max(known, body);
    return before;
  }

  static double rateOf(clang::QualType type) {
    return type->isSpecificBuiltinType(clang::BuiltinType::Double) ? 2 : 1;
  }

  double expression(const clang::Expr *node) {
    node = node->IgnoreParens();
    if (!node->isValueDependent() && node->isEvaluatable(context_))
      return 0; // a constant
    if (neverRuns(*node, context_))
      return children(node);
    if (isRecordAccess(node))
      return indices(cast<clang::MemberExpr>(node));
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(node))
      return children(binary) + operation(*binary);
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(node)) {
      const double inner = expression(unary->getSubExpr());
      if (unary->getOpcode() == clang::UO_Deref)
        return inner + (unary->getType()->isRecordType() ? 0 : kUntracedAccess);
      return inner + (unary->isIncrementDecrementOp() ? 1 : 0);
    }
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(node)) {
      const clang::Expr *base = subscript->getBase()->IgnoreParenImpCasts();
      const bool isOfRecord = isRecordAccess(base); // `p[i].values[k]`
      const double inner = expression(subscript->getBase()) + expression(subscript->getIdx());
      // A row of an array of arrays is an address.
      const bool isAccess = !isOfRecord && !subscript->getType()->isRecordType() &&
                            !subscript->getType()->isArrayType();
      return inner + (isAccess ? kUntracedAccess : 0);
    }
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(node))
      return 1 + expression(choice->getCond()) +
             std::max(expression(choice->getTrueExpr()), expression(choice->getFalseExpr()));
    if (const auto *call = dyn_cast<clang::CallExpr>(node))
      return this->call(*call);
    if (const auto *conversion = dyn_cast<clang::CastExpr>(node))
      return expression(conversion->getSubExpr()) +
             (conversion->getCastKind() == clang::CK_IntegralToFloating ||
                      conversion->getCastKind() == clang::CK_FloatingToIntegral ||
                      conversion->getCastKind() == clang::CK_FloatingCast
                  ? 1
                  : 0);
    if (isa<clang::UnaryExprOrTypeTraitExpr, clang::LambdaExpr>(node))
      return 0;
    return children(node);
  }

  /// What the subscripts in front of a field compute.
  double indices(const clang::MemberExpr *member) {
    const clang::Expr *base = member->getBase()->IgnoreParenImpCasts();
    if (isRecordAccess(base))
      return indices(cast<clang::MemberExpr>(base));
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(base))
      return expression(subscript->getIdx());
    return 0;
  }

  double operation(const clang::BinaryOperator &binary) const {
    const clang::QualType type = binary.getLHS()->getType();
    const double rate = rateOf(type);
    const clang::BinaryOperatorKind kind =
        binary.isCompoundAssignmentOp()
            ? clang::BinaryOperator::getOpForCompoundAssignment(binary.getOpcode())
            : binary.getOpcode();
    switch (kind) {
    case clang::BO_Assign:
    case clang::BO_Comma:
      return 0;
    case clang::BO_Add:
    case clang::BO_Sub:
      // A product that is added or subtracted is part of the same instruction.
      return type->isFloatingType() && (isProduct(binary.getLHS()) || isProduct(binary.getRHS()))
                 ? 0
                 : rate;
    case clang::BO_Div:
    case clang::BO_Rem: {
      const bool byConstant =
          !binary.getRHS()->isValueDependent() && binary.getRHS()->isEvaluatable(context_);
      if (type->isFloatingType())
        return rate * (rate > 1 ? 1.5 : 1) * kFloatDivision;
      return byConstant ? kDivisionByConstant : kIntegerDivision;
    }
    default:
      return rate;
    }
  }

  static bool isProduct(const clang::Expr *expression) {
    const auto *binary = dyn_cast<clang::BinaryOperator>(expression->IgnoreParenImpCasts());
    return binary && binary->getOpcode() == clang::BO_Mul;
  }

  double call(const clang::CallExpr &call) {
    double count = 0;
    for (const clang::Expr *argument : call.arguments())
      count += expression(argument);
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee)
      return count + kUnknownCall;
    const llvm::StringRef name =
        callee->getDeclName().isIdentifier() ? callee->getName() : llvm::StringRef();
    const clang::SourceManager &sources = context_.getSourceManager();
    const clang::FunctionDecl *definition = callee->getDefinition();
    if (definition && definition->hasBody() && !sources.isInSystemHeader(definition->getLocation()))
      return count + function(*definition);
    return count + weightOfMath(name) * (rateOf(callee->getReturnType()) > 1 ? 3 : 1);
  }

  clang::ASTContext &context_;
  std::set<const clang::FunctionDecl *> path_;
};

} // namespace

OperationCounts countOperations(const clang::FunctionDecl &function, clang::ASTContext &context) {
  Counter counter(context);
  OperationCounts counts;
  counts.outside = counter.function(function);
  counts.inLoop = std::move(counter.inLoop);
  return counts;
}

} // namespace relayout::instrument
