// SPDX-License-Identifier: Apache-2.0
// Finds the kernels of a program and all that launches them, and edits both together.
#include "relayout/rewriter/thread_roles.h"

#include "edits/words.h"
#include "pass/findings.h"
#include "relayout/instrument/clang/symbols.h"
#include "threads/launch_blocks.h"
#include "threads/thread_independence.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A kernel in all units: templates by their pattern.
struct Kernel {
  std::string name;
  bool usesBoth = false;
  std::vector<std::pair<FilePlace, std::vector<Edit>>> edits;
  std::optional<Diagnostic> refusal;
  bool isLaunched = false;
};

const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function) {
  const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
  return pattern ? pattern : function;
}

/// The name as it is written, through no template parameter.
const clang::DeclRefExpr *writtenName(const clang::Expr *callee) {
  for (;;) {
    if (const auto *cast = dyn_cast<clang::ImplicitCastExpr>(callee))
      callee = cast->getSubExpr();
    else if (const auto *parens = dyn_cast<clang::ParenExpr>(callee))
      callee = parens->getSubExpr();
    else
      return dyn_cast<clang::DeclRefExpr>(callee);
  }
}

class UnitKernels : public clang::DynamicRecursiveASTVisitor {
public:
  UnitKernels(instrument::ParsedUnit &unit, std::map<std::string, Kernel> &kernels)
      : unit_(unit), reader_(unit), kernels_(kernels) {
    ShouldVisitTemplateInstantiations = true;
  }

  void read() {
    TraverseDecl(unit_.ast().getTranslationUnitDecl());
    for (const auto &[name, kernel] : namedElsewhere_)
      if (!launchNames_.contains(name))
        refuse(*kernel, "it is named other than by a launch", name->getLocation());
    readInactiveBranches();
    for (const auto &[place, launched] : launchedAt_)
      if (launched.size() > 1)
        for (Kernel *kernel : launched)
          refuse(*kernel, "one launch starts it or another kernel", launchPlaces_.at(place));
    for (const Block &block : blocks_)
      if (isRepeated(block))
        refuse(*block.kernel, "a macro that launches it writes its block out more than once",
               block.launch);
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
        declaration->getLexicalDeclContext()->isTranslationUnit()) {
      const clang::SourceLocation where =
          unit_.sources().getExpansionLoc(declaration->getLocation());
      if (where.isInvalid() || !unit_.isUserFile(unit_.sources().getFileID(where)))
        return true;
    }
    return clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function->doesThisDeclarationHaveABody() &&
        !function->isDependentContext())
      readKernel(*function);
    return true;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *launch) override {
    const clang::FunctionDecl *function = launch->getDirectCallee();
    if (!function)
      return true; // in a template, whose instances are visited
    Kernel &kernel = kernelOf(*function);
    kernel.isLaunched = true;
    const clang::DeclRefExpr *name = writtenName(launch->getCallee());
    if (!name) {
      refuse(kernel, "a launch names it by a template's parameter", launch->getExprLoc());
      return true;
    }
    launchNames_.insert(name);
    const std::optional<FilePlace> place = reader_.place(launch->getBeginLoc());
    auto edits = exchangedBlock(*launch, reader_);
    if (!place || !edits) {
      refuse(
          kernel,
          "a launch gives its block as something else than a variable of type dim3 or dim3(x, y)",
          launch->getExprLoc());
      return true;
    }
    launchedAt_[*place].insert(&kernel);
    launchPlaces_.emplace(*place, launch->getExprLoc());
    for (const Edit &edit : *edits)
      blocks_.push_back({edit.range, &kernel, launch->getExprLoc()});
    kernel.edits.emplace_back(*place, std::move(*edits));
    return true;
  }

  /// A macro's argument is written once, and stands wherever the macro names it.
  bool VisitExpr(clang::Expr *expression) override {
    if (const clang::SourceLocation where = expression->getExprLoc(); where.isMacroID())
      if (const std::optional<FilePlace> place = reader_.place(where))
        inMacros_[*place].insert(where);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const auto *function = dyn_cast<clang::FunctionDecl>(name->getDecl());
    if (function && function->hasAttr<clang::CUDAGlobalAttr>() && !function->isDependentContext())
      namedElsewhere_.emplace_back(name, &kernelOf(*function));
    return true;
  }

private:
  /// Text of a launch that is edited.
  struct Block {
    FileRange range;
    Kernel *kernel = nullptr;
    clang::SourceLocation launch;
  };

  bool isRepeated(const Block &block) const {
    for (auto at = inMacros_.lower_bound(block.range.begin);
         at != inMacros_.end() && at->first < FilePlace{block.range.begin.path, block.range.end};
         ++at)
      if (at->second.size() > 1)
        return true;
    return false;
  }

  Kernel &kernelOf(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *pattern = patternOf(&function);
    Kernel &kernel = kernels_[instrument::symbolOf(unit_, pattern)];
    kernel.name = pattern->getQualifiedNameAsString();
    return kernel;
  }

  void readKernel(const clang::FunctionDecl &function) {
    Kernel &kernel = kernelOf(function);
    const KernelThreads threads = threadsOf(unit_, function);
    kernel.usesBoth |=
        threads.named.contains("threadIdx.x") && threads.named.contains("threadIdx.y");
    if (threads.whyBound)
      refuse(kernel, threads.whyBound->text, threads.whyBound->where);
    for (const NumberUse &use : threads.numbers)
      exchange(kernel, use);
  }

  /// A launch there stays as it is.
  void readInactiveBranches() {
    for (const clang::SourceRange &skipped : unit_.skippedRanges()) {
      const std::optional<FilePlace> begin = reader_.place(skipped.getBegin());
      const std::optional<FilePlace> end = reader_.place(skipped.getEnd());
      if (!begin || !end || begin->path != end->path)
        continue;
      for (const std::string &word : wordsIn(reader_.text(FileRange{*begin, end->offset})))
        for (auto &[symbol, kernel] : kernels_)
          if (kernel.name == word || kernel.name.ends_with("::" + word))
            refuse(kernel, "a branch that this build leaves out names it", skipped.getBegin());
    }
  }

  void exchange(Kernel &kernel, const NumberUse &use) {
    static const std::map<std::string, std::pair<const char *, const char *>> kExchanged = {
        {"threadIdx.x", {"x", "y"}},
        {"threadIdx.y", {"y", "x"}},
        {"blockDim.x", {"x", "y"}},
        {"blockDim.y", {"y", "x"}}};
    const auto names = kExchanged.find(use.name);
    if (names == kExchanged.end())
      return;
    TokenEdits edits(reader_);
    edits.replace(use.member, names->second.first, names->second.second);
    const std::optional<FilePlace> place = reader_.place(use.member);
    if (edits.failed() || !place)
      return refuse(kernel, fmt::format("a macro's body has '{}'", use.name), use.member);
    kernel.edits.emplace_back(*place, edits.take());
  }

  void refuse(Kernel &kernel, const std::string &why, clang::SourceLocation where) {
    if (kernel.refusal)
      return;
    Diagnostic finding{Severity::Warning, Code::ThreadRolesFixed, {}, unit_.place(where), {}};
    finding.text = fmt::format("the threads of '{}' keep their roles: {}", kernel.name, why);
    kernel.refusal = std::move(finding);
  }

  instrument::ParsedUnit &unit_;
  SourceReader reader_;
  std::map<std::string, Kernel> &kernels_;
  std::vector<std::pair<const clang::DeclRefExpr *, Kernel *>> namedElsewhere_;
  std::set<const clang::DeclRefExpr *> launchNames_;
  std::map<FilePlace, std::set<Kernel *>> launchedAt_;
  std::map<FilePlace, clang::SourceLocation> launchPlaces_;
  std::vector<Block> blocks_;
  std::map<FilePlace, std::set<clang::SourceLocation>> inMacros_; ///< expressions
};

} // namespace

Result<ExchangedRoles>
exchangeThreadRoles(const instrument::ParsedProgram &program,
                    const std::function<bool(const std::string &kernel)> &isWanted) {
  const instrument::ParsedProgram written = program.asWritten();
  const auto parsed = written.units(instrument::Pass::Host);
  if (!parsed)
    return tl::unexpected(parsed.error());
  std::vector<instrument::ParsedUnit *> units;
  std::map<std::string, Kernel> kernels; // by symbol
  for (const auto &unit : **parsed) {
    units.push_back(unit.get());
    UnitKernels(*unit, kernels).read();
  }
  ExchangedRoles exchanged;
  EditSet edits;
  for (const auto &[symbol, kernel] : kernels) {
    if (!kernel.usesBoth || !isWanted(kernel.name))
      continue;
    if (kernel.refusal)
      exchanged.rewrite.findings.push_back(*kernel.refusal);
    if (kernel.refusal || !kernel.isLaunched)
      continue;
    for (const auto &[place, needed] : kernel.edits)
      if (!edits.add(place, needed))
        return fail(Code::ConflictingEdits,
                    fmt::format("'{}' and another kernel have text in common", kernel.name));
    exchanged.kernels.push_back(kernel.name);
  }
  exchanged.rewrite.sources = instrument::sourcesOf(units);
  if (const Result<void> applied = edits.apply(exchanged.rewrite.sources); !applied)
    return tl::unexpected(applied.error());
  instrument::keepReached(exchanged.rewrite.sources, units);
  return exchanged;
}

} // namespace relayout::rewriter
