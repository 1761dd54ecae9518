// SPDX-License-Identifier: Apache-2.0
// The time as a program sees it that runs to be compared with another run: it begins at the same
// second in both, for `srand(time(nullptr))` and its like make all that follows depend on it, and
// `srand(clock())`, too: processor time begins at zero.
// Stands before the C library's functions of these names: linked into programs lowered for the CPU,
// and loaded in front of those that run on a GPU. CUDA's own libraries are told the real time:
// CUPTI sets the GPU's clock by it, and kernel times would be off by what the program is told.
#include "relayout/base/program_clock.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string_view>
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

/// Each look at the clock finds it a millisecond later, so that what a program seeds again and
/// again does not depend on how fast it runs, and loops that wait come to an end.
constexpr std::int64_t kBetweenLooksNs = 1'000'000;
/// A program that sleeps between its looks, once it has run for so long, is told the real time.
constexpr std::int64_t kPatienceNs = 60 * kSecondNs;

struct Start {
  std::int64_t toldNs = 0; ///< 0: none is given
  std::int64_t realNs = realTimeNs();
};

const Start &start() {
  static const Start begin = [] {
    const char *seconds = std::getenv(relayout::kStartTimeVariable);
    return Start{seconds ? std::atoll(seconds) * kSecondNs : 0};
  }();
  return begin;
}

/// \param caller  an address in the code that asks
bool isCuda(const void *caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr)
    return false;
  const char *slash = std::strrchr(info.dli_fname, '/');
  const std::string_view file = slash ? slash + 1 : info.dli_fname;
  for (const std::string_view library : {"libcuda", "libcupti", "libnvidia", "libnvperf"})
    if (file.starts_with(library))
      return true;
  return false;
}

[[nodiscard]] bool isTold(const void *caller) { return start().toldNs != 0 && !isCuda(caller); }

/// Since the start, as one is told who has asked so often.
std::int64_t toldElapsedNs(std::atomic<std::int64_t> &looks) {
  const std::int64_t elapsed = realTimeNs() - start().realNs;
  return elapsed > kPatienceNs ? elapsed : looks++ * kBetweenLooksNs;
}

std::int64_t toldTimeNs(const void *caller) {
  static std::atomic<std::int64_t> looks = 0;
  return isTold(caller) ? start().toldNs + toldElapsedNs(looks) : realTimeNs();
}

std::int64_t processorTimeNs(const void *caller) {
  static std::atomic<std::int64_t> looks = 0;
  if (isTold(caller))
    return toldElapsedNs(looks);
  timespec spent{};
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &spent);
  return spent.tv_sec * kSecondNs + spent.tv_nsec;
}

} // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved
#define RELAYOUT_INSTEAD extern "C" __attribute__((visibility("default")))

RELAYOUT_INSTEAD std::time_t time(std::time_t *result) noexcept {
  const std::time_t seconds = toldTimeNs(__builtin_return_address(0)) / kSecondNs;
  if (result)
    *result = seconds;
  return seconds;
}

RELAYOUT_INSTEAD int gettimeofday(timeval *__restrict result, void *__restrict zone) noexcept {
  if (zone)
    *static_cast<struct timezone *>(zone) = {};
  const std::int64_t now = toldTimeNs(__builtin_return_address(0));
  *result = {now / kSecondNs, now % kSecondNs / kMicrosecondNs};
  return 0;
}

RELAYOUT_INSTEAD std::clock_t clock() noexcept {
  return processorTimeNs(__builtin_return_address(0)) / (kSecondNs / CLOCKS_PER_SEC);
}

RELAYOUT_INSTEAD int clock_gettime(clockid_t clock, timespec *result) noexcept {
  const bool isProcessors = clock == CLOCK_PROCESS_CPUTIME_ID;
  if (clock != CLOCK_REALTIME && !isProcessors)
    return static_cast<int>(syscall(SYS_clock_gettime, clock, result));
  const void *const caller = __builtin_return_address(0);
  const std::int64_t now = isProcessors ? processorTimeNs(caller) : toldTimeNs(caller);
  *result = {now / kSecondNs, now % kSecondNs};
  return 0;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
