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

  bool TraverseFunctionDecl(clang::FunctionDecl *function) override {
    const std::optional<std::string> around = caller_;
    const clang::FunctionDecl *const outer = function_;
    if (const std::string symbol = writtenSymbol(unit_, function); functions_.contains(symbol))
      caller_ = symbol;
    function_ = function;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
    caller_ = around;
    function_ = outer;
    return goesOn;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const auto *name = dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    const clang::FunctionDecl *callee = name ? call->getDirectCallee() : nullptr;
    if (!callee)
      return true;
    const std::string symbol = writtenSymbol(unit_, callee);
    const auto function = functions_.find(symbol);
    if (function == functions_.end())
      return true;
    called_.insert(name);
    const std::optional<TypePlace> place = filePlace(unit_, name->getLocation());
    if (!place)
      return stop(function->second, "a macro calls it", name->getLocation());
    NamedCall &known = calls_
                           .try_emplace(*place, NamedCall{symbol,
                                                          caller_,
                                                          {},
                                                          {},
                                                          function_ && isOfDevice(*function_),
                                                          unit_.place(name->getLocation())})
                           .first->second;
    if (known.callee != symbol)
      return stop(function->second, "a template calls it or others", name->getLocation());
    for (const auto &[i, parameter] : function->second.parameters)
      if (i < call->getNumArgs())
        add(*call->getArg(i), known.arguments[i]);
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
  const clang::FunctionDecl *function_ = nullptr; ///< around
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

/// What a call gives the parameters that tell the function from its copy; what depends on whether
/// the caller is a copy is left out.
GivenMemory givenBy(const NamedCall &call, const SharedFunctions &functions) {
  GivenMemory given;
  const SharedFunction &callee = functions.at(call.callee);
  for (const auto &[i, argument] : call.arguments) {
    if (!callee.servesBothWith(i))
      continue;
    given.add(argument.memory);
    for (const auto &[name, of] : argument.parameters) {
      const SharedFunction &function = functions.at(name);
      const auto known = function.givenTo.find(of);
      if (known != function.givenTo.end() && !(call.caller == name && function.servesBothWith(of)))
        given.add(known->second);
    }
  }
  return given;
}

} // namespace

NamedCalls callsOf(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &apart,
                   SharedFunctions &functions) {
  NamedCalls calls;
  for (std::size_t u = 0; u < units.size(); ++u)
    CallVisitor(*units[u], apart[u], functions, calls).TraverseAST(units[u]->ast());
  leaveMixedParameters(functions, calls);
  spreadMemory(functions, calls);
  for (auto &[place, call] : calls) {
    call.given = givenBy(call, functions);
    SharedFunction &callee = functions.at(call.callee);
    if (call.isInDeviceCode && call.given.other && callee.obstacle.empty()) {
      callee.obstacle = "device code gives it other memory than CUDA's";
      callee.obstaclePlace = call.place;
    }
  }
  return calls;
}

} // namespace relayout::instrument
