// SPDX-License-Identifier: Apache-2.0
// Lowers what CUDA adds to C++: shared memory, device code of one name in several units, launches.
#include "host/copy_notes.h"
#include "host/gpu_arithmetic.h"
#include "host/inline_ptx.h"
#include "host/launch_tokens.h"
#include "host/launches.h"
#include "host/lowering_edits.h"
#include "host/missing_returns.h"
#include "host/steps_of_lanes.h"
#include "host/switch_scopes.h"
#include "model/functions_as_values.h"
#include "parse/array_values.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;
using Index = TokenEdits::Index;

/// Also of a template's call, which may mean several functions.
std::string nameOfCallee(const clang::CallExpr &call) {
  if (const clang::FunctionDecl *callee = call.getDirectCallee())
    return callee->getDeclName().isIdentifier() ? callee->getName().str() : std::string();
  const auto *names = dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParens());
  return names ? names->getName().getAsString() : std::string();
}

/// The C library's, and no function or method of the user's by that name.
bool isOfC(const clang::CallExpr &call) {
  const auto isIt = [](const clang::NamedDecl *named) {
    const auto *function = dyn_cast<clang::FunctionDecl>(named->getUnderlyingDecl());
    return function && function->isExternC();
  };
  if (const clang::FunctionDecl *callee = call.getDirectCallee())
    return isIt(callee);
  const auto *names = dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParens());
  return names && std::ranges::all_of(names->decls(), isIt);
}

class CudaLowering : public clang::DynamicRecursiveASTVisitor {
public:
  CudaLowering(const ReadProgram &program, const RepeatedSymbols &repeated, UnitReading &unit)
      : repeated_(repeated), read_(unit), unit_(*unit.host.unit), edits_(*unit.host.edits),
        policy_(unit_.ast().getLangOpts()), launches_(program, unit) {
    policy_.SuppressTagKeyword = true;
    policy_.FullyQualifiedName = true;
    policy_.SuppressUnwrittenScope = true; // namespaces without a name
  }

  Result<void> run() {
    std::vector<clang::Decl *> written;
    for (clang::Decl *declaration : unit_.ast().getTranslationUnitDecl()->decls()) {
      const clang::SourceManager &sources = unit_.sources();
      const clang::SourceLocation where = sources.getExpansionLoc(declaration->getLocation());
      if (where.isValid() && unit_.isUserFile(sources.getFileID(where)))
        written.push_back(declaration);
    }
    for (clang::Decl *declaration : written)
      functions_.TraverseDecl(declaration);
    for (clang::Decl *declaration : written)
      TraverseDecl(declaration);
    keepLanesInStep(read_, written);
    computeAsOnGpu(read_, written);
    noteCopies(read_);
    if (failure_)
      return tl::unexpected(std::move(*failure_));
    return {};
  }

  bool TraverseFunctionDecl(clang::FunctionDecl *function) override {
    return within(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
    });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *function) override {
    return within(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXMethodDecl(function);
    });
  }
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    return within(lambda->getCallOperator(),
                  [&] { return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda); });
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *call) override {
    if (!launches_.lower(*call))
      refuse("a launch in this form", call->getBeginLoc());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const std::string callee = nameOfCallee(*call);
    const bool isCooperative = callee == "cudaLaunchCooperativeKernel";
    bool isKnown = true;
    if (isCooperative || callee == "cudaLaunchKernel")
      isKnown = launches_.lower(*call, isCooperative ? Grid::Cooperative : Grid::Plain);
    else if (callee == "cudaLaunchKernelEx" || callee == "cudaLaunchKernelExC")
      isKnown = launches_.lowerConfigured(*call, callee);
    if (!isKnown)
      refuse("a launch of a kernel that the call does not name", call->getBeginLoc());
    if ((callee == "malloc" || callee == "free") && isInDeviceCode() && isOfC(*call))
      replaceCallee(*call, "::relayout::host::" + callee + "InKernel");
    return true;
  }

  /// Other forms of `new` have memory of their own.
  bool VisitCXXNewExpr(clang::CXXNewExpr *made) override {
    const clang::FunctionDecl *allocates = made->getOperatorNew();
    auto at = edits_.indexOf(made->getBeginLoc());
    if (!at || !isInDeviceCode() || !allocates || isa<clang::CXXMethodDecl>(allocates) ||
        made->getNumPlacementArgs() != 0 || made->passAlignment() || !replaced_.insert(*at).second)
      return true;
    if (edits_.token(*at).is(clang::tok::coloncolon))
      ++*at;
    edits_.insertAfter(*at, " (::relayout::host::kInKernel)");
    return true;
  }

  bool VisitGCCAsmStmt(clang::GCCAsmStmt *assembly) override {
    if (!isInDeviceCode())
      return true;
    const auto first = edits_.indexOf(assembly->getAsmLoc());
    if (first && !replaced_.insert(*first).second)
      return true;
    if (!lowerAssembly(*assembly, edits_) && !leaveOutUnused(*assembly))
      refuse(fmt::format("the inline PTX '{}'", firstInstruction(*assembly)),
             assembly->getBeginLoc());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    leaveOutExceptions(function);
    if (const auto body = unparsedBodyWithLaunches(edits_, *function);
        body && replaced_.insert(body->first).second)
      edits_.replace(body->first, body->second, ""); // compilers but Clang would read it
    if (function->isTemplated() || function->isTemplateInstantiation())
      return true;
    const std::string symbol = symbolOf(unit_, function);
    if (repeated_.inHeaders.contains(symbol))
      keepApart(function, "inline ");
    else if (repeated_.inSources.contains(symbol) && !isa<clang::CXXMethodDecl>(function))
      keepApart(function, "static ");
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function->isThisDeclarationADefinition() &&
        functions_.contains(function) &&
        function->getLexicalDeclContext()->getRedeclContext()->isFileContext())
      if (const auto end = edits_.indexOf(function->getBodyRBrace());
          end && replaced_.insert(*end).second)
        edits_.insertAfter(*end, launches_.registration(function));
    return true;
  }

  /// nvcc takes a main that returns nothing.
  bool VisitReturnStmt(clang::ReturnStmt *statement) override {
    const auto at = edits_.indexOf(statement->getBeginLoc());
    if (at && around_ && around_->isMain() && !statement->getRetValue())
      edits_.replace(*at, *at, "return 0");
    return true;
  }

  /// Arrays of variable length with start values, for compilers that do not take them.
  bool VisitDeclStmt(clang::DeclStmt *statement) override {
    const clang::VarDecl *last = nullptr;
    for (const clang::Decl *declaration : statement->decls()) {
      const auto *variable = dyn_cast<clang::VarDecl>(declaration);
      if (variable && last && variable->getName().starts_with(kValuesName))
        setValues(*last, *variable);
      last = variable;
    }
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->hasGlobalStorage() && !variable->isStaticLocal())
      if (const std::string symbol = symbolOf(unit_, variable);
          repeated_.inHeaders.contains(symbol) || repeated_.inSources.contains(symbol))
        keepApart(variable, "static ");
    if (!variable->hasAttr<clang::CUDASharedAttr>())
      return true;
    const auto name = edits_.indexOf(variable->getLocation());
    if (!name) {
      refuse("shared memory declared like this", variable->getLocation());
      return true;
    }
    const auto [first, last] = declarationAround(*name);
    if (variable->hasExternalStorage())
      lowerDynamicShared(variable, first, last);
    else
      lowerStaticShared(first, *name);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (!variable || !variable->hasAttr<clang::CUDASharedAttr>() ||
        !variable->hasExternalStorage() || isLocal(*variable) || isOfTemplate(*variable))
      return true;
    const auto first = edits_.indexOf(name->getBeginLoc());
    const auto last = edits_.indexOf(name->getEndLoc());
    if (first && last && replaced_.insert(*first).second)
      edits_.replace(*first, *last, fmt::format("({})", dynamicSharedAs(variable)));
    return true;
  }

  /// `&tile` of what a pointer stands for is no address of the pointer.
  bool VisitUnaryOperator(clang::UnaryOperator *address) override {
    const auto *name = address->getOpcode() == clang::UO_AddrOf
                           ? dyn_cast<clang::DeclRefExpr>(address->getSubExpr()->IgnoreParens())
                           : nullptr;
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !variable->hasAttr<clang::CUDASharedAttr>() ||
        !variable->hasExternalStorage() || !isLocal(*variable) || !unboundedArray(variable))
      return true;
    if (const auto place = edits_.indexOf(name->getLocation()))
      edits_.replace(*place, *place,
                     fmt::format("(*reinterpret_cast<{}>({}))",
                                 declared(unit_.ast().getPointerType(variable->getType()), {}),
                                 variable->getNameAsString()));
    return true;
  }

private:
  /// `throw(A, B)`, which the standard of the lowered program no longer has.
  void leaveOutExceptions(clang::FunctionDecl *function) {
    if (function->getExceptionSpecType() != clang::EST_Dynamic)
      return;
    const clang::SourceRange list = function->getExceptionSpecSourceRange();
    const auto first = edits_.indexOf(list.getBegin()), last = edits_.indexOf(list.getEnd());
    if (first && last && replaced_.insert(*first).second)
      edits_.replace(*first, *last, "");
  }

  /// `int a[n] = {1};` -> `int a[n], values[] = {1}, *set = (…, nullptr);`, which zeroes the array
  /// and copies the values. Units of the host have no headers of ours.
  void setValues(const clang::VarDecl &array, const clang::VarDecl &values) {
    const auto extents = edits_.indexOf(values.getLocation());
    const clang::Expr *start = values.getInit();
    const auto end = start ? edits_.indexOf(start->getEndLoc()) : std::nullopt;
    const clang::ArrayType *type = unit_.ast().getAsArrayType(array.getType());
    if (!extents || !end || !type || !type->getElementType().isTriviallyCopyableType(unit_.ast()) ||
        !replaced_.insert(*extents).second)
      return;
    if (unit_.ast().getBaseElementType(type).isConstQualified())
      takeConst(array);
    std::string stars, inner;
    clang::QualType element = type->getElementType();
    for (; const auto *row = unit_.ast().getAsConstantArrayType(element);
         element = row->getElementType())
      inner += fmt::format("[{}]", row->getZExtSize());
    for (; element->isPointerType(); element = element->getPointeeType())
      stars += '*';
    const std::string name = array.getNameAsString(), beside = values.getNameAsString();
    edits_.insertAfter(*extents, fmt::format(", {}{}[]{}", stars, beside, inner));
    edits_.insertAfter(
        *end, fmt::format(", *{0}_set = (__builtin_memset({1}, 0, sizeof {1}), "
                          "__builtin_memcpy({1}, {0}, sizeof {0} < sizeof {1} ? sizeof {0} : "
                          "sizeof {1}), nullptr)",
                          beside, name));
  }

  /// What is set by a statement is not constant: `const int a[n]`, `const char *const a[n]`.
  void takeConst(const clang::VarDecl &array) {
    const auto name = edits_.indexOf(array.getLocation());
    if (!name)
      return;
    const Index first = declarationAround(*name).first;
    for (Index i = *name; i > first && edits_.token(i - 1).isNot(clang::tok::star); --i)
      if (edits_.token(i - 1).is(clang::tok::kw_const))
        edits_.replace(i - 1, i - 1, "");
  }

  template <class Traverse> bool within(const clang::FunctionDecl *function, Traverse traverse) {
    const clang::FunctionDecl *outer = around_;
    around_ = function;
    const bool goOn = traverse();
    around_ = outer;
    return goOn;
  }

  [[nodiscard]] bool isInDeviceCode() const {
    return around_ &&
           (around_->hasAttr<clang::CUDAGlobalAttr>() || around_->hasAttr<clang::CUDADeviceAttr>());
  }

  void replaceCallee(const clang::CallExpr &call, const std::string &name) {
    const clang::Expr *callee = call.getCallee();
    const auto first = edits_.indexOf(callee->getBeginLoc());
    const auto last = edits_.indexOf(callee->getEndLoc());
    if (first && last && replaced_.insert(*first).second)
      edits_.replace(*first, *last, name);
  }

  /// nvcc compiles no such function, and need not know its instructions.
  bool leaveOutUnused(const clang::GCCAsmStmt &assembly) {
    if (around_->isReferenced() || around_->isTemplateInstantiation() || around_->isTemplated() ||
        around_->hasAttr<clang::CUDAGlobalAttr>() || isa<clang::CXXMethodDecl>(around_) ||
        (!around_->isInlined() && around_->isExternallyVisible()))
      return false;
    const auto first = edits_.indexOf(assembly.getAsmLoc());
    const auto close = edits_.indexOf(assembly.getRParenLoc());
    if (first && close)
      edits_.replace(*first, *close, "__builtin_trap()");
    return first && close;
  }

  void refuse(const std::string &what, clang::SourceLocation where) {
    if (!failure_)
      failure_ = Error{Code::NotOnCpuExecutor,
                       fmt::format("the CPU executor cannot run {}", what),
                       unit_.place(where),
                       {}};
  }

  /// Puts a specifier before a declaration at namespace scope.
  void keepApart(const clang::NamedDecl *declaration, const char *specifier) {
    const auto name = edits_.indexOf(declaration->getLocation());
    if (!name)
      return;
    const Index first = declarationAround(*name).first;
    if (!keptApart_.insert(first).second)
      return;
    for (Index i = first; i < *name; ++i)
      if (edits_.token(i).is(clang::tok::kw_extern))
        edits_.replace(i, i, "");
    edits_.insertBefore(first, specifier);
  }

  /// The tokens of the declaration statement around a declared name, semicolon included.
  [[nodiscard]] std::pair<Index, Index> declarationAround(Index name) const {
    Index first = name;
    while (first > 0 && !edits_.token(first - 1).isOneOf(clang::tok::semi, clang::tok::l_brace,
                                                         clang::tok::r_brace, clang::tok::colon))
      --first;
    Index last = name;
    while (last + 1 < edits_.size() && edits_.token(last).isNot(clang::tok::semi))
      ++last;
    return {first, last};
  }

  /// Null where the variable has a size of its own.
  [[nodiscard]] const clang::IncompleteArrayType *
  unboundedArray(const clang::VarDecl *variable) const {
    return unit_.ast().getAsIncompleteArrayType(variable->getType());
  }

  [[nodiscard]] std::string declared(clang::QualType type, std::string name) const {
    type.getAsStringInternal(name, policy_);
    return name;
  }

  /// An array without bounds becomes a pointer to its elements, anything else what stands there.
  [[nodiscard]] std::string dynamicSharedAs(const clang::VarDecl *variable) const {
    const clang::IncompleteArrayType *array = unboundedArray(variable);
    const clang::QualType pointed = array ? array->getElementType() : variable->getType();
    return fmt::format("{}static_cast<{}>(::relayout::host::dynamicShared())", array ? "" : "*",
                       declared(unit_.ast().getPointerType(pointed), {}));
  }

  [[nodiscard]] std::string localDynamicShared(const clang::VarDecl *variable) const {
    const clang::IncompleteArrayType *array = unboundedArray(variable);
    const clang::QualType type = array ? unit_.ast().getPointerType(array->getElementType())
                                       : unit_.ast().getLValueReferenceType(variable->getType());
    return fmt::format("{} = {};", declared(type, variable->getNameAsString()),
                       dynamicSharedAs(variable));
  }

  static bool isLocal(const clang::VarDecl &variable) {
    return variable.isLocalVarDecl() || variable.isLocalExternDecl();
  }

  /// `template <class T> extern __shared__ T tile[];`, and its instances.
  static bool isOfTemplate(const clang::VarDecl &variable) {
    return variable.getDescribedVarTemplate() ||
           isa<clang::VarTemplateSpecializationDecl>(variable);
  }

  /// An object takes its place, behind the template's parameters.
  void lowerTemplate(const clang::VarDecl *variable, Index last) {
    const clang::VarTemplateDecl *pattern = variable->getDescribedVarTemplate();
    if (!pattern)
      return;
    const clang::IncompleteArrayType *array = unboundedArray(variable);
    const auto parameters = edits_.indexOf(pattern->getTemplateParameters()->getRAngleLoc());
    if (!array || !parameters)
      return refuse("a template in shared memory declared like this", variable->getLocation());
    edits_.replace(*parameters + 1, last,
                   fmt::format(" ::relayout::host::DynamicShared<{}> {};",
                               declared(array->getElementType(), {}), variable->getNameAsString()));
  }

  /// The last token of `alignas(16)`.
  [[nodiscard]] Index endOfAlignment(Index alignment, Index name) const {
    int depth = 0;
    for (Index i = alignment + 1; i < name; ++i) {
      depth += edits_.token(i).is(clang::tok::l_paren);
      depth -= edits_.token(i).is(clang::tok::r_paren);
      if (depth == 0)
        return i;
    }
    return name - 1;
  }

  [[nodiscard]] bool isOfShared(Index token) const {
    return edits_.text(token, token) == "__shared__";
  }

  /// The lowered __shared__ says `static` itself, behind which no `alignas(16)` may stand, and
  /// which may not stand behind a pointer's sign, `float *__shared__ row;`.
  void lowerStaticShared(Index first, Index name) {
    while (edits_.token(first).is(clang::tok::kw_alignas))
      first = endOfAlignment(first, name) + 1;
    std::string inFront;
    bool isBehindSign = false;
    for (Index i = first; i < name; ++i) {
      isBehindSign |= edits_.token(i).isOneOf(clang::tok::star, clang::tok::amp);
      if (isBehindSign && isOfShared(i) && replaced_.insert(i).second) {
        Index last = i; // of the tokens that the macro stands for
        while (isOfShared(last + 1))
          replaced_.insert(++last);
        edits_.replace(i, last, "");
        inFront += "__shared__ ";
      }
      if (edits_.token(i).is(clang::tok::kw_static))
        edits_.replace(i, i, "");
      if (edits_.token(i).isNot(clang::tok::kw_alignas) || !replaced_.insert(i).second)
        continue;
      const Index last = endOfAlignment(i, name);
      inFront += edits_.text(i, last) + " ";
      edits_.replace(i, last, "");
    }
    if (!inFront.empty())
      edits_.insertBefore(first, inFront);
  }

  void lowerDynamicShared(const clang::VarDecl *variable, Index first, Index last) {
    if (isOfTemplate(*variable))
      return lowerTemplate(variable, last);
    if (!replaced_.insert(first).second)
      return refuse("two variables in dynamic shared memory in one declaration",
                    variable->getLocation());
    // At file scope every use is replaced instead, see VisitDeclRefExpr.
    edits_.replace(first, last, isLocal(*variable) ? localDynamicShared(variable) : std::string());
  }

  const RepeatedSymbols &repeated_;
  UnitReading &read_;
  ParsedUnit &unit_;
  TokenEdits &edits_;
  clang::PrintingPolicy policy_;
  LaunchLowering launches_;
  FunctionsAsValues functions_;
  const clang::FunctionDecl *around_ = nullptr;
  std::set<Index> replaced_;  ///< first tokens of what is lowered: trees may show a node twice
  std::set<Index> keptApart_; ///< first tokens of declarations
  std::optional<Error> failure_;
};

} // namespace

Result<void> lowerCudaConstructs(const ReadProgram &program, const RepeatedSymbols &repeated,
                                 UnitReading &unit) {
  addMissingReturns(*unit.host.unit, *unit.host.edits);
  closeScopesInSwitches(*unit.host.unit, *unit.host.edits);
  for (const auto &[token, words] : unit.host.unit->missingWords())
    if (const auto index = unit.host.edits->indexOf(token))
      unit.host.edits->insertAfter(*index, words);
  return CudaLowering(program, repeated, unit).run();
}

} // namespace relayout::instrument
