// SPDX-License-Identifier: Apache-2.0
// Finds the device functions of a parsed unit and walks them, and finds what host code does with
// arrays of records.
#include "model/unit_reader.h"

#include "model/field_arguments.h"
#include "model/generated_views.h"
#include "model/live_words.h"
#include "model/operation_counts.h"
#include "parse/written_for_device.h"
#include "relayout/instrument/clang/symbols.h"

#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/record_fields.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/untyped_functions.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <set>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

namespace {

MemoryCall memoryCallKind(llvm::StringRef name) {
  const CudaCall *call = cudaCallNamed({name.data(), name.size()});
  if (!call)
    return MemoryCall::Other;
  switch (call->kind) {
  case CudaCallKind::Allocation:
    return call->memory == CudaMemory::Host ? MemoryCall::MallocHost : MemoryCall::Malloc;
  case CudaCallKind::Free:
    return call->memory == CudaMemory::Host ? MemoryCall::Other : MemoryCall::Free;
  case CudaCallKind::Copy:
    return MemoryCall::Copy;
  case CudaCallKind::Set:
    return MemoryCall::Set;
  case CudaCallKind::Address:
  case CudaCallKind::Hint:
  case CudaCallKind::Launch:
  case CudaCallKind::Reset:
    break;
  }
  return MemoryCall::Other;
}

/// What was cast to vectors is an array of something else.
bool isKnownDeviceArray(const ArrayGroup &group) {
  const Origins &origins = group.origins;
  if (group.record && isScalarRecord(*group.record))
    return group.whyNotPlain().empty();
  return !origins.unknown && group.mayBeDeviceArrays();
}

/// A cast or `&` peeled off at a time, as far as the value still names the array.
const clang::Expr *peel(const clang::Expr *expression) { return expression->IgnoreParenCasts(); }

class Finder : public clang::DynamicRecursiveASTVisitor {
public:
  Finder(WalkContext &context, UnitFacts &found) : context_(context), found_(found) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!function->isThisDeclarationADefinition() || !function->doesThisDeclarationHaveABody() ||
        !context_.isUsers(function->getLocation()) || !isWrittenForDevice(*function))
      return true;
    if (function->isDependentContext()) {
      patterns.insert(function);
      return true;
    }
    definitions.push_back(function);
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator()) {
      for (clang::FunctionDecl *instance : generic->specializations())
        if (instance->hasBody())
          VisitFunctionDecl(instance);
    } else if (lambda->getCallOperator()) {
      VisitFunctionDecl(lambda->getCallOperator());
    }
    return true;
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
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl *function) override {
    return within(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXConstructorDecl(function);
    });
  }
  bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl *function) override {
    return within(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXDestructorDecl(function);
    });
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *call) override {
    // Instantiations repeat what the pattern's launch says, with types of their own.
    FoundLaunch launch{call, nullptr, around_ ? functionName(around_) : std::string()};
    if (const clang::FunctionDecl *callee = call->getDirectCallee()) {
      launch.kernel = patternOf(callee);
    } else if (const auto *lookup =
                   dyn_cast<clang::OverloadExpr>(call->getCallee()->IgnoreParenImpCasts())) {
      for (const clang::NamedDecl *candidate : lookup->decls())
        if (const auto *function = dyn_cast<clang::FunctionDecl>(candidate->getAsFunction()))
          if (function->hasAttr<clang::CUDAGlobalAttr>())
            launch.kernel = patternOf(function);
    }
    found_.launches.push_back(std::move(launch));
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier())
      return true;
    std::string name = callee->getName().str();
    if (context_.isUsers(callee->getLocation())) {
      const CudaCall *made = standsFor(*callee);
      if (!made)
        return true;
      name = made->name;
    }
    FoundMemoryCall memory{call, memoryCallKind(name), name, around_};
    if (memory.kind == MemoryCall::Other)
      return true;
    for (const clang::Expr *argument : call->arguments()) {
      const clang::Expr *pointer = peel(argument);
      const clang::Expr *array = pointer;
      if (const auto *address = dyn_cast<clang::UnaryOperator>(pointer);
          address && address->getOpcode() == clang::UO_AddrOf)
        array = address->getSubExpr();
      clang::QualType type = array->getType();
      while (type->isPointerType() || type->isArrayType())
        type = type->isPointerType() ? type->getPointeeType()
                                     : type->getAsArrayTypeUnsafe()->getElementType();
      const clang::CXXRecordDecl *record = context_.arrayRecord(type, array);
      if (!record || isView(*record)) // in place of a pointer: the other side has the records
        continue;
      memory.record = record;
      const trace::Index group = context_.groupOf(array);
      if (group == trace::kNone)
        continue;
      // Of a copy's two sides the device's names the array.
      if (memory.group == trace::kNone || found_.flow.groups()[group].origins.device)
        memory.group = group;
    }
    if (memory.record) {
      memory.recordKey = context_.recordKey(memory.record);
      found_.memory.push_back(std::move(memory));
    }
    return true;
  }

  std::vector<clang::FunctionDecl *> definitions;
  std::set<const clang::FunctionDecl *> patterns;

private:
  template <class Traverse> bool within(const clang::FunctionDecl *function, Traverse traverse) {
    const clang::FunctionDecl *outer = around_;
    around_ = function;
    const bool goOn = traverse();
    around_ = outer;
    return goOn;
  }

  WalkContext &context_;
  UnitFacts &found_;
  const clang::FunctionDecl *around_ = nullptr;
};

/// Walks every device function once, those found on the way included.
class Reader {
public:
  Reader(WalkContext &context, UnitFacts &found) : context_(context), found_(found) {}

  std::size_t read(const clang::FunctionDecl *function) {
    const auto [entry, isNew] = found_.instanceOf.try_emplace(function, found_.instances.size());
    if (!isNew)
      return entry->second;
    const std::size_t index = entry->second;
    FunctionInstance &instance = found_.instances.emplace_back();
    SourceFunction &source = sourceOf(function);
    instance.source = &source;
    instance.symbol = symbolOf(context_.unit, function);
    if (source.isKernel) {
      found_.kernels.push_back(index);
      for (const clang::ParmVarDecl *parameter : function->parameters())
        instance.takesRecordPointers |= reachesRecords(context_, parameter->getType());
    }
    BodyWalker walker(context_, source, instance,
                      [&](const clang::FunctionDecl *function, const Point *loop) {
                        const std::size_t reached = read(function);
                        instance.calls.push_back({reached, loop});
                        const FunctionInstance &callee = found_.instances[reached];
                        return Followed{callee.source, callee.outline};
                      });
    walker.walkFunction(function);
    if (!context_.facts.describesCode)
      return index;
    countArithmetic(*function, source);
    if (source.isKernel)
      source.liveWords = std::max(source.liveWords, countLiveWords(*function, context_.unit.ast()));
    return index;
  }

private:
  static void addVersion(const trace::Operations &version,
                         std::vector<trace::Operations> &versions) {
    if (std::ranges::find(versions, version) == versions.end())
      versions.push_back(version);
  }

  [[nodiscard]] bool isCounted(const clang::Stmt &loop) const {
    const StablePlace begin = context_.stable(loop.getBeginLoc());
    const auto point = context_.facts.pointAt.find({begin, begin, PointKind::Loop});
    return point != context_.facts.pointAt.end() && point->second->isCounted;
  }

  void countArithmetic(const clang::FunctionDecl &function, SourceFunction &source) {
    const OperationCounts counts = countOperations(
        function, context_.unit.ast(), [this](const clang::Stmt &loop) { return isCounted(loop); });
    addVersion(counts.outside, source.operations);
    for (Point *point : source.points)
      if (const auto loop = counts.inLoop.find(point->walkedLoop);
          point->kind == PointKind::Loop && loop != counts.inLoop.end())
        addVersion(loop->second, point->operations);
  }

  SourceFunction &sourceOf(const clang::FunctionDecl *function) {
    const StablePlace key = context_.stable(function->getLocation());
    const auto [entry, isNew] = context_.facts.functions.try_emplace(key);
    SourceFunction &source = entry->second;
    if (isNew) {
      source.name = functionName(function);
      source.place = context_.unit.place(function->getLocation());
      source.isKernel = function->hasAttr<clang::CUDAGlobalAttr>();
      if (source.isKernel)
        source.symbol = symbolOf(context_.unit, patternOf(function));
      if (context_.isHostPass) {
        const auto brace = context_.tokens.indexOf(function->getBody()->getBeginLoc());
        source.takesProbes = brace && isa<clang::CompoundStmt>(function->getBody()) &&
                             context_.takesProbes(function);
        source.isConstexpr = function->isConstexprSpecified();
        source.bodyBrace = brace.value_or(0);
      }
    }
    if (context_.unit.usesCudaArch()) {
      const auto first = context_.tokens.indexOf(function->getBody()->getBeginLoc());
      const auto last = context_.tokens.indexOf(function->getBody()->getEndLoc());
      if (first && last)
        (context_.isHostPass ? source.hostText : source.deviceText) =
            context_.tokens.text(*first, *last);
    }
    return source;
  }

  WalkContext &context_;
  UnitFacts &found_;
};

/// True if the pattern of a template mentions members at all.
class MentionsMembers : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitMemberExpr(clang::MemberExpr *) override { return !(found = true); }
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr *) override {
    return !(found = true);
  }
  bool found = false;
};

} // namespace

ReadUnit readUnit(std::shared_ptr<ParsedUnit> unit, ArrayFlow flow, Pass pass, Facts &facts) {
  ReadUnit read;
  read.unit = std::move(unit);
  read.edits = std::make_unique<TokenEdits>(*read.unit);
  read.found.flow = std::move(flow);
  WalkContext context{*read.unit,
                      *read.edits,
                      facts,
                      pass == Pass::Host,
                      [&](const clang::Expr *array) {
                        return pass == Pass::Host ? read.found.flow.groupOf(array) : trace::kNone;
                      },
                      [&](const clang::Expr *array) {
                        const trace::Index group = read.found.flow.groupOf(array);
                        // What was cast to vectors is an array of something else.
                        return group != trace::kNone &&
                               isKnownDeviceArray(read.found.flow.groups()[group]);
                      }};
  context.fieldArguments = readFieldArguments(context);
  Finder finder(context, read.found);
  for (clang::Decl *declaration : read.unit->ast().getTranslationUnitDecl()->decls())
    if (context.isUsers(declaration->getLocation()))
      finder.TraverseDecl(declaration);

  Reader reader(context, read.found);
  for (const clang::FunctionDecl *function : finder.definitions)
    reader.read(function);
  for (const clang::FunctionDecl *pattern : finder.patterns) {
    if (facts.functions.contains(context.stable(pattern->getLocation())))
      continue;
    MentionsMembers mentions;
    mentions.TraverseStmt(pattern->getBody());
    if (mentions.found)
      facts.find(Severity::Remark, Code::NotInstantiated,
                 fmt::format("'{}' is a template that nothing here instantiates: its accesses are "
                             "not traced",
                             functionName(pattern)),
                 read.unit->place(pattern->getLocation()));
  }
  for (trace::Index i = 0; i < read.found.flow.groups().size(); ++i)
    if (const clang::CXXRecordDecl *record = read.found.flow.groups()[i].record)
      if (const clang::CXXRecordDecl *definition = record->getDefinition();
          definition &&
          (context.isUsers(definition->getLocation()) || isVectorType(*definition) ||
           isScalarRecord(*definition)) &&
          !definition->isDependentType() && !definition->isLambda() &&
          !allFields(definition).empty())
        read.found.groupRecord[i] = context.recordKey(definition);
  return read;
}

} // namespace relayout::instrument
