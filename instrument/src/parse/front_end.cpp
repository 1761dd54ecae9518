// SPDX-License-Identifier: Apache-2.0
// Runs Clang over one translation unit against our own CUDA headers; no CUDA toolkit is needed.
#include "relayout/instrument/clang/front_end.h"

#include "parse/array_values.h"
#include "parse/braced_settings.h"
#include "parse/execution_spaces.h"
#include "parse/host_lambdas.h"
#include "parse/missing_words.h"
#include "parse/named_instances.h"
#include "parse/nvcc_spelling.h"
#include "parse/parse_faults.h"
#include "parse/presumed_place.h"
#include "parse/unit_compiler.h"
#include "relayout/base/run_parallel.h"

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

class ParseAction : public clang::SyntaxOnlyAction {
public:
  explicit ParseAction(const ParsedUnit &unit) : unit_(unit) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &,
                                                        llvm::StringRef) override {
    return definingInstances(unit_);
  }

private:
  const ParsedUnit &unit_;
};

/// A file's text before the brackets of its launches were joined.
std::string asOnDisk(const std::string &path, std::string parsed) {
  const auto file = llvm::MemoryBuffer::getFile(path);
  if (!file || (*file)->getBufferSize() != parsed.size() || (*file)->getBuffer() == parsed)
    return parsed;
  std::string text = (*file)->getBuffer().str();
  return clangSpelling(text) == parsed ? text : parsed;
}

std::string canonicalPath(clang::FileEntryRef file) {
  return fs::weakly_canonical(file.getName().str()).string();
}

constexpr std::string_view kNotFound = "' file not found";

/// The CUDA name or header an error says is missing, or nothing.
std::string missingCudaFeature(const std::string &clangText) {
  const bool isInLibrary = std::ranges::any_of(
      std::array{"thrust", "cub", "cooperative_groups", "nvcuda"}, [&](const char *library) {
        return clangText.find(fmt::format("in namespace '{}'", library)) != std::string::npos;
      });
  for (const char *opening :
       {"use of undeclared identifier '", "unknown type name '", "no member named '",
        "no type named '", "no template named '", "use of undeclared template '"}) {
    const std::size_t start = clangText.find(opening);
    if (start == std::string::npos)
      continue;
    const std::size_t from = start + std::char_traits<char>::length(opening);
    const std::string name = clangText.substr(from, clangText.find('\'', from) - from);
    if (isInLibrary || name.starts_with("cuda") || name.starts_with("__") ||
        name.starts_with("cu") || name.starts_with("CU") || name.starts_with("tex") ||
        name.starts_with("surf") || name.starts_with("cooperative_groups") ||
        name.starts_with("nv") || name.starts_with("nccl") || name.starts_with("thrust"))
      return name;
  }
  if (const std::size_t end = clangText.find(kNotFound); end != std::string::npos) {
    const std::string name = clangText.substr(1, end - 1);
    for (const char *prefix : {"cu", "thrust/", "cub/", "cooperative_groups", "nv", "mma.h",
                               "texture_", "surface_", "crt/", "nppi", "cooperative"})
      if (name.starts_with(prefix))
        return name;
  }
  return {};
}

Error parseError(const CompileCommand &command, std::vector<Note> errors) {
  constexpr std::size_t kShown = 20;
  errors.resize(std::min(errors.size(), kShown));
  for (const Note &error : errors) {
    const std::string feature = missingCudaFeature(error.text);
    if (!command.cudaToolkit.empty() || feature.empty())
      continue;
    // nvcc includes <cuda_runtime.h> by itself in CUDA C++, and no library's header.
    const bool mayLackHeader = !error.text.ends_with(kNotFound) &&
                               (command.language != Language::Cuda ||
                                error.text.find("in namespace '") != std::string::npos);
    return Error{Code::NotOnCpuExecutor,
                 fmt::format("the CPU executor does not have '{}', which this program uses{}",
                             feature,
                             mayLackHeader ? ", or no header that declares it is included" : ""),
                 error.where, std::move(errors)};
  }
  const SourcePlace where = errors.empty() ? SourcePlace{command.file, 0, 0} : errors.front().where;
  return Error{Code::DoesNotParse,
               fmt::format("'{}' does not parse as {}", command.file,
                           command.language == Language::Cuda  ? "CUDA C++"
                           : command.language == Language::Cxx ? "C++"
                                                               : "C"),
               where, std::move(errors)};
}

/// What nvcc takes in a unit and Clang does not, as Clang told when it read the unit before.
struct NvccsWays {
  DeclaredNames joined;
  ArraysWithValues arrays;
  MissingWords words;

  bool operator==(const NvccsWays &) const = default;
};

/// \param known  with which the unit was read
NvccsWays nvccsWays(ParsedUnit &unit, const ParseFaults &faults, Language language,
                    const NvccsWays &known) {
  NvccsWays ways;
  ways.arrays = known.arrays;
  for (const clang::SourceLocation name : faults.arraysWithValues)
    addArray(name, unit.sources(), ways.arrays);
  ways.words = known.words;
  addMissingWords(faults.unsaidTemplates, faults.unsaidMembers, unit, ways.words);
  addCasts(faults.castToOwnType, unit, ways.words);
  if (language != Language::Cuda)
    return ways;
  addMemberTemplates(faults.uncalled, unit, ways.words);
  ways.joined = declaredForSeveralSpaces(unit);
  for (const clang::SourceLocation name : faults.differing)
    ways.joined.add(name, unit, unit.sources());
  if (unit.usesCudaArch())
    for (const clang::SourceLocation name : faults.calledByDevice)
      ways.joined.add(name, unit, unit.sources());
  ways.joined.add(deviceFunctionsAround(faults.ofOtherSide, unit));
  ways.joined.add(known.joined);
  return ways;
}

} // namespace

/// Notes the tokens of user files, what every macro invocation there became, which user files
/// include which, and what the preprocessor left out.
class ParsedUnit::Watcher : public clang::PPCallbacks {
public:
  /// Runs the parser once. Without an action, Clang did not begin.
  static std::unique_ptr<ParsedUnit> read(const CompileCommand &command, Pass pass, KeepTokens keep,
                                          const NvccsWays &ways, ParseFaults &faults);

  Watcher(ParsedUnit &unit, KeepTokens keep, const NvccsWays &ways)
      : unit_(unit), keep_(keep), joiner_(ways.joined, unit), values_(ways.arrays),
        words_(ways.words) {}

  void onToken(const clang::Token &token) {
    joiner_.onToken(token, *unit_.compiler_);
    values_.onToken(token, *unit_.compiler_);
    if (std::string words = words_.onToken(token, *unit_.compiler_); !words.empty())
      unit_.missingWords_.emplace(token.getLocation(), std::move(words));
    if (unit_.compiler_->getLangOpts().CUDA)
      settings_.onToken(token, *unit_.compiler_);
    if (keep_ == KeepTokens::No || token.isAnnotation() || token.is(clang::tok::eof))
      return;
    const clang::SourceLocation location = token.getLocation();
    const clang::SourceManager &sources = unit_.compiler_->getSourceManager();
    const clang::FileID file = sources.getFileID(sources.getExpansionLoc(location));
    if (file != lastFile_) {
      lastFile_ = file;
      lastIsUsers_ = unit_.isUserFile(file);
    }
    if (!lastIsUsers_)
      return;
    unit_.tokens_.push_back(token);
    if (!location.isMacroID())
      return;
    const clang::CharSourceRange range = sources.getExpansionRange(location);
    Expansion &expansion = unit_.expansions_[range.getBegin()];
    expansion.range = range.getAsRange();
    expansion.tokens.push_back(token);
  }

  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    noteName(name);
  }
  void Ifdef(clang::SourceLocation, const clang::Token &name,
             const clang::MacroDefinition &) override {
    noteName(name);
  }
  void Ifndef(clang::SourceLocation, const clang::Token &name,
              const clang::MacroDefinition &) override {
    noteName(name);
  }
  void Defined(const clang::Token &name, const clang::MacroDefinition &,
               clang::SourceRange) override {
    noteName(name);
  }
  /// An undefined name in #if expands to nothing and reaches no other callback.
  void If(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind) override {
    noteCondition(condition);
  }
  void Elif(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind,
            clang::SourceLocation) override {
    noteCondition(condition);
  }

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef, bool,
                          clang::CharSourceRange name, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    if (file && !clang::SrcMgr::isSystem(kind) && inUserFile(hash))
      unit_.inclusions_.push_back({name, canonicalPath(*file)});
  }
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override {
    if (inUserFile(range.getBegin()))
      unit_.skippedRanges_.push_back(range);
  }

private:
  void noteName(const clang::Token &name) {
    if (name.getIdentifierInfo() && name.getIdentifierInfo()->getName() == "__CUDA_ARCH__" &&
        inUserFile(name.getLocation()))
      unit_.usesCudaArch_ = true;
  }
  void noteCondition(clang::SourceRange condition) {
    if (!inUserFile(condition.getBegin()))
      return;
    const clang::SourceManager &sources = unit_.compiler_->getSourceManager();
    const llvm::StringRef text = clang::Lexer::getSourceText(
        clang::CharSourceRange::getTokenRange(condition), sources, unit_.compiler_->getLangOpts());
    if (text.contains("__CUDA_ARCH__"))
      unit_.usesCudaArch_ = true;
  }
  bool inUserFile(clang::SourceLocation location) const {
    const clang::SourceManager &sources = unit_.compiler_->getSourceManager();
    return unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(location)));
  }

  ParsedUnit &unit_;
  KeepTokens keep_;
  SpaceJoiner joiner_;
  BracedSettings settings_;
  ArrayValues values_;
  WordAdder words_;
  clang::FileID lastFile_;
  bool lastIsUsers_ = false;
};

ParsedUnit::ParsedUnit() = default;

ParsedUnit::~ParsedUnit() {
  scalars_.reset();
  if (action_)
    action_->EndSourceFile();
}

bool ParsedUnit::isUserFile(clang::FileID file) const {
  const clang::SourceManager &sources = compiler_->getSourceManager();
  const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  if (!entry)
    return false;
  if (file == sources.getMainFileID())
    return true;
  return !clang::SrcMgr::isSystem(
             sources.getFileCharacteristic(sources.getLocForStartOfFile(file))) &&
         !entry->getName().starts_with(headersFolder_);
}

const std::string &ParsedUnit::pathOf(clang::FileID file) const {
  const auto [entry, isNew] = paths_.try_emplace(file.getHashValue());
  if (isNew)
    if (const auto known = compiler_->getSourceManager().getFileEntryRefForID(file))
      entry->second = canonicalPath(*known);
  return entry->second;
}

SourcePlace ParsedUnit::place(clang::SourceLocation location) const {
  return presumedPlace(compiler_->getSourceManager(), location);
}

SourceSet ParsedUnit::userSources() const {
  const clang::SourceManager &sources = compiler_->getSourceManager();
  SourceSet set;
  auto add = [&](clang::FileID file) {
    const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    if (!entry)
      return;
    const std::string path = canonicalPath(*entry);
    for (const SourceText &known : set.files)
      if (known.originalPath == path)
        return;
    const std::string text = asOnDisk(path, sources.getBufferData(file).str());
    const auto onDisk = sources.isFileOverridden(*entry)
                            ? llvm::MemoryBuffer::getFile(path)
                            : std::make_error_code(std::errc::not_supported);
    set.files.push_back({path, {}, onDisk ? (*onDisk)->getBuffer().str() : text, text});
  };
  add(sources.getMainFileID());
  for (unsigned i = 0, n = sources.local_sloc_entry_size(); i != n; ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile())
      continue;
    const clang::FileID file =
        sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (isUserFile(file))
      add(file);
  }
  placeBelowCommonFolder(set);
  return set;
}

std::unique_ptr<ParsedUnit> ParsedUnit::Watcher::read(const CompileCommand &command, Pass pass,
                                                      KeepTokens keep, const NvccsWays &ways,
                                                      ParseFaults &faults) {
  std::unique_ptr<ParsedUnit> unit(new ParsedUnit);
  unit->diagnostics_ = std::make_unique<ErrorCollector>(faults, pass);
  unit->headersFolder_ = command.cudaHeaders;
  unit->floatMath_ = floatMathOf(command.flags);

  unit->compiler_ = unitCompiler(command, pass, *unit->diagnostics_);
  if (!unit->compiler_)
    return unit;
  clang::CompilerInstance &compiler = *unit->compiler_;

  unit->action_ = std::make_unique<ParseAction>(*unit);
  if (!unit->action_->BeginSourceFile(compiler, compiler.getFrontendOpts().Inputs.front())) {
    unit->action_.reset();
    return unit;
  }
  auto watcher = std::make_unique<Watcher>(*unit, keep, ways);
  compiler.getPreprocessor().setTokenWatcher(
      [watch = watcher.get()](const clang::Token &token) { watch->onToken(token); });
  compiler.getPreprocessor().addPPCallbacks(std::move(watcher));
  if (llvm::Error failure = unit->action_->Execute())
    llvm::consumeError(std::move(failure));
  return unit;
}

Result<std::unique_ptr<ParsedUnit>> parse(const CompileCommand &command, Pass pass, KeepTokens keep,
                                          UnusedTemplates templates) {
  if (std::error_code status; !fs::is_regular_file(command.file, status))
    return fail(Code::SourceUnreadable,
                fmt::format("cannot read '{}': no such file", command.file));
  if (!std::ifstream(command.file))
    return fail(Code::SourceUnreadable,
                fmt::format("cannot read '{}': permission denied", command.file));

  CompileCommand reading = command;
  ParseFaults faults;
  NvccsWays ways;
  auto unit = ParsedUnit::Watcher::read(reading, pass, keep, ways, faults);
  const auto asks = [&](bool isNeeded, const char *flag) {
    const bool isNew = isNeeded && std::ranges::find(reading.flags, flag) == reading.flags.end();
    if (isNew)
      reading.flags.emplace_back(flag);
    return isNew;
  };
  // Known once Clang has told: read again with that.
  constexpr int kRounds = 4; // what is in templates shows when all else is read
  for (int again = 0; again < kRounds && unit->action_ && command.language != Language::C;
       ++again) {
    NvccsWays told = nvccsWays(*unit, faults, command.language, ways);
    bool isAsked = asks(faults.sharedIsInitialised, kSharedByName);
    isAsked |= asks(faults.takesAuto && command.language == Language::Cuda, kWithAutoParameters);
    if (told == ways && !isAsked)
      break;
    ways = std::move(told);
    unit.reset();
    faults = {};
    unit = ParsedUnit::Watcher::read(reading, pass, keep, ways, faults);
  }
  if (unit->action_ && !faults.errors.empty() && templates == UnusedTemplates::MayHaveFaults &&
      asks(command.language != Language::C, kLateTemplates)) {
    ParseFaults remaining;
    if (auto late = ParsedUnit::Watcher::read(reading, pass, keep, ways, remaining);
        late->action_ && remaining.errors.empty()) {
      unit = std::move(late);
      faults = {};
    }
  }
  if (!unit->action_ || !faults.errors.empty())
    return tl::unexpected(parseError(command, std::move(faults.errors)));
  leaveLambdasToTheHost(*unit);
  if (std::ranges::find(reading.flags, kSharedByName) != reading.flags.end())
    shareNamedVariables(unit->ast());
  if (command.plainArrays)
    unit->scalars_ = std::make_unique<ScalarRecords>(unit->ast());
  return unit;
}

Result<std::vector<std::unique_ptr<ParsedUnit>>>
parseAll(const std::vector<CompileCommand> &commands, Pass pass) {
  std::vector<Result<std::unique_ptr<ParsedUnit>>> results(commands.size());
  runParallel(commands.size(), 0, [&](std::size_t i) { results[i] = parse(commands[i], pass); });
  std::vector<std::unique_ptr<ParsedUnit>> parsed;
  for (auto &result : results) {
    if (!result)
      return tl::unexpected(std::move(result.error()));
    parsed.push_back(std::move(*result));
  }
  return parsed;
}

SourceSet sourcesOf(const std::vector<ParsedUnit *> &units) {
  SourceSet all;
  std::set<std::string> known;
  for (const ParsedUnit *unit : units) {
    SourceSet own = unit->userSources();
    for (SourceText &file : own.files)
      if (known.insert(file.originalPath).second)
        all.files.push_back(std::move(file));
  }
  placeBelowCommonFolder(all);
  return all;
}

std::string sourceDigest(const SourceSet &sources) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const SourceText &file : sources.files) {
    XXH3_128bits_update(&state, file.relativePath.data(), file.relativePath.size() + 1);
    XXH3_128bits_update(&state, file.original.data(), file.original.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace relayout::instrument
