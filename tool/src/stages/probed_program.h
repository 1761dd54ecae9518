// SPDX-License-Identifier: Apache-2.0
// What builds with probes or notes for the GPU need beside the user's own commands.
#pragma once

#include "processes/install_paths.h"
#include "relayout/base/result.h"
#include "relayout/instrument/gpu_probes.h"
#include "relayout/instrument/padding_notes.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

/// Whether device code is compiled for linking, by the last of nvcc's words that says so.
[[nodiscard]] instrument::DeviceCode deviceCodeOf(const std::vector<std::string> &words);

/// Parses against our own CUDA headers, and what these lack against those of the toolkit.
/// \param program   is read against the toolkit's headers from then on, where these were needed
/// \param compiler  nvcc
/// \param folder    for a file that is gone afterwards
/// \error as instrument::insertGpuProbes()
[[nodiscard]] Result<instrument::ProbedProgram> insertProbes(instrument::Program &program,
                                                             instrument::DeviceCode code,
                                                             const std::string &compiler,
                                                             const std::string &folder);

/// The same for instrument::notePadding().
[[nodiscard]] Result<instrument::NotedProgram>
insertPaddingNotes(const instrument::Program &program, const std::string &compiler,
                   const std::string &folder);

/// The include folder of what sources with probes include.
[[nodiscard]] std::string probeHeaders(const InstallPaths &paths);

/// The words of a compile of sources with probes: in C++17, which probes need, where the program's
/// dialect is an older one.
[[nodiscard]] std::vector<std::string> inDialectOfProbes(std::vector<std::string> words);

/// The words for another try, where nvcc failed with an error of its own on how probes ask for the
/// address space of a pointer ("Broken function found", nvcc 13.0).
/// \param log  what it said
/// \returns    nothing where it failed for another reason
[[nodiscard]] std::optional<std::vector<std::string>>
wordsForAnotherTry(std::vector<std::string> words, const std::string &log);

/// What nvcc must link so that the program can write a trace.
[[nodiscard]] std::vector<std::string> probeLinkWords(const InstallPaths &paths);

} // namespace relayout::tool
