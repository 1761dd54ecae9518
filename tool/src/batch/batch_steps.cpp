// SPDX-License-Identifier: Apache-2.0
// One program of a batch up to its verified variants, step by step, in processes of their own.
#include "batch/batch_steps.h"

#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "relayout/analysis/plan/plan.h"
#include "relayout/analysis/plan/uniform_plan.h"
#include "relayout/instrument/included_files.h"
#include "relayout/trace/reader.h"
#include "reports/exit_codes.h"
#include "stages/generated_by.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

class Digest {
public:
  Digest() : state_(XXH3_createState()) { XXH3_128bits_reset(state_); }
  ~Digest() { XXH3_freeState(state_); }
  Digest(const Digest &) = delete;
  Digest &operator=(const Digest &) = delete;

  /// Lengths go in as well, so that no two lists of texts are one.
  void add(const std::string &text) {
    const std::size_t size = text.size();
    XXH3_128bits_update(state_, &size, sizeof size);
    XXH3_128bits_update(state_, text.data(), size);
  }
  void add(const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
      add(text);
    add(fmt::format("end of {}", texts.size()));
  }
  [[nodiscard]] std::string text() const {
    const XXH128_hash_t value = XXH3_128bits_digest(state_);
    return fmt::format("{:016x}{:016x}", value.high64, value.low64);
  }

private:
  XXH3_state_t *state_;
};

/// Name and text of every file, in order.
void addFiles(Digest &digest, const std::set<fs::path> &files, const fs::path &folder) {
  for (const fs::path &file : files) {
    digest.add(file.lexically_relative(folder).string());
    digest.add(readFile(file.string()).value_or(""));
  }
}

/// Output of a process that succeeded, or the first error line of one that did not.
struct StepOutcome {
  int exitCode = kFailed;
  std::string output;
  std::string failure; ///< empty: it succeeded

  [[nodiscard]] bool succeeded() const { return failure.empty(); }
};

class Preparation {
public:
  Preparation(const BatchProgram &program, const BatchSettings &settings, const StepSink &step)
      : program_(program), settings_(settings), step_(step),
        folder_(fs::path(settings.folder) / program.name) {}

  BatchResult run() {
    result_.program = program_.name;
    result_.unit = program_.unit;
    result_.preparedFrom = preparationDigest(program_, settings_);
    std::error_code status;
    fs::remove_all(folder_, status);
    fs::create_directories(folder_ / "logs", status);
    result_.variants.push_back(
        {.name = "original", .layout = "original", .source = program_.sources.front()});
    prepareVariants();
    for (const HandTuned &tuned : program_.handTuned)
      for (const auto &[name, figure] : tuned.figures)
        result_.variants.push_back(
            {.name = name, .state = VariantState::HandTuned, .source = tuned.source});
    return std::move(result_);
  }

private:
  void prepareVariants() {
    if (!trace())
      return;
    const Result<trace::Trace> traced = trace::readTrace(path("trace.rlt"));
    for (const std::string &layout : program_.layouts) {
      rewrite(layout, {"--layout", layout});
      if (!traced)
        continue;
      if (const Result<analysis::Plan> plan = analysis::fixedPlan(traced->sites, layout))
        result_.variants.back().layout = layoutsOf(*plan);
    }
    for (const std::string &policy : settings_.policies)
      decideAndRewrite(policy);
  }

  /// What cannot be traced on the GPU may still be on the CPU.
  bool trace() {
    if (settings_.traceOnGpu) {
      const std::string failure = traceOnGpu();
      if (failure.empty()) {
        result_.traced = "on the GPU";
        return true;
      }
      result_.traced = fmt::format("on the CPU, as on the GPU: {}", failure);
    } else {
      result_.traced = "on the CPU";
    }
    result_.failure = traceOnCpu();
    return result_.failure.empty();
  }

  /// \returns  why not, or nothing
  std::string traceOnCpu() {
    std::vector<std::string> words = {"instrument"};
    append(words, program_.sources);
    append(words, program_.flags);
    append(words, {"-o", path("traced")});
    if (const StepOutcome lowered = run("instrument", words); !lowered.succeeded())
      return lowered.failure;
    words = {"run", path("traced"), "-o", path("trace.rlt"), "--"};
    append(words, program_.small);
    return run("trace", words).failure;
  }

  std::string traceOnGpu() {
    std::vector<std::string> words = {"cc", "--"};
    append(words, nvccFor(findNvcc().value_or("nvcc"), program_.flags));
    append(words, program_.sources);
    append(words, {"-o", path("traced-gpu")});
    if (const StepOutcome built = run("compile with probes", words); !built.succeeded())
      return built.failure;
    words = {"profile", "-o", path("trace.rlt"), "--", fs::absolute(path("traced-gpu")).string()};
    append(words, program_.large);
    return run("trace on the GPU", words).failure;
  }

  void decideAndRewrite(const std::string &policy) {
    std::vector<std::string> words = {"analyze", path("trace.rlt"),          "--policy", policy,
                                      "-o",      path(policy + ".plan.json")};
    if (policy == "replay")
      append(words, {"--machine", settings_.machine});
    const StepOutcome decided = run("decide " + policy, words);
    if (!decided.succeeded()) {
      result_.variants.push_back(
          {.name = policy, .state = VariantState::Failed, .text = decided.failure});
      return;
    }
    rewrite(policy, {"--plan", path(policy + ".plan.json")});
    describePlan(policy, result_.variants.back());
  }

  void rewrite(const std::string &name, const std::vector<std::string> &how) {
    BatchVariant variant{.name = name, .layout = name};
    std::vector<std::string> words = {"rewrite"};
    append(words, program_.sources);
    append(words, program_.flags);
    append(words, how);
    append(words, {"-o", path(name)});
    const StepOutcome rewritten = run("rewrite " + name, words);
    variant.source = findSource(fs::path(path(name)));
    if (rewritten.exitCode == kRefused) {
      variant.state = VariantState::Refused;
      variant.text = errorLineOf(rewritten.output);
    } else if (!rewritten.succeeded()) {
      variant.state = VariantState::Failed;
      variant.text = rewritten.failure;
    } else if (variant.source.empty()) {
      variant.state = VariantState::Unchanged;
      variant.sameAs = "original";
      variant.source = program_.sources.front();
    } else {
      verify(variant);
    }
    if (variant.state == VariantState::Refused || variant.state == VariantState::Failed)
      variant.source.clear();
    result_.variants.push_back(std::move(variant));
  }

  void verify(BatchVariant &variant) {
    const std::string text = textOf(path(variant.name));
    for (const auto &[name, other] : texts_)
      if (other == text) {
        variant.sameAs = name;
        variant.state = result_.find(name)->state;
        variant.text = result_.find(name)->text;
        return;
      }
    texts_[variant.name] = text;
    std::vector<std::string> words = {"verify"};
    append(words, program_.sources);
    for (const std::string &source : program_.sources)
      words.push_back(fileOfVariant(program_, variant, source));
    append(words, program_.flags);
    append(words, {"-o", path("verify-" + variant.name), "--"});
    append(words, program_.small);
    const StepOutcome verified = run("verify " + variant.name, words);
    variant.state = verified.succeeded() ? VariantState::Verified : VariantState::Failed;
    variant.text =
        verified.succeeded() ? firstLineWith(verified.output, "verified") : verified.failure;
  }

  /// "Body: SoA; Cell: original".
  static std::string layoutsOf(const analysis::Plan &plan) {
    std::vector<std::string> layouts;
    for (const analysis::Decision &decision : plan.decisions) {
      std::vector<analysis::LayoutField> fields;
      for (const std::string &name : decision.fields)
        fields.push_back({.name = name});
      layouts.push_back(
          fmt::format("{}: {}", decision.record,
                      decision.keep ? "original" : analysis::describe(decision.layout, fields)));
    }
    return fmt::format("{}", fmt::join(layouts, "; "));
  }

  /// Which layout a policy chose for each record, and why.
  void describePlan(const std::string &policy, BatchVariant &variant) {
    const Result<std::string> text = readFile(path(policy + ".plan.json"));
    const Result<analysis::Plan> plan =
        text ? analysis::planFromJson(*text) : tl::unexpected(text.error());
    if (!plan)
      return;
    std::vector<std::string> reasons;
    for (const analysis::Decision &decision : plan->decisions) {
      reasons.push_back(fmt::format("{}: {}", decision.record, decision.reason));
      variant.lowConfidence.insert(variant.lowConfidence.end(), decision.lowConfidence.begin(),
                                   decision.lowConfidence.end());
    }
    variant.layout = layoutsOf(*plan);
    variant.reason = fmt::format("{}", fmt::join(reasons, "; "));
  }

  /// Runs one of relayout's own subcommands.
  StepOutcome run(const std::string &name, const std::vector<std::string> &words) {
    step_(name);
    std::string log = name;
    std::ranges::replace(log, ' ', '-');
    ProcessRequest request;
    request.command = {"/proc/self/exe"};
    append(request.command, words);
    request.outputFile = path("logs/" + log + ".txt");
    request.limit = settings_.limit;
    StepOutcome outcome;
    const Result<ProcessResult> process = runProcess(request);
    if (!process) {
      outcome.failure = process.error().text;
      return outcome;
    }
    outcome.output = readFile(request.outputFile).value_or("");
    outcome.exitCode = process->signal == 0 ? process->exitCode : kFailed;
    if (process->exceeded.count() != 0)
      outcome.failure = fmt::format("{}: {} (see --limit)", name, process->describe());
    else if (!process->succeeded() && process->exitCode != kIncomplete)
      outcome.failure =
          fmt::format("{}: {}; '{}' has all it said", name,
                      process->signal != 0 ? process->describe() : errorLineOf(outcome.output),
                      request.outputFile);
    return outcome;
  }

  [[nodiscard]] std::string path(const std::string &name) const {
    return (folder_ / name).string();
  }

  /// The rewritten main file somewhere below a folder, or nothing.
  [[nodiscard]] std::string findSource(const fs::path &folder) const {
    const fs::path name = fs::path(program_.sources.front()).filename();
    std::error_code status;
    for (fs::recursive_directory_iterator entry(folder, status), end; !status && entry != end;
         entry.increment(status))
      if (entry->path().filename() == name)
        return entry->path().string();
    return {};
  }

  /// The text of a rewritten program: all files that the rewriter wrote, by whichever command.
  [[nodiscard]] static std::string textOf(const fs::path &folder) {
    std::set<fs::path> files;
    std::error_code status;
    for (fs::recursive_directory_iterator entry(folder, status), end; !status && entry != end;
         entry.increment(status))
      if (entry->is_regular_file())
        files.insert(entry->path());
    std::string text;
    for (const fs::path &file : files)
      text += file.lexically_relative(folder).string() + '\n' +
              withoutCommand(readFile(file.string()).value_or("")) + '\n';
    return text;
  }

  [[nodiscard]] static std::string firstLineWith(const std::string &output,
                                                 const std::string &word) {
    const std::size_t found = output.find(word);
    return found == std::string::npos ? std::string()
                                      : output.substr(found, output.find('\n', found) - found);
  }

  static void append(std::vector<std::string> &words, const std::vector<std::string> &more) {
    words.insert(words.end(), more.begin(), more.end());
  }

  const BatchProgram &program_;
  const BatchSettings &settings_;
  const StepSink &step_;
  fs::path folder_;
  BatchResult result_;
  std::map<std::string, std::string> texts_; ///< digest of each variant that was built
};

} // namespace

std::string preparationDigest(const BatchProgram &program, const BatchSettings &settings) {
  Digest digest;
  std::error_code status;
  const fs::path self = fs::read_symlink("/proc/self/exe", status);
  digest.add(fmt::format("{} {}", RELAYOUT_VERSION,
                         fs::last_write_time(self, status).time_since_epoch().count()));
  digest.add(program.sources);
  digest.add(program.flags);
  digest.add(program.small);
  digest.add(settings.traceOnGpu ? program.large : std::vector<std::string>{"on the CPU"});
  digest.add(program.layouts);
  digest.add(settings.policies);
  digest.add(readFile(findMachineFile(settings.machine).value_or("")).value_or(settings.machine));
  std::set<fs::path> files;
  for (const instrument::CompileCommand &unit :
       instrument::programOf(program.sources, program.flags, settings.headers).units)
    files.merge(instrument::includedFiles(unit));
  addFiles(digest, files, fs::weakly_canonical(fs::path(program.sources.front())).parent_path());
  return digest.text();
}

std::string fileOfVariant(const BatchProgram &program, const BatchVariant &variant,
                          const std::string &source) {
  const fs::path folder = fs::path(program.sources.front()).parent_path();
  return (fs::path(variant.source).parent_path() / fs::path(source).lexically_relative(folder))
      .lexically_normal()
      .string();
}

BatchResult prepareProgram(const BatchProgram &program, const BatchSettings &settings,
                           const StepSink &step) {
  return Preparation(program, settings, step).run();
}

std::size_t preparationSteps(const BatchProgram &program, const BatchSettings &settings) {
  return (settings.traceOnGpu ? 4 : 2) + 2 * program.layouts.size() + 3 * settings.policies.size();
}

} // namespace relayout::tool
