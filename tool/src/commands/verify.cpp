// SPDX-License-Identifier: Apache-2.0
// `relayout verify ORIGINAL.cu REWRITTEN.cu -- ARGS`: runs both, compares every copy back.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/folder_lock.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/measure_on_gpu.h"
#include "stages/output_check.h"
#include "stages/program_inputs.h"
#include "stages/stages.h"
#include "stages/verification_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  ProgramInputs inputs;
  std::string rewritten; ///< folder; empty: the files name both programs
  std::string folder = "relayout-out/verify";
  std::string on = "cpu"; ///< or "gpu"
};

struct Versions {
  instrument::Program original, rewritten;
};

/// The program's files as they lie below `folder`: by the root from which all are found there.
std::optional<instrument::SourceSet> mirrored(const instrument::Program &program,
                                              const std::string &folder) {
  for (fs::path root = fs::weakly_canonical(program.units.front().file).parent_path();;
       root = root.parent_path()) {
    instrument::SourceSet sources;
    bool areThere = true;
    for (const std::string &file : filesOf(program)) {
      const fs::path path = fs::weakly_canonical(file);
      const fs::path relative = path.lexically_relative(root);
      std::error_code status;
      areThere &= *relative.begin() != ".." && fs::exists(folder / relative, status);
      sources.files.push_back({path.string(), relative.string(), {}, {}});
    }
    if (areThere)
      return sources;
    if (root == root.root_path())
      return std::nullopt;
  }
}

Result<Versions> versionsFrom(const VerifyOptions &options, const std::vector<std::string> &flags,
                              const InstallPaths &paths) {
  if (options.rewritten.empty()) {
    if (!options.inputs.database.empty())
      return fail(Code::InvalidCommandLine,
                  "with -p, --rewritten names the folder of the rewritten program");
    const std::vector<std::string> &files = options.inputs.files;
    if (files.empty() || files.size() % 2 != 0)
      return fail(Code::InvalidCommandLine,
                  "verify needs as many files after the rewrite as before");
    const auto half = files.begin() + static_cast<std::ptrdiff_t>(files.size() / 2);
    return Versions{instrument::programOf({files.begin(), half}, flags, paths.headers()),
                    instrument::programOf({half, files.end()}, flags, paths.headers())};
  }
  auto original = programFrom(options.inputs, flags, paths);
  if (!original)
    return tl::unexpected(original.error());
  const auto sources = mirrored(*original, options.rewritten);
  if (!sources) {
    std::error_code status;
    if (!fs::exists(options.rewritten, status))
      return fail(Code::FileUnreadable, fmt::format("there is no folder '{}'", options.rewritten),
                  {}, {{{}, "'relayout rewrite' makes none where nothing would change"}});
    return fail(Code::FileUnreadable, fmt::format("'{}' does not hold all of {}", options.rewritten,
                                                  fmt::join(filesOf(*original), " ")));
  }
  instrument::Program rewritten = inFolder(*original, *sources, options.rewritten);
  return Versions{std::move(*original), std::move(rewritten)};
}

Result<Verification> versionsOnCpu(const Versions &versions, const std::string &folder,
                                   const std::vector<std::string> &arguments,
                                   const InstallPaths &paths, const TraceOptions &running = {}) {
  std::vector<Diagnostic> findings;
  auto original =
      lowerToFolder(versions.original, instrument::Probes::None, folder, "original", findings);
  if (!original)
    return tl::unexpected(original.error());
  auto rewritten =
      lowerToFolder(versions.rewritten, instrument::Probes::None, folder, "rewritten", findings);
  if (!rewritten)
    return tl::unexpected(rewritten.error());
  if (auto built = buildHostPrograms({&*original, &*rewritten}, paths); !built)
    return tl::unexpected(built.error());
  return runAndCompare(*original, *rewritten, arguments, paths, running);
}

Result<Verification> versionsOnGpu(const Versions &versions, const std::string &folder,
                                   const std::vector<std::string> &arguments,
                                   const InstallPaths &paths) {
  const auto gpu = findUsableGpu(paths);
  if (!gpu)
    return tl::unexpected(needsGpu(gpu.error()));
  auto verification = runAndCompareOnGpu(versions.original, versions.rewritten, *gpu,
                                         {arguments, folder + "/gpu", paths.libraries});
  if (verification || (verification.error().code != Code::NothingComparable &&
                       verification.error().code != Code::NothingCopiedBack))
    return verification;
  return insteadOfGpu(verification.error(), versionsOnCpu(versions, folder, arguments, paths,
                                                          {.limit = kInsteadOfGpuLimit}));
}

int verify(const VerifyOptions &options, const ForwardedWords &words) {
  auto paths = findInstallPaths();
  if (!paths)
    return report(paths.error());
  const auto versions = versionsFrom(options, words.compilerFlags, *paths);
  if (!versions)
    return report(versions.error());
  const FolderLock lock(options.folder);
  const auto checked =
      checkUnits(versions->original, versions->rewritten, options.folder + "/rejected.log");
  if (!checked)
    return report(checked.error());
  printDiagnostics(checked->findings);
  const auto verification =
      options.on == "gpu"
          ? versionsOnGpu(*versions, options.folder, words.programArguments, *paths)
          : versionsOnCpu(*versions, options.folder, words.programArguments, *paths);
  if (!verification)
    return report(verification.error());
  auto text = verdict(*verification, *checked);
  if (!text)
    return report(text.error());
  answer("verification", toJson(*verification, *checked));
  fmt::print("{}\n", *text);
  return kDone;
}

} // namespace

Command registerVerify(CLI::App &app) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App *parser =
      app.add_subcommand("verify", "Run two versions of a program and compare what they copy back");
  addProgramInputs(*parser, options->inputs);
  parser->add_option("--rewritten", options->rewritten,
                     "Folder of the rewritten program, as 'rewrite -o' and 'optimize' write it");
  parser->add_option("-o,--out", options->folder, "Folder for builds and traces")
      ->capture_default_str();
  addPlace(*parser, options->on, {"cpu", "gpu"});
  addWorkFolder(*parser);
  parser->footer("Words after -- are the programs' arguments. Without --rewritten the files are "
                 "those of\nboth: first all before the rewrite, then as many after it.");
  auto execute = [options](const ForwardedWords &words) { return verify(*options, words); };
  return {parser, true, true, execute};
}

} // namespace relayout::tool
