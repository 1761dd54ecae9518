// SPDX-License-Identifier: Apache-2.0
// Options and lines that several subcommands have in common.
#pragma once

#include "relayout/trace/trace.h"
#include "stages/host_program.h"

#include <CLI/CLI.hpp>

#include <string>

namespace relayout::tool {

/// --all-accesses, for what reads a program to trace it.
void addAllAccesses(CLI::App &parser, bool &allAccesses);

/// An option for a number of bytes, as 1GiB, 500MB or 4096.
void addSize(CLI::App &parser, const std::string &name, unsigned long long &bytes,
             const std::string &description);

void addTraceOptions(CLI::App &parser, TraceOptions &options);

/// --workdir, for what runs programs on the CPU.
void addWorkFolder(CLI::App &parser);

/// One line on what a trace holds, dropped accesses included.
[[nodiscard]] std::string describeTrace(const trace::Trace &trace, const std::string &file);

} // namespace relayout::tool
