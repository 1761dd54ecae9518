// SPDX-License-Identifier: Apache-2.0
// Executor: clock64() and its like. In runs that are compared with others it counts a thread's
// looks at it instead of time, so that `curand_init(clock64(), i, 0, &state)` makes all runs alike.
#include "device_clock.h"

#include "block_runner.h"
#include "device_functions.h"
#include "device_launch_parameters.h"
#include "relayout/base/program_clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace relayout::host {
namespace {

constexpr std::int64_t kBetweenLooks = 1000;
constexpr std::int64_t kBetweenLaunches = std::int64_t{1} << 32;
constexpr std::int64_t kSecond = 1'000'000'000;

/// The launch that runs, and how many of its kernel's came before.
std::atomic<std::int64_t> current{0}, earlier{0};

/// 0: the real time is told.
std::int64_t startTime() {
  static const std::int64_t start = [] {
    const char *seconds = std::getenv(kStartTimeVariable);
    return seconds ? std::atoll(seconds) * kSecond : 0;
  }();
  return start;
}

/// How often each thread of the block that runs here has looked.
struct Looks {
  std::int64_t launch = -1;
  std::uint64_t block = 0;
  std::vector<std::int64_t> ofThread = {};
};

} // namespace

void stepDeviceClock(const char *kernel) {
  static std::map<std::string, std::int64_t> launches;
  ++current;
  earlier = launches[kernel]++;
}

namespace detail {

long long clockTicks() {
  if (startTime() == 0)
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  if (runningKernel() == nullptr)
    return startTime();
  thread_local Looks looks;
  const dim3 size = ::blockDim, grid = ::gridDim;
  const std::uint64_t threads = std::uint64_t{size.x} * size.y * size.z;
  const std::uint64_t thread =
      (std::uint64_t{::threadIdx.z} * size.y + ::threadIdx.y) * size.x + ::threadIdx.x;
  const std::uint64_t block =
      (std::uint64_t{::blockIdx.z} * grid.y + ::blockIdx.y) * grid.x + ::blockIdx.x;
  if (looks.launch != current || looks.block != block)
    looks = {current, block, std::vector<std::int64_t>(threads)};
  const std::int64_t look = looks.ofThread[thread]++;
  return startTime() + earlier * kBetweenLaunches + look * kBetweenLooks +
         static_cast<std::int64_t>(block * threads + thread);
}

} // namespace detail
} // namespace relayout::host
