// SPDX-License-Identifier: Apache-2.0
// Executor: how long a program runs whole, and when a run that takes too long ends.
#include "run_budget.h"

#include "settings.h"
#include "trace_session.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <pthread.h>
#include <thread>

namespace relayout::host {
namespace {

constexpr std::chrono::milliseconds kPause{50};
/// On a machine that does other things, too, a second may take as many.
constexpr double kPatience = 3;
/// Ten seconds: the end of a trace is written in less, unless the crash left it in disorder.
constexpr int kPausesBeforeCrash = 200;
/// A second, in which blocks come to where they can be left.
constexpr int kPausesBeforeEnd = 20;

/// Nothing where the thread has ended.
std::optional<double> secondsOf(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

} // namespace

RunBudget &RunBudget::instance() {
  // Never destroyed: its thread ends with the process.
  static auto *const kBudget = new RunBudget;
  return *kBudget;
}

RunBudget::RunBudget() : isSparse_(settings().sparse) {}

void RunBudget::begin() {
  std::call_once(begun_, [this] {
    clockid_t clock{};
    const Settings &how = settings();
    if ((how.sparseAfter == 0 && how.endAfter == 0 && !how.endAtCrash) ||
        pthread_getcpuclockid(pthread_self(), &clock) != 0)
      return;
    std::thread([this, clock] { watch(clock); }).detach();
    isWatched_ = true;
  });
}

void RunBudget::watch(clockid_t clock) {
  const double begin = secondsOf(clock).value_or(0);
  const double wallBegin = secondsOf(CLOCK_MONOTONIC).value_or(0);
  for (int pausesAtEnd = 0;;) {
    const double elapsed =
        std::max(secondsOf(clock).value_or(begin) - begin,
                 (secondsOf(CLOCK_MONOTONIC).value_or(wallBegin) - wallBegin) / kPatience);
    if (settings().sparseAfter != 0 && elapsed >= settings().sparseAfter)
      isSparse_ = true;
    TraceSession *const session = TraceSession::instance();
    if (session && crash_ != 0 && !isSparse())
      session->endAtCrash(crash_);
    else if (session && crash_ != 0)
      session->endEarly();
    isEnding_ = session && settings().endAfter != 0 && elapsed >= settings().endAfter;
    if (isEnding() && pausesAtEnd++ == kPausesBeforeEnd)
      session->endEarly();
    std::this_thread::sleep_for(kPause);
  }
}

bool RunBudget::mayLeaveOut(const std::string &kernel) {
  const std::vector<std::string> &named = settings().sparseKernels;
  return named.empty() || std::find(named.begin(), named.end(), kernel) != named.end();
}

void RunBudget::endInsteadOfCrash(int signal, bool isInKernel) {
  if (!isWatched_ || (!isSparse() && (isInKernel || !settings().endAtCrash)))
    return;
  crash_ = signal;
  const timespec pause{0, 50'000'000};
  for (int i = 0; i < kPausesBeforeCrash; ++i)
    nanosleep(&pause, nullptr);
}

} // namespace relayout::host
