// SPDX-License-Identifier: Apache-2.0
// The code of one unit through which pointers to records flow: initialisers, assignments,
// arguments, and what functions return.
#include "model/flow_reader.h"

#include "model/algorithm_flow.h"
#include "model/allocation_flow.h"
#include "model/container_flow.h"
#include "model/functions_as_values.h"
#include "model/owner_flow.h"
#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/function_pointers.h"
#include "relayout/instrument/clang/launches_by_call.h"
#include "relayout/instrument/clang/library_algorithms.h"
#include "relayout/instrument/clang/listed_members.h"
#include "relayout/instrument/clang/listed_range.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/pointer_owners.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "relayout/instrument/clang/start_values.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

class FlowVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  FlowVisitor(ParsedUnit &unit, const std::set<std::string> &apart,
              const FunctionsThatFillIn &definitions, FlowGraph &graph)
      : unit_(unit), ast_(unit.ast()), apart_(apart), graph_(graph),
        allocations_(unit, definitions, graph), owned_(ownedPointers(ast_)) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseNamespaceDecl(clang::NamespaceDecl *space) override {
    return (holdsAlgorithms(*space) && !graph_.isUserLocation(space->getLocation())) ||
           clang::DynamicRecursiveASTVisitor::TraverseNamespaceDecl(space);
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (!graph_.add(variable))
      return true;
    // An array of records is memory of its own; an array of pointers is not.
    if (const clang::ArrayType *array = variable->getType()->getAsArrayTypeUnsafe();
        array && !ast_.getBaseElementType(array)->isPointerType()) {
      Referent itself;
      addVariableOrigin(variable, itself);
      graph_.addOrigins(variable, itself.origins, variable->getLocation());
    }
    if (const clang::VarDecl *pattern = sharedPattern(*variable))
      graph_.join(variable, pattern);
    if (variable->hasInit() && !isArrayVariable(*variable) && !startsWithUnusedMemory(*variable))
      graph_.flow(variable, variable->getInit());
    return true;
  }

  /// A range-based `for` hides its pointers in variables that are not visited as such.
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *loop) override {
    if (const clang::InitListExpr *listed = listedRange(*loop)) {
      const clang::ValueDecl *variable = loop->getLoopVariable();
      graph_.add(variable);
      for (const clang::Expr *pointer : listed->inits())
        graph_.flow(variable, pointer);
      return true;
    }
    for (clang::DeclStmt *hidden : {loop->getRangeStmt(), loop->getBeginStmt()})
      if (auto *variable = hidden ? dyn_cast<clang::VarDecl>(hidden->getSingleDecl()) : nullptr;
          variable && (variable->getType()->isPointerType() ||
                       variable->getType().getNonReferenceType()->isArrayType() ||
                       isPointerContainer(variable->getType())))
        VisitVarDecl(variable);
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) override {
    if (graph_.add(field) && field->hasInClassInitializer() && field->getInClassInitializer())
      graph_.flow(field, field->getInClassInitializer());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    graph_.add(function);
    if (function->doesThisDeclarationHaveABody() && !isOfOwner(function->getLocation(), *function))
      joinReturns(function, function->getBody());
    if (const auto *method = dyn_cast<clang::CXXMethodDecl>(function))
      for (const clang::CXXMethodDecl *base : method->overridden_methods()) {
        graph_.join(function, base);
        for (unsigned i = 0; i != function->getNumParams(); ++i)
          graph_.join(function->getParamDecl(i), base->getParamDecl(i));
      }
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    graph_.add(lambda->getCallOperator());
    joinReturns(lambda->getCallOperator(), lambda->getBody());
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer())
        graph_.flow(initialiser->getMember(), initialiser->getInit());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *assignment) override {
    if (assignment->getOpcode() != clang::BO_Assign ||
        !assignment->getLHS()->getType()->isPointerType() ||
        !recordTypeOf(assignment->getLHS()->getType()).record || assignedUnusedMemory(*assignment))
      return true;
    Referent left;
    resolve(assignment->getLHS(), left);
    for (const clang::ValueDecl *declaration : left.declarations)
      graph_.flow(declaration, assignment->getRHS());
    return true;
  }

  /// `(isNear ? a[i] : b[i]).x`
  bool VisitConditionalOperator(clang::ConditionalOperator *choice) override {
    const clang::Expr *first = arrayOf(*choice->getTrueExpr());
    const clang::Expr *second = arrayOf(*choice->getFalseExpr());
    if (choice->isGLValue() && choice->getType()->isRecordType() && first && second)
      joinExpressions(first, second);
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr *list) override {
    giveListedMembers(*list, [this](clang::FieldDecl *field, const clang::Expr *value) {
      graph_.flow(field, value);
    });
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    const llvm::ArrayRef<const clang::Expr *> arguments(construction->getArgs(),
                                                        construction->getNumArgs());
    if (isOfOwner(construction->getLocation(), *construction->getConstructor()))
      return true;
    joinOwners(*construction->getConstructor(), arguments, graph_);
    joinArguments(construction->getConstructor(), arguments);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const std::string name = calleeName(call);
    if (isOneOf(standardName(call), {"swap", "exchange"}) && call->getNumArgs() == 2)
      joinExpressions(call->getArg(0), call->getArg(1));
    else if (const std::optional<LaunchByCall> launch = launchByCall(*call))
      joinLaunch(*launch);
    else if (!allocations_.note(name, *call)) {
      joinCopiedPointers(name, *call);
      joinCall(call);
    }
    return true;
  }

  /// A pointer may lead to every function of its type.
  /// \returns  the parameters of the first pointer of each type
  std::vector<std::pair<std::string, const clang::ValueDecl *>> joinPointersToFunctions() {
    std::vector<std::pair<std::string, const clang::ValueDecl *>> ofPointers;
    for (const auto &[type, written] : functionsAsValues().written()) {
      const auto join = [&, &first = written.front()](FunctionsAsValues::Parameters others) {
        for (std::size_t i = 0; i < first.size() && i < others.size(); ++i)
          graph_.join(first[i], others[i]);
      };
      for (const FunctionsAsValues::Parameters &others : written)
        join(others);
      for (const clang::FunctionDecl *function :
           functionsAsValues().ofType(ast_.getPointerType(type)))
        join(function->parameters());
      for (std::size_t i = 0; i < written.front().size(); ++i)
        ofPointers.emplace_back(fmt::format("{}#{}", type.getAsString(), i), written.front()[i]);
    }
    return ofPointers;
  }

private:
  /// The pointer to the array of which an expression is an element; null for others, and for
  /// arrays in variables, which are memory of their own.
  static const clang::Expr *arrayOf(const clang::Expr &element) {
    const clang::Expr *bare = element.IgnoreParenImpCasts();
    const auto *unary = dyn_cast<clang::UnaryOperator>(bare);
    const clang::Expr *pointer = nullptr;
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(bare))
      pointer = subscript->getBase();
    else if (unary && unary->getOpcode() == clang::UO_Deref)
      pointer = unary->getSubExpr();
    return pointer && !pointer->IgnoreParenImpCasts()->getType()->isArrayType() ? pointer : nullptr;
  }

  /// The variable of a template that declares this array in shared memory, whose extent may be one
  /// of its parameters; null for others.
  static const clang::VarDecl *sharedPattern(const clang::VarDecl &variable) {
    const auto *function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    const clang::FunctionDecl *pattern =
        function && isSharedArray(variable) ? function->getTemplateInstantiationPattern() : nullptr;
    return pattern ? declaredAt(*pattern->getBody(), variable.getLocation()) : nullptr;
  }

  /// `cudaMemcpy(&rows[i], &row, sizeof(R *), …)`: both may hold the same pointer. So may the
  /// pointer in device memory that `cudaMemcpyToSymbol(symbol, &row, sizeof(R *))` names.
  void joinCopiedPointers(const std::string &name, const clang::CallExpr &call) {
    const CudaCall *known = cudaCallNamed(name);
    if (!known || known->kind != CudaCallKind::Copy || call.getNumArgs() < 2)
      return;
    const clang::Expr *to = call.getArg(0)->IgnoreParenCasts();
    const clang::Expr *from = call.getArg(1)->IgnoreParenCasts();
    const RecordType copied = recordTypeOf(to->getType());
    if (!copied.record || copied.record != recordTypeOf(from->getType()).record ||
        !holdsPointers(*to, *known, 0) || !holdsPointers(*from, *known, 1))
      return;
    Referent target;
    resolve(to, target);
    for (const clang::ValueDecl *declaration : target.declarations)
      graph_.flow(declaration, from);
  }

  /// Whether an argument of a copy leads to pointers, or is the name of one in device memory.
  bool holdsPointers(const clang::Expr &argument, const CudaCall &copy, unsigned position) const {
    return leadsToPointers(argument.getType()) ||
           (copy.symbolPosition() == position && argument.getType()->isPointerType());
  }

  /// Of pointers to pointers, and arrays of pointers.
  bool leadsToPointers(clang::QualType type) const {
    if (type->isPointerType())
      type = type->getPointeeType();
    else if (!type->isArrayType())
      return false;
    return ast_.getBaseElementType(type)->isPointerType();
  }

  void joinExpressions(const clang::Expr *a, const clang::Expr *b) {
    if (!recordTypeOf(a->getType()).record ||
        !(a->getType()->isPointerType() || isPointerContainer(a->getType())))
      return;
    Referent left;
    resolve(a, left);
    for (const clang::ValueDecl *declaration : left.declarations)
      graph_.flow(declaration, b);
  }

  void joinReturns(const clang::FunctionDecl *function, const clang::Stmt *statement) {
    if (!statement || !graph_.add(function))
      return;
    if (const auto *ret = dyn_cast<clang::ReturnStmt>(statement)) {
      if (ret->getRetValue())
        graph_.flow(function, ret->getRetValue());
      return;
    }
    if (isa<clang::LambdaExpr>(statement))
      return;
    for (const clang::Stmt *child : statement->children())
      joinReturns(function, child);
  }

  /// A function of the program's, or of an object of the library's that owns an array.
  bool isFollowed(const clang::FunctionDecl &callee) const {
    return graph_.isUserLocation(callee.getLocation()) || ownedByObjectOf(callee);
  }

  /// A place in the library where an object that owns an array works on its pointer, or calls its
  /// deleter: what the object is given is known where the program gives it.
  bool isOfOwner(clang::SourceLocation place, const clang::FunctionDecl &function) const {
    return !graph_.isUserLocation(place) && (ownedByObjectOf(function) || isDeleter(function));
  }

  /// What a deleter of such an object calls.
  bool isDeleter(const clang::FunctionDecl &function) const {
    return function.getNumParams() == 1 &&
           std::ranges::any_of(owned_, [&](const clang::ParmVarDecl *owned) {
             return canonical(owned) == canonical(function.getParamDecl(0));
           });
  }

  void joinArguments(const clang::FunctionDecl *callee,
                     llvm::ArrayRef<const clang::Expr *> arguments) {
    // A copy that the compiler writes is a copy: nothing points anywhere afterwards.
    if (!callee || !isFollowed(*callee) || callee->isImplicit() || callee->isDefaulted())
      return;
    joinArguments(callee->parameters(), arguments);
  }

  void joinArguments(llvm::ArrayRef<clang::ParmVarDecl *> parameters,
                     llvm::ArrayRef<const clang::Expr *> arguments) {
    for (std::size_t i = 0; i < arguments.size() && i < parameters.size(); ++i) {
      const clang::ParmVarDecl *parameter = parameters[i];
      if (isVectorReference(*parameter))
        continue;
      const bool isReference = parameter->getType()->isLValueReferenceType() &&
                               !parameter->getType()->getPointeeType()->isPointerType() &&
                               !isPointerContainer(parameter->getType());
      if (alwaysTakesValue(*parameter))
        graph_.addLookup(parameter, arguments[i]);
      else if (isReference)
        graph_.addBinding(parameter, arguments[i]);
      else
        graph_.flow(parameter, arguments[i]);
    }
  }

  void joinCall(const clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    llvm::ArrayRef<const clang::Expr *> arguments(call->getArgs(), call->getNumArgs());
    // The object of an overloaded operator that is a member stands first among the arguments.
    if (isa<clang::CXXOperatorCallExpr>(call) && callee && dyn_cast<clang::CXXMethodDecl>(callee) &&
        !arguments.empty())
      arguments = arguments.drop_front();
    if (callee && isOfOwner(call->getExprLoc(), *callee))
      return;
    joinChanged(*call, graph_);
    joinHeld(*call, graph_);
    if (callee)
      joinOwners(*callee, {call->getArgs(), call->getNumArgs()}, graph_);
    if (callee && isFollowed(*callee)) {
      if (!apart_.empty() && apart_.contains(symbolOf(unit_, patternOf(callee))))
        return;
      allocations_.noteFilledIn(*callee, arguments, call->getExprLoc());
      return joinArguments(callee, arguments);
    }
    if (callee || call->isTypeDependent())
      return;
    if (const auto parameters = writtenParameters(*call->getCallee()); !parameters.empty())
      return joinArguments(parameters, arguments);
    if (isa<clang::CUDAKernelCallExpr>(call)) {
      const auto kernels = functionsAsValues().ofType(call->getCallee()->getType());
      for (const clang::FunctionDecl *kernel : kernels)
        joinArguments(kernel, arguments);
      if (!kernels.empty())
        return;
    }
    for (const clang::Expr *argument : arguments) {
      if (!argument->getType()->isPointerType() || !recordTypeOf(argument->getType()).record)
        continue;
      Referent referent;
      resolve(argument, referent);
      for (const clang::ValueDecl *declaration : referent.declarations)
        graph_.addUnknown(declaration, "an argument of a call through a pointer",
                          argument->getExprLoc());
    }
  }

  const FunctionsAsValues &functionsAsValues() {
    if (!functionsAsValues_)
      functionsAsValues_.emplace().TraverseDecl(ast_.getTranslationUnitDecl());
    return *functionsAsValues_;
  }

  void joinLaunch(const LaunchByCall &launch) {
    for (unsigned i = 0; i < launch.arguments.size(); ++i)
      if (launch.arguments[i])
        graph_.flow(launch.kernel->getParamDecl(i), launch.arguments[i]);
  }

  ParsedUnit &unit_;
  const clang::ASTContext &ast_;
  const std::set<std::string> &apart_;
  FlowGraph &graph_;
  AllocationFlow allocations_;
  std::vector<const clang::ParmVarDecl *> owned_; ///< by unique pointers
  std::optional<FunctionsAsValues> functionsAsValues_;
};

} // namespace

UnitFlow readFlow(ParsedUnit &unit, const std::set<std::string> &apart,
                  const FunctionsThatFillIn &definitions) {
  FlowGraph graph(unit);
  FlowVisitor visitor(unit, apart, definitions, graph);
  visitor.TraverseAST(unit.ast());
  auto ofPointers = visitor.joinPointersToFunctions();
  UnitFlow flow = graph.groups();
  flow.ofPointers = std::move(ofPointers);
  return flow;
}

} // namespace relayout::instrument
