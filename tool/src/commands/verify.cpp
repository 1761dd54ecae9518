// SPDX-License-Identifier: Apache-2.0
// `relayout verify ORIGINAL.cu REWRITTEN.cu -- ARGS`: runs both, compares every copy back.
#include "commands/commands.h"
#include "reports/console.h"
#include "stages/stages.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::tool {

Command registerVerify(CLI::App &app) {
  struct Options {
    std::vector<std::string> files;
    std::string folder = "relayout-out/verify";
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "verify", "Run two versions of a program on the CPU and compare what they copy back");
  parser
      ->add_option("files", options->files,
                   "CUDA source before the rewrite, then after it; of a program of several files "
                   "first all before, then as many after")
      ->required();
  parser->add_option("-o,--out", options->folder, "Folder for builds and traces")
      ->capture_default_str();
  parser->footer("Words after -- are the programs' arguments.");
  auto execute = [options](const ForwardedWords &words) -> int {
    if (options->files.size() % 2 != 0)
      return report(Error{Code::InvalidCommandLine,
                          "verify needs as many files after the rewrite as before",
                          {},
                          {}});
    auto paths = findInstallPaths();
    if (!paths)
      return report(paths.error());
    std::vector<Diagnostic> findings;
    const auto half =
        options->files.begin() + static_cast<std::ptrdiff_t>(options->files.size() / 2);
    auto lower = [&](const std::vector<std::string> &files, const char *name) {
      return lowerToFolder(instrument::commandFor(files, words.compilerFlags, paths->cudaHeaders),
                           instrument::Probes::None, options->folder + "/" + name, findings);
    };
    auto original = lower({options->files.begin(), half}, "original");
    if (!original)
      return report(original.error());
    auto rewritten = lower({half, options->files.end()}, "rewritten");
    if (!rewritten)
      return report(rewritten.error());
    if (auto built = buildBoth(*original, *rewritten, *paths); !built)
      return report(built.error());
    auto verification = runAndCompare(*original, *rewritten, words.programArguments);
    if (!verification)
      return report(verification.error());
    auto text = verdict(*verification);
    if (!text)
      return report(text.error());
    fmt::print("{}\n", *text);
    return kDone;
  };
  return {parser, true, true, execute};
}

} // namespace relayout::tool
