// SPDX-License-Identifier: Apache-2.0
// Puts probes into CUDA source that nvcc goes on to compile.
#include "relayout/instrument/gpu_probes.h"

#include "lowering_edits.h"
#include "traced_sources.h"

#include <fmt/format.h>

namespace relayout::instrument {

Result<ProbedProgram> insertGpuProbes(const CompileCommand &command) {
  auto read = readProgram(command);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  ReadProgram &program = **read;
  if (auto traceable = checkTraceable(program); !traceable)
    return tl::unexpected(std::move(traceable.error()));
  insertProbes(program, ProbeTarget::Gpu);
  redirectIncludes(program);
  program.host.edits->keepLines();
  auto sources = program.host.edits->apply();
  if (!sources)
    return tl::unexpected(std::move(sources.error()));

  ProbedProgram probed{std::move(*sources), std::move(program.model)};
  SourceText &main = probed.sources.files.front();
  // Lines and file names stay those of the original, in nvcc's messages too.
  main.text = fmt::format("#include \"relayout/device/probe.cuh\"\n#line 1 \"{}\"\n{}{}",
                          command.file, main.text, registration(probed.model.sites));
  return probed;
}

} // namespace relayout::instrument
