// SPDX-License-Identifier: Apache-2.0
// Makes a traced program say how it writes the extents of what it allocates, and their values; and,
// where it calls functions that allocate, which names the extents have there.
#include "probes/extent_notes.h"

#include "model/multipliers.h"
#include "relayout/instrument/clang/row_extents.h"
#include "relayout/instrument/clang/size_factors.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::isa;

/// Tables of numbers are no extents.
constexpr std::size_t kMostConstants = 200;

/// Calls within calls that lead to an allocation.
constexpr int kDeepestCall = 3;

bool allocates(MemoryCall call) {
  return call == MemoryCall::Malloc || call == MemoryCall::MallocHost;
}

/// Allocations of rows, and of arrays for textures, have a pointer there.
bool takesBytes(const FoundMemoryCall &allocation) {
  return allocates(allocation.kind) && allocation.call->getNumArgs() > 1 &&
         allocation.call->getArg(1)->getType()->isIntegerType();
}

/// The names and constants that an extent may be.
struct Extents {
  /// Those that lead to a factor of the array's subscripts, by the steps to it: of several with one
  /// value the first is it.
  std::multimap<unsigned, std::string> factors;
  std::string others;

  [[nodiscard]] std::string factorsText() const {
    std::string text;
    for (const auto &[steps, extent] : factors)
      text += extent;
    return text;
  }
};

std::string noteOf(const ExtentName &name, const SubscriptFactors &factors) {
  return fmt::format("{{\"{0}\", static_cast<unsigned long long>({0}), {1}}}, ", name.text,
                     factors.digitOf(name));
}

/// The types of pointers to rows say the extents of the lowest digits.
std::string notesOfRows(const ArrayGroup &group) {
  std::string text;
  unsigned digit = 0;
  for (const std::uint64_t extent :
       rowExtentsOf(group).value_or(std::vector<std::uint64_t>()) | std::views::reverse)
    text += fmt::format("{{\"{0}\", {0}u, {1}}}, ", extent, ++digit);
  return text;
}

Extents extentsOf(const FoundMemoryCall &memory, const ArrayFlow &flow,
                  const Multipliers &multipliers, const PassedNames &passed) {
  Extents extents;
  if (memory.group != trace::kNone)
    if (const std::string rows = notesOfRows(flow.groups()[memory.group]); !rows.empty())
      extents.factors.emplace(0, rows);
  const SubscriptFactors factors = multipliers.factorsOf(memory.group);
  const auto add = [&](std::optional<unsigned> steps, const std::string &text) {
    if (steps)
      extents.factors.emplace(*steps, text);
    else
      extents.others += text;
  };
  for (const ExtentName &name : extentNames(*memory.call, memory.around, passed))
    add(factors.stepsFrom(name), noteOf(name, factors));
  std::size_t constants = 0;
  for (const std::uint64_t constant : multipliers.constants())
    if (const std::optional<unsigned> steps = factors.stepsFrom(constant);
        steps && constants++ < kMostConstants)
      add(steps, fmt::format("{{\"{0}\", {0}u, 0}}, ", constant));
  return extents;
}

/// Calls of functions of the program, and constructions, by what is called.
class CallFinder : public clang::DynamicRecursiveASTVisitor {
public:
  struct Call {
    const clang::Expr *expression = nullptr;
    const clang::FunctionDecl *around = nullptr;
  };

  explicit CallFinder(const clang::SourceManager &sources) : sources_(sources) {
    ShouldVisitTemplateInstantiations = true;
  }

  std::map<const clang::FunctionDecl *, std::vector<Call>> calls; ///< by pattern

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
        sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation())))
      return true;
    const clang::FunctionDecl *outer = around_;
    if (const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration))
      around_ = function;
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = outer;
    return goOn;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    if (const clang::FunctionDecl *callee = call->getDirectCallee();
        callee && !isa<clang::CXXOperatorCallExpr>(call))
      add(*callee, *call);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    add(*made->getConstructor(), *made);
    return true;
  }

private:
  void add(const clang::FunctionDecl &callee, const clang::Expr &call) {
    if (around_ && !around_->isDependentContext())
      calls[patternOf(&callee)->getCanonicalDecl()].push_back({&call, around_});
  }

  const clang::SourceManager &sources_;
  const clang::FunctionDecl *around_ = nullptr;
};

class ExtentNotes {
public:
  ExtentNotes(UnitReading &unit, const NotingCalls &calls)
      : unit_(unit), noting_(calls), edits_(*unit.host.edits),
        multipliers_(*unit.host.unit, unit.host.found.flow),
        passed_(passedNames(unit.host.unit->ast())), calls_(unit.host.unit->sources()) {
    calls_.TraverseAST(unit.host.unit->ast());
  }

  void write() {
    for (const FoundMemoryCall &memory : unit_.host.found.memory) {
      if (!takesBytes(memory))
        continue;
      if (memory.around)
        noteCallers(*memory.around, multipliers_.factorsOf(memory.group), kDeepestCall);
      noteAllocation(memory);
    }
    for (const auto &[start, noted] : callers_)
      if (!noted.factors.empty())
        edits_.wrap(start, noted.last,
                    fmt::format("(void({}{{{{{}}}}}), ", noting_.callers, noted.factorsText()),
                    ")");
  }

private:
  using Index = TokenEdits::Index;

  /// What is noted with an argument, or with the call itself.
  struct Noted : Extents {
    Index last = 0;
  };

  void noteAllocation(const FoundMemoryCall &memory) {
    const auto first = edits_.indexOf(memory.call->getBeginLoc());
    const auto last = edits_.indexOf(memory.call->getEndLoc());
    // A template's allocation is found once an instance.
    if (!first || !last || !allocations_.insert(*first).second)
      return;
    const Extents extents = extentsOf(memory, unit_.host.found.flow, multipliers_, passed_);
    const std::string lists =
        extents.factors.empty() && extents.others.empty()
            ? std::string()
            : fmt::format("{{{}}}, {{{}}}", extents.factorsText(), extents.others);
    if (const std::string note = noting_.allocation(memory, lists); !note.empty())
      edits_.wrap(*first, *last, "(" + note + ", ", ")");
  }

  void noteCallers(const clang::FunctionDecl &function, const SubscriptFactors &factors,
                   int depth) {
    const auto found = calls_.calls.find(patternOf(&function)->getCanonicalDecl());
    if (found == calls_.calls.end() || depth == 0)
      return;
    for (const CallFinder::Call &call : found->second) {
      if (Noted *noted = notedAt(*call.expression))
        for (const ExtentName &name : extentNames(*call.expression, call.around, passed_))
          if (const std::optional<unsigned> steps = factors.stepsFrom(name))
            add(*noted, *steps, noteOf(name, factors));
      if (call.around != &function)
        noteCallers(*call.around, factors, depth - 1);
    }
  }

  static void add(Extents &extents, unsigned steps, const std::string &text) {
    if (std::ranges::find(extents.factors, text, [](const auto &known) { return known.second; }) ==
        extents.factors.end())
      extents.factors.emplace(steps, text);
  }

  /// An integer that is passed; else the call. A construction may be a declaration's. Null where
  /// neither is spelled in one place.
  Noted *notedAt(const clang::Expr &call) {
    for (const clang::Expr *argument : argumentsOf(call))
      if (argument->getType()->isIntegerType() && !isa<clang::CXXDefaultArgExpr>(argument))
        if (Noted *noted = notedBetween(argument->getBeginLoc(), argument->getEndLoc()))
          return noted;
    return isa<clang::CallExpr>(call) ? notedBetween(call.getBeginLoc(), call.getEndLoc())
                                      : nullptr;
  }

  Noted *notedBetween(clang::SourceLocation begin, clang::SourceLocation end) {
    const auto first = edits_.indexOf(begin);
    const auto last = edits_.indexOf(end);
    if (!first || !last)
      return nullptr;
    Noted &noted = callers_[*first];
    if (noted.last != 0 && noted.last != *last)
      return nullptr;
    noted.last = *last;
    return &noted;
  }

  UnitReading &unit_;
  const NotingCalls &noting_;
  TokenEdits &edits_;
  const Multipliers multipliers_;
  const PassedNames passed_;
  CallFinder calls_;
  std::set<Index> allocations_;
  std::map<Index, Noted> callers_; ///< by the first token
};

} // namespace

void noteExtents(UnitReading &unit, const NotingCalls &calls) {
  if (unit.command.language != Language::C) // the notes are C++
    ExtentNotes(unit, calls).write();
}

} // namespace relayout::instrument
