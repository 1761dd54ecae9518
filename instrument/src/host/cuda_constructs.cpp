// SPDX-License-Identifier: Apache-2.0
// Lowers what CUDA adds to C++: launches, dynamic shared memory; and notes copies of records.
#include "host/launch_tokens.h"
#include "host/lowering_edits.h"
#include "relayout/instrument/clang/symbols.h"

#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/RecordLayout.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <fmt/format.h>

#include <climits>
#include <map>
#include <set>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;
using Index = TokenEdits::Index;

/// A file name and the like as a C++ string literal.
std::string stringLiteral(llvm::StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

/// True when a type has a name that can be written anywhere in the file.
bool isSpellable(clang::QualType type) {
  class Search : public clang::RecursiveASTVisitor<Search> {
  public:
    bool VisitTagType(clang::TagType *tag) {
      const clang::TagDecl *declaration = tag->getDecl();
      const auto *record = dyn_cast<clang::CXXRecordDecl>(declaration);
      spellable &= !(record && record->isLambda()) && !declaration->getParentFunctionOrMethod() &&
                   (declaration->getIdentifier() || declaration->getTypedefNameForAnonDecl());
      if (const auto *special = dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration))
        for (const clang::TemplateArgument &argument : special->getTemplateArgs().asArray())
          if (argument.getKind() == clang::TemplateArgument::Type)
            spellable &= isSpellable(argument.getAsType());
      return spellable;
    }
    bool spellable = true;
  } search;
  search.TraverseType(type.getCanonicalType());
  return search.spellable;
}

class CudaLowering : public clang::RecursiveASTVisitor<CudaLowering> {
public:
  CudaLowering(const ReadProgram &program, const RepeatedSymbols &repeated, UnitReading &unit)
      : program_(program), repeated_(repeated), read_(unit), unit_(*unit.host.unit),
        edits_(*unit.host.edits), policy_(unit_.ast().getLangOpts()) {
    policy_.SuppressTagKeyword = true;
    policy_.FullyQualifiedName = true;
  }

  Result<void> run() {
    for (clang::Decl *declaration : unit_.ast().getTranslationUnitDecl()->decls()) {
      const clang::SourceManager &sources = unit_.sources();
      const clang::SourceLocation where = sources.getExpansionLoc(declaration->getLocation());
      if (where.isValid() && unit_.isUserFile(sources.getFileID(where)))
        TraverseDecl(declaration);
    }
    std::map<Index, std::vector<const FoundMemoryCall *>> copies;
    for (const FoundMemoryCall &memory : read_.host.found.memory)
      if (memory.kind == MemoryCall::Copy)
        if (const auto first = edits_.indexOf(memory.call->getBeginLoc()))
          copies[*first].push_back(&memory);
    for (const auto &[first, instances] : copies)
      noteCopy(first, instances);
    if (failure_)
      return tl::unexpected(std::move(*failure_));
    return {};
  }

  bool TraverseFunctionDecl(clang::FunctionDecl *function) {
    return within(function, [&] { return RecursiveASTVisitor::TraverseFunctionDecl(function); });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *function) {
    return within(function, [&] { return RecursiveASTVisitor::TraverseCXXMethodDecl(function); });
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *call) {
    if (around_ &&
        (around_->hasAttr<clang::CUDAGlobalAttr>() ||
         (around_->hasAttr<clang::CUDADeviceAttr>() && !around_->hasAttr<clang::CUDAHostAttr>())))
      refuse("a kernel launch from device code", call->getBeginLoc());
    else if (!lowerLaunch(call))
      refuse("a launch in this form", call->getBeginLoc());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier())
      return true;
    const bool isCooperative = callee->getName() == "cudaLaunchCooperativeKernel";
    if ((isCooperative || callee->getName() == "cudaLaunchKernel") &&
        !lowerLaunchCall(call, isCooperative))
      refuse("a launch of a kernel that the call does not name", call->getBeginLoc());
    return true;
  }

  bool VisitGCCAsmStmt(clang::GCCAsmStmt *assembly) {
    if (around_ &&
        (around_->hasAttr<clang::CUDAGlobalAttr>() || around_->hasAttr<clang::CUDADeviceAttr>()))
      refuse("inline PTX assembly", assembly->getBeginLoc());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (function->isTemplated() || function->isTemplateInstantiation())
      return true;
    const std::string symbol = symbolOf(unit_, function);
    if (repeated_.inHeaders.contains(symbol))
      keepApart(function, "inline ");
    else if (repeated_.inSources.contains(symbol) && !isa<clang::CXXMethodDecl>(function))
      keepApart(function, "static ");
    return true;
  }

  /// nvcc takes a main that returns nothing.
  bool VisitReturnStmt(clang::ReturnStmt *statement) {
    const auto at = edits_.indexOf(statement->getBeginLoc());
    if (at && around_ && around_->isMain() && !statement->getRetValue())
      edits_.replace(*at, *at, "return 0");
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) {
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
      // The lowered __shared__ says `static` itself.
      for (Index i = first; i < *name; ++i)
        if (edits_.token(i).is(clang::tok::kw_static))
          edits_.replace(i, i, "");
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (!variable || !variable->hasAttr<clang::CUDASharedAttr>() ||
        !variable->hasExternalStorage() || variable->isLocalVarDecl() ||
        variable->isLocalExternDecl())
      return true;
    const auto first = edits_.indexOf(name->getBeginLoc());
    const auto last = edits_.indexOf(name->getEndLoc());
    if (first && last && replaced_.insert(*first).second)
      edits_.replace(*first, *last, fmt::format("({})", dynamicSharedAs(variable)));
    return true;
  }

private:
  template <class Traverse> bool within(const clang::FunctionDecl *function, Traverse traverse) {
    const clang::FunctionDecl *outer = around_;
    around_ = function;
    const bool goOn = traverse();
    around_ = outer;
    return goOn;
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

  void lowerDynamicShared(const clang::VarDecl *variable, Index first, Index last) {
    if (!replaced_.insert(first).second)
      return refuse("two variables in dynamic shared memory in one declaration",
                    variable->getLocation());
    // At file scope every use is replaced instead, see VisitDeclRefExpr.
    edits_.replace(first, last,
                   variable->isLocalVarDecl() || variable->isLocalExternDecl()
                       ? localDynamicShared(variable)
                       : std::string());
  }

  bool lowerLaunch(const clang::CUDAKernelCallExpr *call) {
    const std::optional<LaunchTokens> tokens = launchTokens(edits_, *call);
    if (!tokens)
      return false;
    const auto &[first, open, end, close] = *tokens;
    if (!replaced_.insert(first).second)
      return true;
    const std::string callee = edits_.text(first, open - 1);
    const clang::FunctionDecl *kernel = call->getDirectCallee();
    const FoundLaunch *found = nullptr;
    for (const FoundLaunch &launch : read_.host.found.launches)
      if (launch.call->getBeginLoc() == call->getBeginLoc() && (!found || launch.kernel))
        found = &launch;
    const clang::FunctionDecl *pattern = found ? found->kernel : nullptr;
    const bool loops = pattern && !synchronises(program_, read_, pattern);
    const auto opening = [&](const char *launch) {
      return fmt::format("::relayout::host::{}({}, ::relayout::host::Threads::{}, "
                         "::relayout::host::LaunchShape(",
                         launch, stringLiteral(kernelName(pattern, callee)),
                         loops ? "Loop" : "Fibers");
    };
    const std::string separator = end + 2 == close ? "" : ", ";
    const bool isPointer = holdsKernel(call->getCallee()) ||
                           (!kernel && !call->isTypeDependent() && !call->isValueDependent());
    const bool isDependent =
        !isPointer && (!kernel || call->isTypeDependent() || call->isInstantiationDependent());
    if (isDependent || (kernel && needsSignature(kernel) && !hasSpellableSignature(kernel))) {
      // Deduce the parameters' types as the launch itself does.
      edits_.replace(first, open, "[&](auto... relayoutArguments) { " + opening("launchThrough"));
      edits_.replace(end, end + 1,
                     fmt::format("), static_cast<void (*)(decltype(relayoutArguments)...)>"
                                 "([](auto... relayoutValues) {{ {}(relayoutValues...); }}), "
                                 "relayoutArguments...); }}(",
                                 callee));
      return true;
    }
    std::string function = callee;
    if (kernel)
      function = fmt::format("::relayout::host::Kernel<{}>()",
                             needsSignature(kernel)
                                 ? fmt::format("static_cast<{}>(&{})", pointerTo(kernel), callee)
                                 : "&" + callee);
    edits_.replace(first, open, opening("launch"));
    edits_.replace(end, end + 1, fmt::format("), {}{}", function, separator));
    return addDefaultArguments(*call, close);
  }

  /// The function that is called instead has none.
  bool addDefaultArguments(const clang::CallExpr &call, Index close) {
    std::string defaults;
    for (const clang::Expr *argument : call.arguments())
      if (const auto *byDefault = dyn_cast<clang::CXXDefaultArgExpr>(argument)) {
        const auto begin = edits_.indexOf(byDefault->getExpr()->getBeginLoc());
        const auto last = edits_.indexOf(byDefault->getExpr()->getEndLoc());
        if (!begin || !last)
          return false;
        defaults += ", " + edits_.text(*begin, *last);
      }
    if (!defaults.empty())
      edits_.insertBefore(close, defaults);
    return true;
  }

  /// `cudaLaunchKernel((void *)kernel, …)`: the cast goes, for the type says what the arguments
  /// are.
  bool lowerLaunchCall(const clang::CallExpr *call, bool isCooperative) {
    const clang::Expr *kernel = call->getArg(0)->IgnoreParenCasts();
    if (const auto *address = dyn_cast<clang::UnaryOperator>(kernel);
        address && address->getOpcode() == clang::UO_AddrOf)
      kernel = address->getSubExpr()->IgnoreParenCasts();
    const auto *name = dyn_cast<clang::DeclRefExpr>(kernel);
    const clang::FunctionDecl *function =
        name ? dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
    const clang::QualType type = kernel->getType();
    if (!function && !isa<clang::OverloadExpr>(kernel) && !type->isFunctionPointerType())
      return false;
    const auto first = edits_.indexOf(call->getBeginLoc());
    const auto argument = edits_.indexOf(call->getArg(0)->getBeginLoc());
    const auto argumentEnd = edits_.indexOf(call->getArg(0)->getEndLoc());
    const auto kernelFirst = edits_.indexOf(kernel->getBeginLoc());
    const auto kernelLast = edits_.indexOf(kernel->getEndLoc());
    if (!first || !argument || !argumentEnd || !kernelFirst || !kernelLast)
      return false;
    if (!replaced_.insert(*first).second)
      return true;
    const std::string text = edits_.text(*kernelFirst, *kernelLast);
    const clang::FunctionDecl *pattern = function ? patternOf(function) : nullptr;
    const bool loops = pattern && !isCooperative && !synchronises(program_, read_, pattern);
    edits_.replace(*first, *argumentEnd,
                   fmt::format("::relayout::host::launchByPointers({}, "
                               "::relayout::host::Threads::{}, ::relayout::host::Grid::{}, {}{}",
                               stringLiteral(kernelName(pattern, text)), loops ? "Loop" : "Fibers",
                               isCooperative ? "Cooperative" : "Plain",
                               type->isFunctionPointerType() ? "" : "&", text));
    return true;
  }

  /// As the site table calls it.
  [[nodiscard]] std::string kernelName(const clang::FunctionDecl *pattern,
                                       const std::string &callee) const {
    if (!pattern)
      return callee;
    const trace::Index row = kernelOf(program_, read_, pattern);
    return row == trace::kNone ? functionName(pattern) : program_.model.sites.kernels[row].name;
  }

  /// A variable or a member: a pointer to a kernel, of whatever type once templates are
  /// instantiated.
  static bool holdsKernel(const clang::Expr *callee) {
    callee = callee->IgnoreParenImpCasts();
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(callee))
      return isa<clang::VarDecl>(name->getDecl());
    return isa<clang::MemberExpr>(callee);
  }

  /// True when the name alone does not say which function is meant.
  static bool needsSignature(const clang::FunctionDecl *kernel) {
    if (kernel->getPrimaryTemplate())
      return true;
    int candidates = 0;
    for (const clang::NamedDecl *same : kernel->getDeclContext()->lookup(kernel->getDeclName()))
      candidates += same->getAsFunction() != nullptr;
    return candidates > 1;
  }

  static bool hasSpellableSignature(const clang::FunctionDecl *kernel) {
    for (const clang::ParmVarDecl *parameter : kernel->parameters())
      if (!isSpellable(parameter->getType()))
        return false;
    return true;
  }

  [[nodiscard]] std::string pointerTo(const clang::FunctionDecl *kernel) const {
    std::string text = "void (*)(";
    for (const clang::ParmVarDecl *parameter : kernel->parameters()) {
      if (text.back() != '(')
        text += ", ";
      text += parameter->getType().getCanonicalType().getUnqualifiedType().getAsString(policy_);
    }
    return text + ")";
  }

  using Span = std::pair<std::uint64_t, std::uint64_t>;

  /// Marks the bytes that hold values; what stays unmarked is padding.
  void markUsed(clang::QualType type, std::uint64_t at, std::vector<bool> &used) const {
    clang::ASTContext &ast = unit_.ast();
    if (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type)) {
      const auto step = ast.getTypeSizeInChars(array->getElementType()).getQuantity();
      for (std::uint64_t i = 0; i < array->getZExtSize(); ++i)
        markUsed(array->getElementType(), at + i * step, used);
      return;
    }
    const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
    record = record ? record->getDefinition() : nullptr;
    if (!record || record->isUnion() || record->isDynamicClass()) {
      const auto bytes = ast.getTypeSizeInChars(type).getQuantity();
      std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(at), bytes, true);
      return;
    }
    const clang::ASTRecordLayout &layout = ast.getASTRecordLayout(record);
    for (const clang::CXXBaseSpecifier &base : record->bases())
      if (const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl())
        markUsed(base.getType(), at + layout.getBaseClassOffset(decl).getQuantity(), used);
    for (const clang::FieldDecl *field : record->fields()) {
      const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
      if (field->isBitField()) {
        const std::uint64_t bits = compatibility::bitWidthOf(*field);
        for (std::uint64_t b = bit; b < bit + bits; ++b)
          used[at + b / CHAR_BIT] = true;
      } else if (!field->getType()->isIncompleteType()) {
        markUsed(field->getType(), at + bit / CHAR_BIT, used);
      }
    }
  }

  [[nodiscard]] std::vector<Span> padding(const clang::CXXRecordDecl *record) const {
    clang::ASTContext &ast = unit_.ast();
    const clang::QualType type = compatibility::canonicalTypeOf(ast, record);
    std::vector<bool> used(ast.getTypeSizeInChars(type).getQuantity(), false);
    markUsed(type, 0, used);
    std::vector<Span> spans;
    for (std::uint64_t i = 0; i < used.size(); ++i) {
      if (used[i])
        continue;
      if (!spans.empty() && spans.back().first + spans.back().second == i)
        ++spans.back().second;
      else
        spans.emplace_back(i, 1);
    }
    return spans;
  }

  /// \param instances  the same call, once for each instantiation of the template around it
  void noteCopy(Index first, const std::vector<const FoundMemoryCall *> &instances) {
    const clang::CallExpr *call = instances.front()->call;
    const auto last = edits_.indexOf(call->getEndLoc());
    if (!last)
      return;
    clang::ASTContext &ast = unit_.ast();
    auto bytesOf = [&](const clang::CXXRecordDecl *record) {
      return ast.getTypeSizeInChars(compatibility::canonicalTypeOf(ast, record)).getQuantity();
    };
    const clang::CXXRecordDecl *record = instances.front()->record;
    std::vector<Span> gaps = padding(record);
    for (const FoundMemoryCall *other : instances)
      if (bytesOf(other->record) != bytesOf(record) || padding(other->record) != gaps)
        gaps.clear(); // records that differ: every byte counts
    std::string spans;
    for (const auto &[offset, length] : gaps)
      spans += fmt::format("{}{{{}u, {}u}}", spans.empty() ? "" : ", ", offset, length);
    const SourcePlace place = unit_.place(call->getBeginLoc());
    edits_.wrap(first, *last,
                fmt::format("(::relayout::host::noteCopy({}, {}u, {{{}}}), ",
                            stringLiteral(fmt::format("{}:{}", place.file, place.line)),
                            bytesOf(record), spans),
                ")");
  }

  const ReadProgram &program_;
  const RepeatedSymbols &repeated_;
  UnitReading &read_;
  ParsedUnit &unit_;
  TokenEdits &edits_;
  clang::PrintingPolicy policy_;
  const clang::FunctionDecl *around_ = nullptr;
  std::set<Index> replaced_;  ///< first tokens of what is lowered: trees may show a node twice
  std::set<Index> keptApart_; ///< first tokens of declarations
  std::optional<Error> failure_;
};

} // namespace

Result<void> lowerCudaConstructs(const ReadProgram &program, const RepeatedSymbols &repeated,
                                 UnitReading &unit) {
  return CudaLowering(program, repeated, unit).run();
}

} // namespace relayout::instrument
