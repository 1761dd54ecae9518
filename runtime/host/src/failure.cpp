// SPDX-License-Identifier: Apache-2.0
// Executor: fatal errors and crash reports, on stderr.
#include "failure.h"

#include "arena.h"
#include "block_runner.h"
#include "integer_division.h"
#include "run_budget.h"
#include "stack_pool.h"

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace relayout::host {
namespace {

constexpr std::size_t kCrashStackBytes = 64u << 10;

/// Only async-signal-safe calls from here on.
void say(const char *text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void report(int signal, siginfo_t *info, void *) {
  const char *const kernel = runningKernel();
  if (kernel && (signal == SIGSEGV || signal == SIGBUS)) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const bool isStack = isStackGuard(address);
    say("relayout: error: kernel '");
    say(kernel);
    if (isStack)
      say("' needs more stack than RELAYOUT_STACK_BYTES gives each thread");
    else if (address - probe::detail::arenaBegin < probe::detail::arenaBytes)
      say("' touches device memory that was never allocated");
    else
      say("' touches an address that is not mapped");
    say(" [");
    say(codeName(isStack ? Code::StackOverflow : Code::IllegalAddress));
    say("]\n");
  }
  RunBudget::instance().endInsteadOfCrash(signal, kernel != nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Device code goes on.
void divided(int signal, siginfo_t *info, void *context) {
  static std::atomic<bool> isTold = false;
  const char *const kernel = runningKernel();
  if (!kernel || info->si_code != FPE_INTDIV || !finishDivision(context)) {
    std::signal(signal, SIG_DFL);
    return report(signal, info, context);
  }
  if (isTold.exchange(true))
    return;
  say("relayout: warning: kernel '");
  say(kernel);
  say("' divides an integer by zero: all bits of the result are one, as on a GPU [");
  say(codeName(Code::IntegerDivision));
  say("]\n");
}

void print(const char *severity, Code code, const char *format, va_list arguments) {
  std::fflush(stdout);
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  std::fprintf(stderr, "relayout: %s: %s [%s]\n", severity, text, codeName(code));
}

} // namespace

void fatal(Code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print("error", code, format, arguments);
  va_end(arguments);
  if (!RunBudget::instance().isSparse())
    std::signal(SIGABRT, SIG_DFL); // the program did not end, we end it
  std::abort();
}

void warn(Code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print("warning", code, format, arguments);
  va_end(arguments);
}

void installCrashReport() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) {
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_sigaction = signal == SIGFPE ? divided : report;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (signal == SIGFPE ? 0 : SA_RESETHAND);
    sigaction(signal, &ours, nullptr);
  }
}

CrashStack::CrashStack() {
  stack_t current{};
  if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0)
    return;
  memory_.reset(new char[kCrashStackBytes]);
  stack_t ours{};
  ours.ss_sp = memory_.get();
  ours.ss_size = kCrashStackBytes;
  sigaltstack(&ours, nullptr);
}

CrashStack::~CrashStack() {
  stack_t current{};
  if (!memory_ || sigaltstack(nullptr, &current) != 0 || current.ss_sp != memory_.get())
    return;
  current.ss_flags = SS_DISABLE;
  sigaltstack(&current, nullptr);
}

} // namespace relayout::host
