// SPDX-License-Identifier: Apache-2.0
// Carries a plan out over all units of a program: matches decisions with arrays, runs the passes,
// and puts the headers in place.
#include "relayout/rewriter/rewrite.h"

#include "apply/array_variables.h"
#include "apply/header_names.h"
#include "apply/include_placer.h"
#include "apply/launch_bounds.h"
#include "apply/needed_holders.h"
#include "apply/overload_names.h"
#include "apply/plan_match.h"
#include "apply/shared_headers.h"
#include "apply/text_for_c.h"
#include "apply/unit_pass.h"
#include "apply/vector_headers.h"
#include "legality/declared_alignment.h"
#include "legality/record_shape.h"
#include "legality/template_arguments.h"
#include "pass/parsed_passes.h"
#include "pass/program.h"
#include "relayout/instrument/clang/row_extents.h"
#include "rules/reference_checks.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ranges>
#include <set>

namespace relayout::rewriter {
namespace {

namespace fs = std::filesystem;
using analysis::Decision;
using analysis::Plan;
using instrument::ArrayFlow;
using instrument::ParsedUnit;

/// `-std=c++03`, also as `-std c++03`.
bool isOlderThanViews(const std::vector<std::string> &flags) {
  return std::ranges::any_of(flags, [](const std::string &flag) {
    return flag.ends_with("++98") || flag.ends_with("++03");
  });
}

Error otherProgram(const Plan &plan, std::string what) {
  return Error{Code::PlanOfOtherProgram, std::move(what), {plan.sourceFile, 0, 0}, {}};
}

class Rewriter {
public:
  Rewriter(ParsedPasses &passes, const Plan &plan, bool isOtherwiseSplit,
           SeparateTemplates &separate)
      : passes_(passes), plan_(plan), isOtherwiseSplit_(isOtherwiseSplit), separate_(separate) {}

  Result<Rewrite> run() {
    if (const Result<void> noted = noteFixedAlignments(); !noted)
      return tl::unexpected(noted.error());
    for (const instrument::Pass pass : {instrument::Pass::Host, instrument::Pass::Device}) {
      const auto views = passes_.views(pass);
      if (!views)
        return tl::unexpected(views.error());
      if (const Result<void> done = runPass(*views, pass); !done)
        return tl::unexpected(done.error());
    }
    Rewrite rewrite;
    OverloadNames names = overloadNames(passes_.sharedHolders());
    nameOverloads(names, findings_);
    rewrite.findings = std::move(findings_);
    rewrite.wantedCopies = references_.wantedCopies();
    if (rewrite.refused())
      return rewrite;
    for (Diagnostic &variable : variables_) {
      variable.severity = Severity::Warning;
      rewrite.findings.push_back(std::move(variable));
    }
    rewrite.idleCopies = idleCopies({&hostUnits_, &deviceUnits_}, passes_.sharedHolders());
    rewrite.sources = std::move(sources_);
    includeVectorHeaders(rewrite.sources, vectorIncludes_, headerFolders_, edits_);
    if (const Result<void> applied = edits_.apply(rewrite.sources); !applied) {
      rewrite.findings.push_back(toDiagnostic(applied.error()));
      rewrite.sources = {};
      return rewrite;
    }
    for (const Units *units : {&hostUnits_, &deviceUnits_})
      keepDistinct(*units, names);
    nameOverloads(names, rewrite.sources);
    refuseChangesOfC(rewrite);
    refuseChangesOfOldDialects(rewrite);
    if (rewrite.refused()) {
      rewrite.sources = {};
      return rewrite;
    }
    std::ranges::move(headers_.write(headerFolders_, rewrite.sources),
                      std::back_inserter(rewrite.sources.files));
    keepReached(rewrite.sources, units_);
    return rewrite;
  }

  /// The decisions that give arrays in shared memory another layout.
  [[nodiscard]] const std::set<const Decision *> &ofShared() const { return ofShared_; }

private:
  /// Of all units, before any declaration is edited.
  Result<void> noteFixedAlignments() {
    if (std::ranges::none_of(plan_.decisions, [](const Decision &decision) {
          return !decision.keep && decision.layout.clusters.size() == 1;
        }))
      return {};
    EditSet none;
    SharedCopies noCopies;
    LinkedFunctions noLinked;
    for (const instrument::Pass pass : {instrument::Pass::Host, instrument::Pass::Device}) {
      const auto views = passes_.views(pass);
      if (!views)
        return tl::unexpected(views.error());
      for (const ParsedPasses::View &view : *views)
        fixedAlignments_.merge(
            fixedAlignments(UnitPass(view, none, noCopies, noLinked, separate_).program));
    }
    return {};
  }

  /// Layouts that do no more than align a record are said where it is declared.
  /// \returns whether this is one, and was
  bool alignAtDeclaration(const Decision &decision, const RecordShape &shape,
                          const clang::CXXRecordDecl &record, Program &program) {
    if (alignmentAlone(decision, shape) == 0)
      return false;
    const std::optional<FilePlace> place = alignablePlace(program, record, shape);
    if (!place || fixedAlignments_.contains(*place))
      return false;
    std::uint32_t alignment = 0; // that serves all arrays of the record
    for (const Decision &other : plan_.decisions)
      if (!other.keep && other.record == decision.record)
        alignment = std::max(alignment, alignmentAlone(other, shape));
    return alignDeclaration(program, record, alignment);
  }

  void refuseChangesOfOldDialects(Rewrite &rewrite) const {
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (!isOlderThanViews(passes_.program().units[u].flags))
        continue;
      const instrument::SourceSet own = units_[u]->userSources();
      const std::string &main = own.files.front().originalPath;
      const auto isOwn = [&](const instrument::SourceText &file) {
        return file.text != file.original &&
               std::ranges::find(own.files, file.originalPath,
                                 &instrument::SourceText::originalPath) != own.files.end();
      };
      if (std::ranges::any_of(rewrite.sources.files, isOwn))
        rewrite.findings.push_back({Severity::Error,
                                    Code::DeclarationFixed,
                                    fmt::format("'{}' is compiled as C++ of before 2011, in which "
                                                "views are not written",
                                                fs::path(main).filename().string()),
                                    {main, 0, 0},
                                    {{{}, "compile it as C++11 or later"}}});
    }
  }

  /// C has no views.
  void refuseChangesOfC(Rewrite &rewrite) const {
    std::set<std::string> changed;
    for (const instrument::SourceText &file : rewrite.sources.files)
      if (textForC(file.text) != textForC(file.original))
        changed.insert(file.originalPath);
    for (instrument::ParsedUnit *unit : units_) {
      const instrument::SourceSet own = unit->userSources();
      const std::string &main = own.files.front().originalPath;
      for (const instrument::SourceText &file : own.files)
        if (!unit->ast().getLangOpts().CPlusPlus && changed.contains(file.originalPath))
          rewrite.findings.push_back(
              {Severity::Error,
               Code::DeclarationFixed,
               fmt::format("'{}' is C and includes '{}', which the rewrite changes",
                           fs::path(main).filename().string(), file.originalPath),
               {main, 0, 0},
               {{{}, "declare what C needs in a header of its own, or compile the file as C++"}}});
    }
  }

  [[nodiscard]] bool isAlone() const { return passes_.program().units.size() == 1; }

  /// All units in step: a refusal in one of them ends the pass for all.
  Result<void> runPass(const std::vector<ParsedPasses::View> &views, instrument::Pass pass) {
    const bool isHost = pass == instrument::Pass::Host;
    if (isHost)
      if (const Result<void> sameText = readSources(views); !sameText)
        return sameText;
    Units &units = isHost ? hostUnits_ : deviceUnits_;
    for (const ParsedPasses::View &view : views)
      units.push_back(std::make_unique<UnitPass>(view, edits_, copies_, linked_, separate_));
    if (!isAlone())
      for (const auto &unit : units)
        linked_.add(unit->program);
    if (const Result<void> matched = matchAll(units, pass); !matched)
      return matched;
    names_.give(units, sources_);
    inStep(units, [&](UnitPass &unit) {
      for (const auto &target : unit.targets)
        names_.check(*target, unit.program, sources_);
    });
    if (!isRefused(units))
      placeHeaders(units);
    inStep(units, [](UnitPass &unit) { rewriteDeclarations(unit.program); });
    for (const auto &unit : units)
      for (const std::string &macro : unit->program.macrosOfDeclarations)
        references_.noteMacro(macro);
    inStep(units, [&](UnitPass &unit) {
      checkSources(unit.program);
      rewriteUses(unit.program, references_);
    });
    if (!isRefused(units))
      references_.refuseVisibleCopies();
    for (const auto &unit : units)
      noteVectorHeaders(unit->program, vectorIncludes_);
    refuseUnusedTemplates(units);
    inStep(units, [&](UnitPass &unit) { checkHostCopies(unit, units); });
    inStep(units, [&](UnitPass &unit) {
      boundKernels(unit.program, {plan_.boundedKernels.begin(), plan_.boundedKernels.end()});
    });
    placeVectorHeaders(sources_, vectorIncludes_, headerFolders_);
    if (!isRefused(units))
      headers_.add(units, vectorIncludes_);
    for (const Units *all : {&hostUnits_, &deviceUnits_}) // functions are followed into all
      for (const auto &unit : *all)
        for (const Diagnostic &finding : unit->findings.all())
          addFinding(finding);
    return {};
  }

  /// One unit may include a template of which only another has an instantiation.
  void refuseUnusedTemplates(Units &units) const {
    if (isRefused(units))
      return;
    for (const auto &unit : units)
      for (const auto &[place, refusal] : unit->program.uninstantiated)
        if (!edits_.has(place) && unit->findings.empty())
          unit->findings.refuse(refusal);
  }

  static bool isRefused(const Units &units) {
    return std::ranges::any_of(units, [](const auto &unit) { return !unit->findings.empty(); });
  }

  template <class Step> static void inStep(Units &units, Step step) {
    if (!isRefused(units))
      for (const auto &unit : units)
        step(*unit);
  }

  void addFinding(const Diagnostic &finding) {
    if (std::ranges::none_of(findings_, [&](const Diagnostic &known) {
          return known.code == finding.code && known.where == finding.where;
        }))
      findings_.push_back(finding);
  }

  Result<void> readSources(const std::vector<ParsedPasses::View> &views) {
    for (const ParsedPasses::View &view : views)
      units_.push_back(view.unit);
    sources_ = instrument::sourcesOf(units_);
    if (isMadeFor(plan_, units_, sources_))
      return {};
    return tl::unexpected(otherProgram(
        plan_, fmt::format("the plan was made for other text of '{}'",
                           fmt::join(passes_.program().units |
                                         std::views::transform(&instrument::CompileCommand::file),
                                     " "))));
  }

  Result<void> matchAll(Units &units, instrument::Pass pass) {
    const bool isHost = pass == instrument::Pass::Host;
    bool hasTargets = false;
    for (const auto &unit : units) {
      std::map<std::uint32_t, const Decision *> decided;
      for (const Decision &decision : plan_.decisions)
        if (const Result<void> matched = match(decision, *unit, decided, pass); !matched)
          return matched;
      hasTargets |= !unit->targets.empty();
    }
    refuseUndefined();
    if (!isHost)
      return {};
    for (const Decision &decision : plan_.decisions)
      if (!decision.keep && !matched_.contains(&decision))
        return tl::unexpected(otherProgram(
            plan_,
            fmt::format("the plan speaks of arrays of '{}' that the program does not have, '{}' "
                        "for one",
                        decision.record, decision.arrays.front())));
    if (!hasTargets)
      for (const Diagnostic &variable : variables_)
        units.front()->findings.add(variable);
    return {};
  }

  Result<void> match(const Decision &decision, UnitPass &unit,
                     std::map<std::uint32_t, const Decision *> &decided, instrument::Pass pass) {
    Program &program = unit.program;
    for (const std::uint32_t group :
         groupsOf(program.flow, decision, pass, isOtherwiseSplit_, namesakeOf(plan_, decision))) {
      matched_.insert(&decision);
      const instrument::ArrayGroup &arrays = program.flow.groups()[group];
      const auto [before, isNew] = decided.try_emplace(group, &decision);
      if (!isNew &&
          (before->second->keep != decision.keep || !(before->second->layout == decision.layout))) {
        program.findings.refuse(
            Code::ConflictingEdits,
            fmt::format("arrays of '{}' that the plan decides about separately meet in device code",
                        nameOf(*arrays.record)),
            arrays.declarations.front()->getLocation(), "give them one layout");
        continue;
      }
      if (!decision.keep)
        if (const Result<void> targeted = target(decision, group, unit, pass); !targeted)
          return targeted;
    }
    return {};
  }

  /// Gives the group the decision's layout, unless that changes nothing.
  Result<void> target(const Decision &decision, std::uint32_t group, UnitPass &unit,
                      instrument::Pass pass) {
    Program &program = unit.program;
    const instrument::ArrayGroup &arrays = program.flow.groups()[group];
    const clang::CXXRecordDecl *record = arrays.record;
    if (arrays.origins.ownShared)
      ofShared_.insert(&decision);
    if (!record->getDefinition()) {
      undefined_.push_back({&decision, &program, record});
      return {};
    }
    std::optional<RecordShape> shape = shapeOf(program, *record);
    if (!shape)
      return {};
    if (shape->isScalar && !readRows(arrays, *shape, program.findings))
      return {};
    if (shape->isCopiedByHostAlone && (arrays.origins.managed || arrays.origins.pinned)) {
      program.findings.refuse(
          Code::NotPlainData,
          fmt::format("'{}' is not rewritten: its copy functions are the host's alone, and its "
                      "arrays are in memory that both sides reach",
                      shape->name),
          record->getLocation(), "declare them __host__ __device__");
      return {};
    }
    const bool sameFields = std::equal(
        shape->fields.begin(), shape->fields.end(), decision.fields.begin(), decision.fields.end(),
        [](const ShapeField &field, const std::string &name) { return field.name == name; });
    if (!sameFields && !isAlone())
      return fail(Code::FilesDoNotJoin,
                  fmt::format("'{}' has other fields here than in the unit that the plan was made "
                              "from, and both pass arrays of it to each other",
                              nameOf(*record)),
                  program.unit.place(record->getLocation()));
    if (!sameFields)
      return tl::unexpected(otherProgram(
          plan_, fmt::format("the plan's fields of '{}' are not the program's", decision.record)));
    if (isUnchanged(decision, *shape) || alignAtDeclaration(decision, *shape, *record, program))
      return {};
    if (isOfVariables(arrays)) {
      if (pass == instrument::Pass::Host)
        noteVariable(arrays, shape->name, program.unit);
      return {};
    }
    std::optional<analysis::Layout> layout = decision.layout;
    if (arrays.origins.exact)
      layout = analysis::withinRecords(*layout, layoutFieldsOf(*shape), shape->bytes);
    if (!layout) {
      program.findings.refuse(
          Code::PointerEscapes,
          fmt::format("the arrays of '{}' around '{}' are not rewritten: a function allocates as "
                      "many bytes as they have, and the layout takes more",
                      shape->name, arrays.arrays.front()),
          arrays.declarations.front()->getLocation(), "allocate them by cudaMalloc");
      return {};
    }
    Target *target = nullptr;
    for (const auto &known : unit.targets)
      if (known->record == record && known->layout == *layout && known->shape.rows == shape->rows)
        target = known.get();
    if (!target) {
      unit.targets.push_back(
          std::make_unique<Target>(Target{record, *shape, *layout, namesFor(*shape)}));
      target = unit.targets.back().get();
    }
    checkOrigins(arrays, *target, passes_.sharedHolders(), program.findings);
    noteArrayVariables(arrays, *target, program);
    program.parts[target].reachesHost |= arrays.origins.managed || arrays.origins.pinned;
    program.targets[group] = target;
    changed_.insert(&decision);
    return {};
  }

  /// Records that a unit only names: pointers to them would be views nevertheless.
  void refuseUndefined() {
    for (const auto &[decision, program, record] : undefined_)
      if (changed_.contains(decision))
        program->findings.refuse(
            Code::UsedBeforeDefinition,
            fmt::format("'{}' is declared here and defined in other files", nameOf(*record)),
            record->getLocation(), "include its definition");
    undefined_.clear();
  }

  static bool readRows(const instrument::ArrayGroup &arrays, RecordShape &shape,
                       Findings &findings) {
    std::optional<std::vector<std::uint64_t>> rows = instrument::rowExtentsOf(arrays);
    if (rows)
      shape.rows = std::move(*rows);
    else
      findings.refuse(
          Code::PointerEscapes,
          fmt::format("the arrays of '{}' around '{}' are not rewritten: some of their pointers "
                      "lead to elements and some to rows, or to rows of different lengths",
                      shape.name, arrays.arrays.front()),
          arrays.declarations.front()->getLocation(), "give all of them one type");
    return rows.has_value();
  }

  /// Other arrays can be rewritten beside it; alone it is a refusal.
  void noteVariable(const instrument::ArrayGroup &group, const std::string &record,
                    ParsedUnit &unit) {
    Diagnostic finding;
    finding.severity = Severity::Error;
    finding.code = Code::OtherMemory;
    finding.where = unit.place(group.declarations.front()->getLocation());
    const clang::ValueDecl *first = group.declarations.front();
    finding.text = fmt::format("'{}' is not rewritten: it {} a __device__, __managed__ or "
                               "__constant__ array of '{}'",
                               ArrayFlow::nameOf(first),
                               first->getType()->isArrayType() ? "is" : "leads to", record);
    finding.notes.push_back(
        {finding.where, "only memory that CUDA allocates can be laid out anew"});
    if (std::ranges::none_of(variables_,
                             [&](const Diagnostic &known) { return known.where == finding.where; }))
      variables_.push_back(std::move(finding));
  }

  /// Behind definitions: of a record in several layouts, or a class template with several
  /// instances, there are several, and every unit that sees the definition includes all.
  void placeHeaders(Units &units) {
    std::map<FilePlace, std::vector<std::string>> headers; // by the end of the definition
    std::map<std::pair<UnitPass *, FilePlace>, std::vector<const Target *>> targets;
    for (const auto &unit : units)
      for (const auto &target : unit->targets) {
        if (target->shape.isVectorType)
          continue;
        const FilePlace end =
            unit->program.reader
                .place(definedBeforeHeader(*target->record).getBraceRange().getEnd())
                .value_or(FilePlace());
        targets[{unit.get(), end}].push_back(target.get());
        if (std::vector<std::string> &known = headers[end];
            std::ranges::find(known, target->names.file) == known.end())
          known.push_back(target->names.file);
      }
    for (const auto &[where, own] : targets)
      placeIncludes(where.first->program, own, headers.at(where.second), headerFolders_);
  }

  struct Undefined {
    const Decision *decision = nullptr;
    Program *program = nullptr;
    const clang::CXXRecordDecl *record = nullptr;
  };

  ParsedPasses &passes_;
  const Plan &plan_;
  bool isOtherwiseSplit_ = false; ///< than the plan's program: its functions have other copies
  EditSet edits_;
  std::vector<ParsedUnit *> units_; ///< of the host pass
  instrument::SourceSet sources_;
  HeaderFolders headerFolders_;
  VectorIncludes vectorIncludes_;
  std::set<const Decision *> matched_;
  std::set<const Decision *> ofShared_;
  std::set<const Decision *> changed_; ///< some unit has the record, and arrays of it change
  std::vector<Undefined> undefined_;
  std::set<FilePlace> fixedAlignments_; ///< by the definitions of the records
  HeaderNames names_;
  SharedCopies copies_;
  LinkedFunctions linked_;
  SeparateTemplates &separate_;
  ReferenceChecks references_;
  Units hostUnits_;
  Units deviceUnits_;                 ///< those that do not look the same in both passes
  std::vector<Diagnostic> variables_; ///< groups that are not rewritten beside others
  NeededHeaders headers_;
  std::vector<Diagnostic> findings_;
};

} // namespace

bool Rewrite::refused() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Diagnostic &finding) { return finding.severity == Severity::Error; });
}

namespace {

/// What was refused, as warnings beside what is done without it.
void warnOf(const std::vector<Diagnostic> &refusals, Rewrite &rewrite) {
  for (Diagnostic refusal : refusals) {
    if (refusal.severity != Severity::Error)
      continue;
    refusal.severity = Severity::Warning;
    if (std::ranges::find(rewrite.findings, refusal) == rewrite.findings.end())
      rewrite.findings.push_back(std::move(refusal));
  }
}

} // namespace

Result<Rewrite> rewriteParsed(ParsedPasses &passes, const Plan &plan, bool isOtherwiseSplit) {
  SeparateTemplates separate;
  Plan applied = plan;
  std::vector<Diagnostic> refusals;
  for (;;) {
    Rewriter rewriter(passes, applied, isOtherwiseSplit, separate);
    Result<Rewrite> rewrite = rewriter.run();
    if (!rewrite)
      return rewrite;
    if (!rewrite->refused()) {
      warnOf(refusals, *rewrite);
      rewrite->applied = std::move(applied);
      return rewrite;
    }
    if (separate.grow())
      continue;
    // An array in shared memory stands in nobody's way.
    if (rewriter.ofShared().empty())
      return rewrite;
    refusals = rewrite->findings;
    for (Decision &decision : applied.decisions)
      decision.keep |= rewriter.ofShared().contains(&decision);
  }
}

Result<Rewrite> rewrite(const instrument::ParsedProgram &program, const Plan &plan) {
  const auto split = withNeededHolders(program, plan);
  if (!split)
    return tl::unexpected(split.error());
  return withWantedCopies(*split, plan).rewrite;
}

} // namespace relayout::rewriter
