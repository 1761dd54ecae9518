// SPDX-License-Identifier: Apache-2.0
// The time of day as a program sees it that runs to be compared with another run: it begins at the
// same second in both, for `srand(time(nullptr))` and its like make all that follows depend on it.
// Stands before the C library's functions of these names: linked into programs lowered for the CPU,
// and loaded in front of those that run on a GPU.
#include "relayout/base/program_clock.h"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kMicrosecondNs = 1'000;

std::int64_t realTimeNs() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

/// What is added to the real time; 0 where no time is given.
std::int64_t shiftNs() {
  static const std::int64_t shift = [] {
    const char *start = std::getenv(relayout::kStartTimeVariable);
    return start ? std::atoll(start) * kSecondNs - realTimeNs() : 0;
  }();
  return shift;
}

std::int64_t toldTimeNs() {
  const std::int64_t shift = shiftNs();
  return realTimeNs() + shift;
}

} // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved
#define RELAYOUT_INSTEAD extern "C" __attribute__((visibility("default")))

RELAYOUT_INSTEAD std::time_t time(std::time_t *result) noexcept {
  const std::time_t seconds = toldTimeNs() / kSecondNs;
  if (result)
    *result = seconds;
  return seconds;
}

RELAYOUT_INSTEAD int gettimeofday(timeval *__restrict result, void *__restrict zone) noexcept {
  if (zone)
    *static_cast<struct timezone *>(zone) = {};
  const std::int64_t now = toldTimeNs();
  *result = {now / kSecondNs, now % kSecondNs / kMicrosecondNs};
  return 0;
}

RELAYOUT_INSTEAD int clock_gettime(clockid_t clock, timespec *result) noexcept {
  if (clock != CLOCK_REALTIME)
    return static_cast<int>(syscall(SYS_clock_gettime, clock, result));
  const std::int64_t now = toldTimeNs();
  *result = {now / kSecondNs, now % kSecondNs};
  return 0;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
