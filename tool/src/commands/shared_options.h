// SPDX-License-Identifier: Apache-2.0
// Options and lines that several subcommands have in common.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"
#include "stages/host_program.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace relayout::tool {

/// --all-accesses, for what reads a program to trace it.
void addAllAccesses(CLI::App &parser, bool &allAccesses);

/// An option for a number of bytes, as 1GiB, 500MB or 4096.
void addSize(CLI::App &parser, const std::string &name, unsigned long long &bytes,
             const std::string &description);

void addTraceOptions(CLI::App &parser, TraceOptions &options);

/// --workdir, for what runs the user's program.
void addWorkFolder(CLI::App &parser);

/// --on, where the user's program runs.
void addPlace(CLI::App &parser, std::string &place, const std::vector<std::string> &places);

/// Says how to do without a GPU.
[[nodiscard]] Error needsGpu(Error error);

/// One line on what a trace holds, dropped accesses included.
[[nodiscard]] std::string describeTrace(const trace::Trace &trace, const std::string &file);

} // namespace relayout::tool
