// SPDX-License-Identifier: Apache-2.0
// Executor: what kernels call that needs the block's scheduler.
#include "block_runner.h"
#include "failure.h"

#include "device_functions.h"
#include "relayout/host/launch.h"

#include <cstdlib>
#include <sched.h>

namespace relayout::host::detail {
namespace {

/// A thread that spins lets others run once in so many tries.
constexpr unsigned kSpinsBetweenYields = 64;

BlockRunner &runner(const char *operation) {
  if (activeRunner == nullptr) {
    if (const char *const kernel = runningKernel())
      fatal(Code::BarrierOutsideBlock,
            "kernel '%s' calls %s, but was lowered as one whose threads do not synchronise", kernel,
            operation);
    fatal(Code::BarrierOutsideBlock,
          "%s is called outside a kernel, or the kernel wrote past the end of a __shared__ array",
          operation);
  }
  return *activeRunner;
}

} // namespace

unsigned long long warp(WarpOperation operation, unsigned int mask, unsigned long long value,
                        unsigned int source) {
  return runner(operationName(operation)).exchange(operation, mask, value, source);
}

__attribute__((noinline)) unsigned int activeMask() {
  return runner("__activemask").activeMask(__builtin_return_address(0));
}

int barrier(Vote vote, int predicate) { return runner("__syncthreads").barrier(vote, predicate); }

unsigned int laneId() { return runner("a warp shuffle").laneId(); }

void spin() {
  thread_local unsigned spins = 0;
  if (++spins % kSpinsBetweenYields != 0 || runningKernel() == nullptr)
    return;
  pauseThread();
}

void pauseThread() {
  if (activeRunner != nullptr)
    activeRunner->yield();
  else
    sched_yield();
}

void keepStep() {
  if (activeRunner != nullptr)
    activeRunner->yield();
}

bool isInKernel() { return runningKernel() != nullptr; }

void trap() {
  fatal(Code::Trapped, "kernel '%s' executed __trap()", runningKernel() ? runningKernel() : "?");
}

/// Unwinds the thread's stack: its probes tell of the loops and calls that it leaves.
void exitThread() { throw ThreadExit(); }

} // namespace relayout::host::detail

void __syncthreads() {
  relayout::host::detail::runner("__syncthreads").barrier(relayout::host::detail::Vote::None, 0);
}

namespace relayout::probe::detail {

void drain(Recorder &) { host::activeRunner->drain(); }

} // namespace relayout::probe::detail
