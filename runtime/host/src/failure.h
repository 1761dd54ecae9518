// SPDX-License-Identifier: Apache-2.0
// Executor: how it stops a program that cannot go on.
#pragma once

#include "relayout/base/diagnostic_codes.h"

#include <memory>

namespace relayout::host {

/// One line on stderr, its code behind it (docs/diagnostics.md), then abort(): the trace stays
/// incomplete, and the shell sees a crash.
[[noreturn]] void fatal(Code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The same line as a warning; the program goes on.
void warn(Code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Explains a crash in a kernel (stack too small, memory that was never allocated) before the
/// program dies of it. Leaves a handler of the program's own alone.
void installCrashReport();

/// A stack for the crash report of the thread that makes it, should its own overflow. The program's
/// own alternate stack is left alone.
class CrashStack {
public:
  CrashStack();
  CrashStack(const CrashStack &) = delete;
  CrashStack &operator=(const CrashStack &) = delete;
  ~CrashStack();

private:
  std::unique_ptr<char[]> memory_;
};

} // namespace relayout::host
