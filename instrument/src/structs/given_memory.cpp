// SPDX-License-Identifier: Apache-2.0
// Follows what calls give through the parameters of their callers.
#include "structs/given_memory.h"

#include "model/referents.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

using clang::dyn_cast;

bool isOfDevice(const clang::FunctionDecl &function) {
  return function.hasAttr<clang::CUDAGlobalAttr>() || function.hasAttr<clang::CUDADeviceAttr>();
}

std::string writtenSymbol(const ParsedUnit &unit, const clang::FunctionDecl *function) {
  return symbolOf(unit, patternOf(function));
}

namespace {

/// The calls in one unit, by the flow through which their arguments do not join.
class CallVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  CallVisitor(ParsedUnit &unit, const ArrayFlow &apart, SharedFunctions &functions,
              NamedCalls &calls)
      : unit_(unit), apart_(apart), functions_(functions), calls_(calls) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (!function)
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    const std::optional<std::string> around = caller_;
    const bool wasInDeviceCode = isInDeviceCode_;
    if (const std::string symbol = writtenSymbol(unit_, function); functions_.contains(symbol))
      caller_ = symbol;
    isInDeviceCode_ = isOfDevice(*function);
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    caller_ = around;
    isInDeviceCode_ = wasInDeviceCode;
    return goesOn;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    const bool wasInDeviceCode = isInDeviceCode_;
    isInDeviceCode_ |=
        std::ranges::any_of(lambda->getCallOperator()->attrs(), [](const clang::Attr *attribute) {
          return clang::isa<clang::CUDADeviceAttr>(attribute) && !attribute->isImplicit();
        });
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    isInDeviceCode_ = wasInDeviceCode;
    return goesOn;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::Expr *callees = call->getCallee()->IgnoreParenImpCasts();
    const auto *name = dyn_cast<clang::DeclRefExpr>(callees);
    const auto *member = dyn_cast<clang::MemberExpr>(callees);
    const clang::FunctionDecl *callee = name || member ? call->getDirectCallee() : nullptr;
    if (!callee)
      return true;
    const std::string symbol = writtenSymbol(unit_, callee);
    const auto function = functions_.find(symbol);
    if (function == functions_.end())
      return true;
    if (name)
      called_.insert(name);
    const clang::SourceLocation where = name ? name->getLocation() : member->getMemberLoc();
    const std::optional<TypePlace> place = filePlace(unit_, where);
    if (!place) {
      for (const auto &[i, parameter] : function->second.parameters)
        if (i < call->getNumArgs()) {
          Argument argument;
          add(*call->getArg(i), argument);
          function->second.givenTo[i].add(argument.memory);
        }
      return stop(function->second, "a macro calls it", where);
    }
    NamedCall &known =
        calls_
            .try_emplace(*place,
                         NamedCall{symbol, caller_, {}, isInDeviceCode_, unit_.place(where)})
            .first->second;
    known.isInDeviceCode |= isInDeviceCode_;
    if (known.callee != symbol)
      return stop(function->second, "a template calls it or others", where);
    for (const auto &[i, parameter] : function->second.parameters)
      if (i < call->getNumArgs()) {
        add(*call->getArg(i), known.arguments[i]);
        function->second.mayBeOverloaded &= hasType(*call->getArg(i));
      }
    return true;
  }

  /// A function whose address is taken may be called from anywhere.
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(name->getDecl());
        function && !called_.contains(name))
      if (const auto found = functions_.find(writtenSymbol(unit_, function));
          found != functions_.end())
        stop(found->second, "it is used as a value", name->getLocation());
    return true;
  }

  /// A using-declaration names one function, whose copies stay hidden.
  bool VisitUsingDecl(clang::UsingDecl *names) override {
    for (const clang::UsingShadowDecl *shadow : names->shadows()) {
      const clang::NamedDecl *named = shadow->getTargetDecl();
      if (const auto *written = dyn_cast<clang::FunctionTemplateDecl>(named))
        named = written->getTemplatedDecl();
      const auto *function = dyn_cast<clang::FunctionDecl>(named);
      const auto found =
          function ? functions_.find(writtenSymbol(unit_, function)) : functions_.end();
      if (found != functions_.end())
        stop(found->second, "a using-declaration names it", names->getLocation());
    }
    return true;
  }

  // A copy would have variables, and a name, of its own.
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (caller_ && variable->isStaticLocal())
      stop(functions_.at(*caller_), "it has a static variable", variable->getLocation());
    return true;
  }
  bool VisitPredefinedExpr(clang::PredefinedExpr *name) override {
    const clang::SourceManager &sources = unit_.sources();
    const bool isUsers =
        unit_.isUserFile(sources.getFileID(sources.getSpellingLoc(name->getLocation())));
    if (caller_ && isUsers)
      stop(functions_.at(*caller_), "it uses its own name", name->getLocation());
    return true;
  }

private:
  void add(const clang::Expr &given, Argument &argument) const {
    Referent referent;
    resolve(&given, referent);
    argument.memory.add(referent.origins);
    for (const clang::ValueDecl *declaration : referent.declarations) {
      const trace::Index group = apart_.groupOf(declaration);
      if (group == trace::kNone)
        continue;
      argument.memory.add(apart_.groups()[group].origins);
      for (const clang::ValueDecl *other : apart_.groups()[group].declarations) {
        const auto *parameter = dyn_cast<clang::ParmVarDecl>(other);
        const auto *function =
            parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
        if (!function)
          continue;
        if (std::string symbol = writtenSymbol(unit_, function); functions_.contains(symbol))
          argument.parameters.emplace(std::move(symbol), parameter->getFunctionScopeIndex());
      }
    }
  }

  /// Null and `{}` become any pointer.
  bool hasType(const clang::Expr &given) const {
    const clang::Expr *bare = &given;
    if (const auto *unwritten = dyn_cast<clang::CXXDefaultArgExpr>(bare))
      bare = unwritten->getExpr();
    bare = bare->IgnoreParenCasts();
    return !clang::isa<clang::InitListExpr, clang::ImplicitValueInitExpr>(bare) &&
           !bare->isNullPointerConstant(unit_.ast(), clang::Expr::NPC_ValueDependentIsNull);
  }

  bool stop(SharedFunction &function, const char *why, clang::SourceLocation where) const {
    function.obstacle = why;
    function.obstaclePlace = unit_.place(where);
    return true;
  }

  ParsedUnit &unit_;
  const ArrayFlow &apart_;
  SharedFunctions &functions_;
  NamedCalls &calls_;
  std::optional<std::string> caller_;
  bool isInDeviceCode_ = false;
  std::set<const clang::DeclRefExpr *> called_;
};

/// A parameter to which one call gives memory of both kinds stays as it is in a function that
/// others tell apart.
void leaveMixedParameters(SharedFunctions &functions, const NamedCalls &calls) {
  std::map<std::string, std::set<unsigned>> mixed;
  for (const auto &[place, call] : calls)
    for (const auto &[i, argument] : call.arguments)
      if (argument.memory.isBoth())
        mixed[call.callee].insert(i);
  for (auto &[symbol, function] : functions)
    if (mixed[symbol].size() < function.parameters.size())
      for (const unsigned i : mixed[symbol])
        function.parameters.erase(i);
}

/// Which memory each parameter is given by all calls.
void spreadMemory(SharedFunctions &functions, const NamedCalls &calls) {
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto &[place, call] : calls) {
      SharedFunction &callee = functions.at(call.callee);
      for (const auto &[i, argument] : call.arguments) {
        if (!callee.parameters.contains(i))
          continue;
        GivenMemory &given = callee.givenTo[i];
        const GivenMemory before = given;
        given.add(argument.memory);
        for (const auto &[function, of] : argument.parameters)
          given.add(functions.at(function).givenTo[of]);
        changes |= given.cuda != before.cuda || given.other != before.other;
      }
    }
  }
}

} // namespace

NamedCalls callsOf(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &apart,
                   SharedFunctions &functions) {
  NamedCalls calls;
  for (std::size_t u = 0; u < units.size(); ++u)
    CallVisitor(*units[u], apart[u], functions, calls).TraverseAST(units[u]->ast());
  leaveMixedParameters(functions, calls);
  spreadMemory(functions, calls);
  for (const auto &[place, call] : calls) {
    SharedFunction &callee = functions.at(call.callee);
    const bool isGivenOther =
        call.isInDeviceCode && std::ranges::any_of(call.arguments, [&](const auto &argument) {
          return callee.plain.contains(argument.first) && callee.servesBothWith(argument.first) &&
                 argument.second.memory.other;
        });
    if (isGivenOther && callee.obstacle.empty()) {
      callee.obstacle = "device code gives it other memory than CUDA's";
      callee.obstaclePlace = call.place;
    }
  }
  return calls;
}

} // namespace relayout::instrument
