// SPDX-License-Identifier: Apache-2.0
// A program's units as Clang reads them, parsed when they are first asked for.
#include "relayout/instrument/parsed_program.h"

#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/front_end.h"
#include "structs/library_class.h"
#include "structs/macro_texts.h"
#include "structs/method_functions.h"
#include "structs/own_spans.h"
#include "structs/own_vectors.h"
#include "structs/split_functions.h"
#include "structs/split_pointers.h"
#include "structs/split_structs.h"
#include "structs/typed_deleters.h"
#include "structs/typed_memory.h"
#include "structs/vector_templates.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace relayout::instrument {

struct ParsedProgram::State {
  struct ParsedPass {
    Units units;
    std::vector<ArrayFlow> flows; ///< empty until they are asked for
  };

  Program program;
  std::optional<std::set<std::string>> mayBeSplit; ///< structs; nothing: all
  std::set<std::string> byReferences; ///< functions that may be split by what these are given
  std::set<std::string> methods;      ///< that may become functions
  std::set<std::string> macros;       ///< that are written out
  Units asWritten; ///< of the host's pass, in no other form; empty until they are parsed
  std::optional<ParsedPass> host, device;
  std::vector<SharedHolder> holders;
  std::vector<ReplacedText> texts; ///< in the place of files on disk

  Result<void> parseHost() {
    if (asWritten.empty()) {
      auto parsed = parsedOr(program.units, Units(program.units.size()), Pass::Host);
      if (!parsed)
        return tl::unexpected(std::move(parsed.error()));
      asWritten = std::move(*parsed);
    }
    host = ParsedPass{asWritten, {}};
    writeMacrosOut();
    methodsToFunctions();
    if (!mayBeSplit || !mayBeSplit->empty())
      splitHolders();
    return {};
  }

  /// Parses the units of which there is none yet.
  static Result<Units> parsedOr(const std::vector<CompileCommand> &commands, Units known,
                                Pass pass) {
    std::vector<CompileCommand> missing;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < commands.size(); ++i)
      if (!known[i]) {
        missing.push_back(commands[i]);
        places.push_back(i);
      }
    auto parsed = parseAll(missing, pass);
    if (!parsed)
      return tl::unexpected(std::move(parsed.error()));
    for (std::size_t i = 0; i < places.size(); ++i)
      known[places[i]] = std::move((*parsed)[i]);
    return known;
  }

  /// Those that have nothing of the texts; null in the place of the others.
  static Units unchangedBy(const std::vector<ReplacedText> &texts, const ParsedPass &host,
                           const Units &units) {
    Units unchanged = units;
    for (std::size_t i = 0; i < units.size(); ++i)
      if (std::ranges::any_of(host.units[i]->userSources().files, [&](const SourceText &file) {
            return std::ranges::find(texts, file.originalPath, &ReplacedText::path) != texts.end();
          }))
        unchanged[i] = nullptr;
    return unchanged;
  }

  /// What is read in another form than it is written in, and how it is found: most of it has two,
  /// where it serves memory of both sides.
  struct Splitting {
    std::function<SplitProgram(const std::vector<ParsedUnit *> &units,
                               const std::vector<ArrayFlow> &flows,
                               const std::set<std::string> *only)>
        split;
    std::set<std::string> (*useful)(const std::vector<SharedHolder> &holders,
                                    const std::vector<ArrayFlow> &flows);
    const char *whyNot; ///< null: nobody needs to know
    const char *whyUnread = "the program does not compile then";
    bool isBesideFunctions = false; ///< what else joins may be functions, which are split later
    /// Which to split first where all at once are not read, empty where none; null: one round is
    /// all.
    std::set<std::string> (*outermost)(const std::vector<SharedHolder> &holders,
                                       const std::vector<ArrayFlow> &flows) = nullptr;
  };

  void splitHolders() {
    ownVectorsAndTemplates();
    splitWhereUseful({ownSpans, usefulClasses, "",
                      "the program does not compile with another class than the span"});
    splitWhereUseful({typeDeleters, usefulDeleters, nullptr});
    splitWhereUseful({typeMemory, usefulTypes, nullptr});
    splitWhereUseful({splitPointers, usefulPointers, nullptr});
    splitWhereUseful({splitStructs, usefulSplits,
                      "a pointer of its objects in device memory leads to the host's, too",
                      "the program does not compile then", /*isBesideFunctions=*/true,
                      outermostSplits});
    splitWhereUseful({[this](const auto &units, const auto &flows, const auto *only) {
                        return splitFunctions(units, flows, only, byReferences);
                      },
                      usefulCopies, "a pointer that it is given there leads to other memory, too"});
  }

  void writeMacrosOut() {
    if (!macros.empty())
      keepIfRead(writtenOutMacros(pointersTo(host->units), macros));
  }

  void methodsToFunctions() {
    if (!methods.empty())
      keepIfRead(functionsOfMethods(pointersTo(host->units), flowsOf(*host), methods));
  }

  void keepIfRead(const std::vector<ReplacedText> &changed) {
    if (changed.empty())
      return;
    if (auto read = readWith(changed))
      keep(std::move(*read));
  }

  void ownVectorsInside() {
    splitWhereUseful({ownVectors, usefulClasses, "",
                      "the program does not compile with another class than the Thrust vector"});
  }

  /// With overloads for what templates do with vectors, where they lead to classes in their place:
  /// for those records alone that get one.
  void ownVectorsAndTemplates() {
    const auto before = std::tuple(host, device, holders, texts);
    std::optional<std::set<std::string>> wanted;
    std::vector<SharedHolder> withAll; // what came of all overloads
    while (true) {
      const std::vector<ReplacedText> overloads =
          vectorInstances(pointersTo(host->units), wanted ? &*wanted : nullptr);
      auto read = overloads.empty() ? Result<OtherForm>() : readWith(overloads);
      if (overloads.empty() || !read) {
        ownVectorsInside();
        return keepReasons(withAll);
      }
      keep(std::move(*read));
      ownVectorsInside();
      std::set<std::string> owned;
      for (const SharedHolder &holder : holders)
        if (!holder.deviceName.empty())
          owned.insert(holder.vectorsOf);
      if (wanted == owned)
        return keepReasons(withAll);
      if (!wanted)
        withAll = holders;
      std::tie(host, device, holders, texts) = before;
      wanted = std::move(owned);
    }
  }

  /// Vectors that get no class with overloads get none for the reason that shows there; that they
  /// are used in templates is not it.
  void keepReasons(const std::vector<SharedHolder> &withOverloads) {
    for (SharedHolder &holder : holders)
      for (const SharedHolder &other : withOverloads)
        if (!holder.vectorsOf.empty() && holder.vectorsOf == other.vectorsOf &&
            holder.deviceName.empty() && other.deviceName.empty()) {
          holder.obstacle = other.obstacle;
          holder.obstaclePlace = other.obstaclePlace;
        }
  }

  /// The program with other texts.
  struct OtherForm {
    ParsedPass host, device;
    std::vector<ReplacedText> texts; ///< all that differ from the files on disk
  };

  Result<OtherForm> readWith(const std::vector<ReplacedText> &changedTexts) {
    OtherForm form{{}, {}, replacedAgain(texts, changedTexts)};
    Program changed = program;
    for (CompileCommand &unit : changed.units) {
      for (const ReplacedText &text : form.texts)
        unit.flags.push_back(replacingFlag(text));
      if (!methods.empty())
        unit.flags.emplace_back(kNoAccessControl);
    }
    const Units onDeviceBefore = device ? device->units : Units(program.units.size());
    auto onHost =
        parsedOr(changed.units, unchangedBy(changedTexts, *host, host->units), Pass::Host);
    if (!onHost)
      return tl::unexpected(std::move(onHost.error()));
    form.host.units = std::move(*onHost);
    auto onDevice =
        parseUnitsOfDevice(changed, form.host, unchangedBy(changedTexts, *host, onDeviceBefore));
    if (!onDevice)
      return tl::unexpected(std::move(onDevice.error()));
    form.device = std::move(*onDevice);
    keepPlacesOf(form.host, form.texts); // before the flow is asked for places
    keepPlacesOf(form.device, form.texts);
    return form;
  }

  void keep(OtherForm form) {
    host = std::move(form.host);
    device = std::move(form.device);
    texts = std::move(form.texts);
  }

  /// Reads the program again, with the other forms, where that helps.
  /// Objects that another struct's pointer leads to may become distinguishable only when that
  /// struct is split.
  void splitWhereUseful(const Splitting &splitting) {
    std::set<std::string> before;
    while (auto kept = splitRound(splitting, before))
      before.merge(*kept);
  }

  /// \param before  those that earlier rounds split
  /// \returns  the names of those that are split now; nothing where there are none
  std::optional<std::set<std::string>> splitRound(const Splitting &splitting,
                                                  const std::set<std::string> &before) {
    const std::vector<ParsedUnit *> units = pointersTo(host->units);
    std::optional<std::set<std::string>> tried = before.empty() ? mayBeSplit : namesOfWhole();
    bool isFirst = before.empty();
    while (true) {
      SplitProgram split = splitting.split(units, flowsOf(*host), tried ? &*tried : nullptr);
      if (std::exchange(isFirst, false))
        holders.insert(holders.end(), split.holders.begin(), split.holders.end());
      if (split.texts.empty())
        return std::nullopt;
      auto form = readWith(split.texts);
      const bool isRead = form.has_value();
      if (!isRead && splitting.outermost)
        if (std::set<std::string> outer = splitting.outermost(split.holders, flowsOf(*host));
            !outer.empty()) {
          keepUseful(split.holders, outer, splitting.whyUnread);
          tried = std::move(outer);
          continue;
        }
      std::set<std::string> useful =
          isRead ? splitting.useful(split.holders, flowsOf(form->host)) : std::set<std::string>();
      if (isRead && splitting.isBesideFunctions && useful.size() < split.holders.size())
        useful.merge(splitting.useful(
            split.holders,
            flowsBesideFunctions(pointersTo(form->host.units), flowsOf(form->host),
                                 mayBeSplit ? &*mayBeSplit : nullptr, byReferences)));
      const char *const whyNot =
          isRead || !splitting.whyNot ? splitting.whyNot : splitting.whyUnread;
      if (keepUseful(split.holders, useful, whyNot)) {
        const std::set<std::string> names = keepSplit(split.holders, before);
        keep(std::move(*form));
        return splitting.outermost && !names.empty() ? std::optional(names) : std::nullopt;
      }
      tried = useful;
    }
  }

  /// Those that may be split and are not, so far.
  [[nodiscard]] std::set<std::string> namesOfWhole() const {
    std::set<std::string> names;
    for (const SharedHolder &holder : holders)
      if (holder.deviceName.empty() && (!mayBeSplit || mayBeSplit->contains(holder.name)))
        names.insert(holder.name);
    return names;
  }

  /// \returns  the names of those that have two forms now
  std::set<std::string> keepSplit(const std::vector<SharedHolder> &split,
                                  const std::set<std::string> &before) {
    std::set<std::string> names;
    for (const SharedHolder &one : split)
      for (SharedHolder &holder : holders)
        if (holder.name == one.name &&
            (before.empty() ? holder.place == one.place : holder.deviceName.empty())) {
          holder = one; // alone it may have got another name
          holder.splitAfter = before;
          if (!one.deviceName.empty())
            names.insert(one.name);
        }
    return names;
  }

  static void keepPlacesOf(const ParsedPass &pass, const std::vector<ReplacedText> &texts) {
    for (const auto &unit : pass.units)
      if (unit)
        keepPlaces(*unit, texts);
  }

  /// \returns  whether all that were split are; the others have one type
  bool keepUseful(const std::vector<SharedHolder> &split, const std::set<std::string> &useful,
                  const char *whyNot) {
    bool all = true;
    for (const SharedHolder &one : split) {
      if (one.deviceName.empty() || useful.contains(one.name))
        continue;
      all = false;
      for (SharedHolder &holder : holders)
        if (holder.name == one.name && whyNot) {
          holder.deviceName.clear();
          holder.obstacle = whyNot;
        }
      if (!whyNot)
        std::erase_if(holders, [&](const SharedHolder &holder) { return holder.name == one.name; });
    }
    return all;
  }

  std::vector<ParsedUnit *> pointersTo(const Units &units) const {
    std::vector<ParsedUnit *> all;
    for (std::size_t i = 0; i < units.size(); ++i)
      all.push_back(units[i] ? units[i].get() : host->units[i].get());
    return all;
  }

  const std::vector<ArrayFlow> &flowsOf(ParsedPass &pass) const {
    if (pass.flows.empty())
      pass.flows = ArrayFlow::analyse(pointersTo(pass.units));
    return pass.flows;
  }

  Result<void> parseDevice() {
    auto parsed = parseUnitsOfDevice(program, *host, Units(program.units.size()));
    if (!parsed)
      return tl::unexpected(std::move(parsed.error()));
    device = std::move(*parsed);
    return {};
  }

  /// \param known  those that need not be parsed again
  static Result<ParsedPass> parseUnitsOfDevice(const Program &program, const ParsedPass &host,
                                               Units known) {
    std::vector<CompileCommand> commands;
    Units asked;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < program.units.size(); ++i)
      if (program.units[i].language == Language::Cuda && host.units[i]->usesCudaArch()) {
        commands.push_back(program.units[i]);
        asked.push_back(std::move(known[i]));
        places.push_back(i);
      }
    auto parsed = parsedOr(commands, std::move(asked), Pass::Device);
    if (!parsed)
      return tl::unexpected(std::move(parsed.error()));
    ParsedPass pass;
    pass.units.resize(program.units.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      pass.units[places[i]] = std::move((*parsed)[i]);
    return pass;
  }

  ParsedPass &of(Pass pass) { return pass == Pass::Host ? *host : *device; }
};

ParsedProgram::ParsedProgram(Program program)
    : state_(
          std::make_shared<State>(State{std::move(program), {}, {}, {}, {}, {}, {}, {}, {}, {}})) {}
ParsedProgram::ParsedProgram(CompileCommand unit) : ParsedProgram(Program(std::move(unit))) {}
ParsedProgram::~ParsedProgram() = default;
ParsedProgram::ParsedProgram(const ParsedProgram &) = default;
ParsedProgram &ParsedProgram::operator=(const ParsedProgram &) = default;

const Program &ParsedProgram::program() const { return state_->program; }

Result<const ParsedProgram::Units *> ParsedProgram::units(Pass pass) const {
  if (!state_->host)
    if (auto parsed = state_->parseHost(); !parsed)
      return tl::unexpected(std::move(parsed.error()));
  if (pass == Pass::Device && !state_->device)
    if (auto parsed = state_->parseDevice(); !parsed)
      return tl::unexpected(std::move(parsed.error()));
  return &state_->of(pass).units;
}

const std::vector<ArrayFlow> &ParsedProgram::flows(Pass pass) const {
  return state_->flowsOf(state_->of(pass));
}

const std::vector<SharedHolder> &ParsedProgram::sharedHolders() const { return state_->holders; }

ParsedProgram ParsedProgram::withHolders(std::set<std::string> split) const {
  std::set<std::string> first;
  for (const SharedHolder &holder : state_->holders)
    if (split.contains(holder.name))
      first.insert(holder.splitAfter.begin(), holder.splitAfter.end());
  split.merge(first);
  const bool isSame = std::ranges::all_of(state_->holders, [&](const SharedHolder &holder) {
    return holder.deviceName.empty() || split.contains(holder.name);
  });
  if (state_->host && isSame)
    return *this;
  ParsedProgram other(state_->program);
  other.state_->mayBeSplit = std::move(split);
  other.state_->byReferences = state_->byReferences;
  other.state_->methods = state_->methods;
  other.state_->macros = state_->macros;
  other.state_->asWritten = state_->asWritten;
  // Vectors and spans that stay the library's do so in all forms of the program.
  std::ranges::copy_if(state_->holders, std::back_inserter(other.state_->holders),
                       [](const SharedHolder &holder) {
                         return holder.standsForLibrary() && !holder.obstacle.empty();
                       });
  return other;
}

ParsedProgram ParsedProgram::withCopies(std::set<std::string> functions) const {
  std::set<std::string> methods = state_->methods, macros = state_->macros;
  std::erase_if(functions, [&](const std::string &name) {
    const bool isMacro = !name.ends_with("()");
    const bool isMethod = !isMacro && name.find("::") != std::string::npos;
    if (isMacro || isMethod)
      (isMacro ? macros : methods).insert(name);
    return isMacro || isMethod;
  });
  functions.insert(state_->byReferences.begin(), state_->byReferences.end());
  addCallees(state_->pointersTo(state_->host->units), functions);
  ParsedProgram other(state_->program);
  other.state_->mayBeSplit = state_->mayBeSplit;
  if (other.state_->mayBeSplit)
    other.state_->mayBeSplit->insert(functions.begin(), functions.end());
  other.state_->byReferences = std::move(functions);
  other.state_->methods = std::move(methods);
  other.state_->macros = std::move(macros);
  other.state_->asWritten = state_->asWritten;
  return other;
}

} // namespace relayout::instrument
