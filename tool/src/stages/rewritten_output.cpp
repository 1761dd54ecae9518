// SPDX-License-Identifier: Apache-2.0
// `relayout optimize`: what it writes and shows of a rewritten program.
#include "processes/files.h"
#include "stages/optimize_run.h"
#include "stages/output_check.h"
#include "stages/patch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace relayout::tool {
namespace {

/// The changes to the program's own files, and the names of those that come with them.
void showChanges(const instrument::SourceSet &sources, const std::string &folder) {
  instrument::SourceSet edited;
  std::vector<std::string> generated;
  for (const instrument::SourceText &file : sources.files)
    if (file.originalPath.empty())
      generated.push_back(fmt::format("{}/rewritten/{}", folder, file.relativePath));
    else
      edited.files.push_back(file);
  printDiff(patchOf(edited));
  fmt::print("\n");
  if (!generated.empty())
    fmt::print("and new: {} (all of it: {}/changes.diff)\n\n", fmt::join(generated, " "), folder);
  std::fflush(stdout);
}

} // namespace

std::string rewrittenFolder(const OptimizeRun &run) { return run.folder + "/rewritten"; }

Result<OutputCheck> writeRewritten(const OptimizeRun &run, const instrument::SourceSet &rewritten) {
  instrument::SourceSet sources = rewritten;
  keepLineEnds(sources);
  run.progress.begin("compile the rewritten units");
  auto checked = checkOutput(run.program, sources, run.folder + "/rejected.log");
  run.progress.end();
  if (!checked)
    return checked;
  printDiagnostics(checked->findings);
  printDiagnostics(unitsLeftOut(run.options.inputs.database, run.program, sources));
  if (auto written = instrument::writeSources(sources, rewrittenFolder(run)); !written)
    return tl::unexpected(written.error());
  if (auto written = writeFile(run.folder + "/changes.diff", patchOf(sources)); !written)
    return tl::unexpected(written.error());
  showChanges(sources, run.folder);
  return checked;
}

} // namespace relayout::tool
