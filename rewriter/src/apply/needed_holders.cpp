// SPDX-License-Identifier: Apache-2.0
// Matches a plan's groups of arrays with the members of structs and parameters of
// functions that became two.
#include "apply/needed_holders.h"

#include "apply/plan_match.h"
#include "legality/declared_alignment.h"
#include "legality/record_shape.h"
#include "pass/parsed_passes.h"
#include "relayout/instrument/clang/array_flow.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

/// Alignment is said at the record's declaration, whatever holds the arrays.
bool isAlignmentAlone(const analysis::Decision &decision, const instrument::ArrayGroup &group,
                      instrument::ParsedUnit &unit) {
  Findings none(unit);
  const std::optional<RecordShape> shape =
      group.record && group.record->getDefinition()
          ? shapeOfMembers(*group.record->getDefinition(), none)
          : std::nullopt;
  return shape && alignmentAlone(decision, *shape) != 0;
}

/// Whether a form of the program, with fewer structs that are two, still has the second types that
/// decisions are about: a struct alone may be one, as its pointers meet those of another.
bool hasSecondTypes(const instrument::ParsedProgram &form, const instrument::ParsedProgram &program,
                    const std::set<std::string> &records) {
  const auto isSecond = [](const instrument::ParsedProgram &of, const std::string &record) {
    return std::ranges::find(of.sharedHolders(), record, &instrument::SharedHolder::deviceName) !=
           of.sharedHolders().end();
  };
  return std::ranges::all_of(records, [&](const std::string &record) {
    return !isSecond(program, record) || isSecond(form, record);
  });
}

} // namespace

Result<instrument::ParsedProgram> withNeededHolders(const instrument::ParsedProgram &program,
                                                    const analysis::Plan &plan) {
  const auto units = program.units(instrument::Pass::Host);
  if (!units)
    return tl::unexpected(units.error());
  std::set<std::string> needed, neededClasses, records, decided;
  const std::vector<instrument::ArrayFlow> &flows = program.flows(instrument::Pass::Host);
  for (std::size_t u = 0; u < flows.size(); ++u)
    for (const analysis::Decision &decision : plan.decisions) {
      const instrument::ArrayFlow &flow = flows[u];
      if (decision.keep)
        continue;
      decided.insert(decision.record);
      needed.insert(decision.record); // may be the second type itself
      for (const std::uint32_t group : groupsOf(flow, decision, instrument::Pass::Host))
        for (const clang::ValueDecl *declaration : flow.groups()[group].declarations) {
          needed.insert({holderNameOf(*declaration), instrument::ArrayFlow::nameOf(declaration)});
          if (isAlignmentAlone(decision, flow.groups()[group], *(**units)[u]))
            continue;
          neededClasses.insert(holderNameOf(*declaration));
          if (flow.groups()[group].record)
            records.insert(instrument::traceNameOf(*flow.groups()[group].record));
        }
    }
  std::set<std::string> split;
  for (const instrument::SharedHolder &holder : program.sharedHolders())
    if (const std::set<std::string> &own = holder.standsForLibrary() ? neededClasses : needed;
        own.contains(holder.name) || own.contains(holder.deviceName) ||
        (holder.hasDevicePointers && records.contains(holder.vectorsOf)))
      split.insert(holder.name);
  const instrument::ParsedProgram form = program.withHolders(std::move(split));
  if (const auto read = form.units(instrument::Pass::Host); !read)
    return tl::unexpected(read.error());
  return hasSecondTypes(form, program, decided) ? form : program;
}

std::set<std::string> idleCopies(const std::vector<const Units *> &passes,
                                 const std::vector<instrument::SharedHolder> &functions) {
  std::set<std::string> withViews;
  for (const Units *units : passes)
    for (const auto &unit : *units)
      for (const clang::DeclaratorDecl *declarator : unit->program.index.declarators())
        if (const auto *function =
                clang::dyn_cast<clang::FunctionDecl>(declarator->getDeclContext());
            function && unit->program.targetOf(declarator))
          withViews.insert(function->getNameAsString() + "()");
  std::set<std::string> idle;
  for (const instrument::SharedHolder &function : functions) {
    std::set<std::string> names = {function.name, function.deviceName};
    for (const std::string &copy : function.overloads)
      names.insert(copy + "()");
    if (function.name.ends_with("()") && !function.deviceName.empty() &&
        std::ranges::none_of(names,
                             [&](const std::string &name) { return withViews.contains(name); }))
      idle.insert(function.name);
  }
  return idle;
}

Result<Rewrite> withoutIdleCopies(Result<Rewrite> rewrite, const instrument::ParsedProgram &split,
                                  const analysis::Plan &plan) {
  if (!rewrite || rewrite->refused() || rewrite->idleCopies.empty())
    return rewrite;
  std::set<std::string> others;
  for (const instrument::SharedHolder &holder : split.sharedHolders())
    if (!holder.deviceName.empty() && !rewrite->idleCopies.contains(holder.name))
      others.insert(holder.name);
  ParsedPasses passes(split.withHolders(std::move(others)));
  Result<Rewrite> again = rewriteParsed(passes, plan, /*isOtherwiseSplit=*/true);
  return again && !again->refused() ? std::move(again) : std::move(rewrite);
}

namespace {

/// Says why functions could not get the copies that they would need.
void noteObstacles(Rewrite &refusal, const std::vector<instrument::SharedHolder> &functions) {
  for (const instrument::SharedHolder &function : functions) {
    if (function.obstacle.empty() || !refusal.wantedCopies.contains(function.name))
      continue;
    const std::string quoted =
        fmt::format("'{}'", function.name.substr(0, function.name.size() - 2)); // without `()`
    for (Diagnostic &finding : refusal.findings)
      if (finding.code == Code::UnsupportedElementUse &&
          finding.text.find("is changed by " + quoted) != std::string::npos)
        finding.notes.insert(
            finding.notes.begin(),
            {function.obstaclePlace, fmt::format("{} cannot have an overload for elements: {}",
                                                 quoted, function.obstacle)});
  }
}

/// Says what else stands in the way where methods are functions that are given the element, and
/// macros are written out.
void noteFurther(Rewrite &refusal, const Rewrite &again) {
  const auto isNew = [&](const Diagnostic &other) {
    return other.severity == Severity::Error &&
           std::ranges::none_of(refusal.findings,
                                [&](const Diagnostic &known) { return known.text == other.text; });
  };
  const auto further = std::ranges::find_if(again.findings, isNew);
  if (further == again.findings.end())
    return;
  for (Diagnostic &finding : refusal.findings) {
    const bool isOfMacro = finding.code == Code::EditInMacro;
    if (!isOfMacro && (finding.code != Code::UnsupportedElementUse ||
                       finding.text.find("the element is changed by") == std::string::npos))
      continue;
    finding.notes.insert(
        finding.notes.begin(),
        {further->where, (isOfMacro ? "written out, it is not rewritten either: "
                                    : "given the element itself instead of a copy, "
                                      "it is not rewritten either: ") +
                             further->text});
    return;
  }
}

/// Says why spans stay the library's, where pointers are refused for that.
void noteSpans(Rewrite &refusal, const std::vector<instrument::SharedHolder> &holders) {
  for (const instrument::SharedHolder &holder : holders) {
    if (holder.spansOf.empty() || holder.obstacle.empty())
      continue;
    for (Diagnostic &finding : refusal.findings)
      if (finding.code == Code::PointerEscapes &&
          finding.text.find("std::span'") != std::string::npos)
        finding.notes.insert(
            finding.notes.begin(),
            {holder.obstaclePlace,
             fmt::format("spans of '{}' are not rewritten: {}", holder.spansOf, holder.obstacle)});
  }
}

} // namespace

RewriteOf withWantedCopies(const instrument::ParsedProgram &split, const analysis::Plan &plan) {
  ParsedPasses passes(split);
  RewriteOf plain{withoutIdleCopies(rewriteParsed(passes, plan), split, plan), split};
  if (plain.rewrite && plain.rewrite->refused())
    noteSpans(*plain.rewrite, split.sharedHolders());
  if (!plain.rewrite || !plain.rewrite->refused() || plain.rewrite->wantedCopies.empty())
    return plain;
  // What a copy calls may want copies in its turn.
  constexpr int kMostRounds = 4;
  std::set<std::string> wanted = plain.rewrite->wantedCopies;
  instrument::ParsedProgram more = split;
  for (int round = 0; round < kMostRounds; ++round) {
    more = more.withCopies(wanted);
    ParsedPasses morePasses(more);
    Result<Rewrite> again =
        withoutIdleCopies(rewriteParsed(morePasses, plan, /*isOtherwiseSplit=*/true), more, plan);
    if (!again)
      return plain;
    if (!again->refused())
      return {std::move(again), more, true};
    if (std::ranges::includes(wanted, again->wantedCopies)) {
      noteFurther(*plain.rewrite, *again);
      break;
    }
    wanted.insert(again->wantedCopies.begin(), again->wantedCopies.end());
  }
  noteObstacles(*plain.rewrite, more.sharedHolders());
  return {std::move(plain.rewrite), more, true};
}

} // namespace relayout::rewriter
