// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which accesses of a function one counter counts, and which counters a loop keeps in
// registers.
#include "gpu/counter_sharing.h"

#include "gpu/control_regions.h"
#include "gpu/run_once.h"
#include "gpu/variable_uses.h"
#include "model/body_walker.h"
#include "parse/statement_tokens.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Registers that counters of one function may take: two a counter.
constexpr int kMostCounters = 12;

/// Accesses in loops of one function whose records are made where they stand. The recorder is a
/// hundred instructions each time, and with more of them nvcc takes longer than for the program.
constexpr int kMostInPlace = 2;

/// What an accessed object is part of, as far as that tells the kind of memory.
struct Memory {
  bool isGlobal = false;
  StablePlace variable; ///< else that of the pointer or reference it was reached through

  auto operator<=>(const Memory &) const = default;
};

/// Where a function's text has an expansion of a pack in it.
std::vector<TokenRange> expansionsIn(const ReadUnit &unit, const clang::FunctionDecl *pattern) {
  class Search : public clang::DynamicRecursiveASTVisitor {
  public:
    explicit Search(const TokenEdits &edits) : edits_(edits) {}
    bool VisitPackExpansionExpr(clang::PackExpansionExpr *expansion) override {
      return add(expansion);
    }
    bool VisitCXXFoldExpr(clang::CXXFoldExpr *fold) override { return add(fold); }
    std::vector<TokenRange> found;

  private:
    bool add(const clang::Expr *expression) {
      const auto first = edits_.indexOf(expression->getBeginLoc());
      const auto last = edits_.indexOf(expression->getEndLoc());
      if (first && last)
        found.push_back({*first, *last});
      return true;
    }
    const TokenEdits &edits_;
  } search(*unit.edits);
  search.TraverseStmt(pattern->getBody());
  return std::move(search.found);
}

class Sharing {
public:
  explicit Sharing(UnitReading &unit) : read_(unit), facts_(unit.facts) {}

  void run() {
    const WalkContext context{*read_.host.unit, *read_.host.edits, facts_, true,
                              [](const clang::Expr *) { return trace::kNone; }};
    for (const auto &[function, index] : read_.host.found.instanceOf) {
      const SourceFunction *source = read_.host.found.instances[index].source;
      bool &isFollowed = isFollowed_.try_emplace(source, true).first->second;
      const RegionSink sink{[&](const clang::Expr *expression, const ControlRegion &region) {
                              noteAccess(context, expression, region);
                            },
                            [&](const LoopFound &found) {
                              if (Point *point = loopAt(context, found.loop)) {
                                noteLoop(*point, found);
                              }
                            }};
      const VariableUses uses = usesIn(function);
      isFollowed &=
          findRegions(context, function, uses, sink) && source->hostText == source->deviceText;
      reassigned_.insert(uses.reassigned.begin(), uses.reassigned.end());
      forgetExpanded(patternOf(function), *source);
    }
    const std::set<const SourceFunction *> once = functionsRunOnce(facts_);
    for (auto &[place, function] : facts_.functions)
      if (function.takesProbes)
        share(context, function, once.contains(&function));
  }

private:
  void noteLoop(Point &point, const LoopFound &found) {
    point.partsLanes |= !found.isUniform && !found.hasPragma;
    point.hasPragma |= found.hasPragma;
    const auto [known, isNew] = uniformLoops_.try_emplace(&point, found.uniformLoop);
    if (!isNew && known->second != found.uniformLoop)
      known->second.reset();
  }

  /// The region of the access that this expression is, if it is one.
  void noteAccess(const WalkContext &context, const clang::Expr *expression,
                  const ControlRegion &region) {
    const StablePlace begin = context.stable(expression->getBeginLoc());
    const StablePlace end = context.stable(expression->getEndLoc());
    for (const PointKind kind : {PointKind::Read, PointKind::Write, PointKind::Atomic}) {
      const auto found = facts_.pointAt.find({begin, end, kind});
      if (found == facts_.pointAt.end())
        continue;
      const auto [known, isNew] = regions_.try_emplace(found->second, region);
      if (!isNew && known->second != region)
        known->second.reset();
    }
  }

  [[nodiscard]] Point *loopAt(const WalkContext &context, const clang::Stmt *loop) const {
    const StablePlace begin = context.stable(loop->getBeginLoc());
    const auto found = facts_.pointAt.find({begin, begin, PointKind::Loop});
    return found != facts_.pointAt.end() ? found->second : nullptr;
  }

  /// What a pack is expanded in stands there once, and is run any number of times.
  void forgetExpanded(const clang::FunctionDecl *pattern, const SourceFunction &source) {
    for (const TokenRange &range : expansionsIn(read_.host, pattern))
      for (const Point *point : source.points)
        if (point->inHostPass && range.first <= point->firstToken && point->lastToken <= range.last)
          regions_[point].reset();
  }

  /// \param object  a pointer, or an object of a record
  [[nodiscard]] std::optional<Memory> memoryOf(const WalkContext &context,
                                               const clang::Expr *object) const {
    object = object->IgnoreParenImpCasts();
    if (const auto *sum = dyn_cast<clang::BinaryOperator>(object);
        sum && sum->isAdditiveOp() && object->getType()->isPointerType())
      return memoryOf(context,
                      sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS());
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(object);
        unary && (unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref))
      return memoryOf(context, unary->getSubExpr());
    if (const auto *element = dyn_cast<clang::ArraySubscriptExpr>(object);
        element && !element->getType()->isPointerType())
      return memoryOf(context, element->getBase());
    bool isMember = false;
    while (const auto *member = dyn_cast<clang::MemberExpr>(object)) {
      if (member->isArrow())
        return std::nullopt;
      isMember = true;
      object = member->getBase()->IgnoreParenImpCasts();
    }
    const auto *name = dyn_cast<clang::DeclRefExpr>(object);
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable || reassigned_.contains(variable))
      return std::nullopt;
    const clang::QualType type = variable->getType();
    // Nobody can hand a kernel a pointer to shared or local memory.
    if (const auto *function = dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
        function && isa<clang::ParmVarDecl>(variable) &&
        function->hasAttr<clang::CUDAGlobalAttr>() && (type->isPointerType() || isMember))
      return Memory{true, {}};
    if (isMember || (!type->isPointerType() && !type->isReferenceType()))
      return std::nullopt;
    if (variable->hasInit() && !isa<clang::ParmVarDecl>(variable))
      if (const auto memory = memoryOf(context, variable->getInit()))
        return memory;
    return Memory{false, context.stable(variable->getLocation())};
  }

  [[nodiscard]] std::optional<Memory> memoryOf(const WalkContext &context,
                                               const Point &point) const {
    std::optional<Memory> memory;
    for (const clang::Expr *object : point.objects) {
      const auto one = memoryOf(context, object);
      if (!one || (memory && *memory != *one))
        return std::nullopt;
      memory = one;
    }
    return memory;
  }

  /// Null where it is not known, or instantiations disagree.
  [[nodiscard]] const ControlRegion *regionOf(const Point &point) const {
    const auto found = regions_.find(&point);
    return found != regions_.end() && found->second ? &*found->second : nullptr;
  }

  void share(const WalkContext &context, SourceFunction &function, bool runsOnce) {
    const auto followed = isFollowed_.find(&function);
    const bool isFollowed = followed != isFollowed_.end() && followed->second;
    std::map<std::pair<ControlRegion, Memory>, Point *> first;
    int counters = 0;
    int inPlace = 0;
    for (Point *point : function.points) {
      if (point->id == 0 || !point->inHostPass || point->kind == PointKind::Loop ||
          point->kind == PointKind::Call || point->firstToken <= function.bodyBrace)
        continue;
      point->isInBody = true;
      point->recordsInPlace = !isFollowed || !runsOnce || point->loop != nullptr;
      inPlace += point->recordsInPlace;
      if (point->isPartner)
        continue; // counted with the read that goes before it
      const ControlRegion *region = isFollowed ? regionOf(*point) : nullptr;
      const auto memory = memoryOf(context, *point);
      if (region && memory) {
        const auto [counted, isFirst] = first.try_emplace({*region, *memory}, point);
        if (!isFirst)
          point->countedBy = counted->second;
      }
      if (point->partner)
        point->partner->countedBy = point->countedBy ? point->countedBy : point;
      if (!point->countedBy && point->loop != nullptr && counters < kMostCounters) {
        point->counter = counters++;
        // Elsewhere, only each access tells whether it is in global memory.
        if (region && memory && memory->isGlobal)
          point->together = region->uniformLoop;
      }
    }
    if (inPlace > kMostInPlace)
      for (Point *point : function.points)
        point->recordsInPlace = false;
    countLoops(function, isFollowed, counters);
  }

  /// Loops in which no access stands count their iterations.
  void countLoops(SourceFunction &function, bool isFollowed, int counters) {
    for (Point *point : function.points) {
      if (point->kind != PointKind::Loop || !point->isCounted || point->id == 0 ||
          !point->inHostPass || point->firstToken <= function.bodyBrace ||
          counters == kMostCounters ||
          std::ranges::any_of(function.points, [point](const Point *other) {
            return isAccess(*other) && other->loop == point;
          }))
        continue;
      point->counter = counters++;
      if (const auto uniform = uniformLoops_.find(point);
          isFollowed && uniform != uniformLoops_.end())
        point->together = uniform->second;
    }
  }

  UnitReading &read_;
  Facts &facts_;
  std::map<const Point *, std::optional<ControlRegion>> regions_; ///< none: instantiations disagree
  std::map<const Point *, std::optional<TokenRange>> uniformLoops_;
  std::map<const SourceFunction *, bool> isFollowed_;
  VariableUses::Variables reassigned_; ///< may come to point elsewhere
};

} // namespace

void shareCounts(UnitReading &unit) { Sharing(unit).run(); }

} // namespace relayout::instrument
