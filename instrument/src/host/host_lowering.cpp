// SPDX-License-Identifier: Apache-2.0
// Lowers a CUDA program to C++ for the CPU executor: reads it, edits it, puts the files together.
#include "relayout/instrument/lowering.h"

#include "host/lowering_edits.h"
#include "probes/traced_sources.h"

#include <fmt/format.h>

namespace relayout::instrument {
Result<LoweredProgram> lowerForHost(const CompileCommand &command, Probes probes) {
  auto read = readProgram(command);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  ReadProgram &program = **read;
  if (probes == Probes::Trace)
    if (auto traceable = checkTraceable(program); !traceable)
      return tl::unexpected(std::move(traceable.error()));
  if (auto lowered = lowerCudaConstructs(program); !lowered)
    return tl::unexpected(std::move(lowered.error()));
  if (probes == Probes::Trace)
    insertProbes(program);
  redirectIncludes(program);
  program.host.edits->keepLines();
  auto sources = program.host.edits->apply();
  if (!sources)
    return tl::unexpected(std::move(sources.error()));

  LoweredProgram lowered{std::move(*sources), std::move(program.model)};
  SourceText &main = lowered.sources.files.front();
  main.relativePath += ".cpp";
  main.text = behind("#include <cuda_runtime.h>\n", main.text, command.file);
  if (probes == Probes::Trace)
    main.text += registration(lowered.model.sites);
  else
    lowered.model.sites = {};
  return lowered;
}

} // namespace relayout::instrument
