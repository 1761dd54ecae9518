// SPDX-License-Identifier: Apache-2.0
// Executor: launches. The calling thread works too, so one worker means no other thread at all.
#include "executor.h"
#include "kernel_launches.h"

#include "block_runner.h"
#include "device_clock.h"
#include "failure.h"
#include "grid_barrier.h"
#include "run_budget.h"
#include "settings.h"
#include "trace_session.h"

#include "relayout/base/run_progress.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relayout::host {
namespace {

/// Where this process tells how far it is; null: nobody asks.
RunProgress *runProgress() {
  static RunProgress *const kProgress = []() -> RunProgress * {
    const char *path = std::getenv(kProgressVariable);
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
      return nullptr;
    void *page = mmap(nullptr, sizeof(RunProgress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return page == MAP_FAILED ? nullptr : static_cast<RunProgress *>(page);
  }();
  return kProgress;
}

/// One launch as the workers see it.
struct Job {
  const detail::KernelCall *call = nullptr;
  std::uint64_t blocks = 0;
  TraceSession *session = nullptr; ///< null: nothing is recorded
  LaunchSampling sampling;
  std::atomic<std::uint64_t> nextBlock{0};
  std::atomic<std::uint64_t> blocksRun{0};
  RunProgress *progress = runProgress();
  std::mutex helpersMutex;
  std::vector<std::thread> helpers; ///< run other blocks while some wait for what these will write
  KernelCounters helped;

  void begin() const {
    if (!progress)
      return;
    std::strncpy(progress->kernel, call->name, RunProgress::kNameBytes - 1);
    progress->blocks = blocks;
    progress->begun = 0;
    ++progress->launches;
  }
};

void runBlock(Job &job, std::uint64_t block, KernelCounters &counters) {
  const bool isSampled = job.sampling.samples(block);
  if (!isSampled && job.sampling.mayLeaveOut && RunBudget::instance().isSparse())
    return;
  job.blocksRun.fetch_add(1, std::memory_order_relaxed);
  BlockRunner &runner = BlockRunner::ofThisThread();
  if (job.session == nullptr)
    return runner.run(*job.call, block, nullptr);
  BlockRecording recording;
  recording.counters = &counters;
  if (!isSampled || job.sampling.warpWords == 0)
    return runner.run(*job.call, block, &recording);
  BlockRecords records;
  recording.records = &records;
  recording.warpWords = job.sampling.warpWords;
  recording.blockWords = job.session->beginSampledBlock(block);
  runner.run(*job.call, block, &recording);
  job.session->endSampledBlock(job.sampling, block, std::move(records));
}

/// So many that a row of their threads is long.
constexpr std::uint64_t kTogether = 64;

/// Blocks along x whose threads need not run block by block: nothing is recorded, and no block has
/// anything of its own.
std::uint64_t blocksTogether(const Job &job) {
  const LaunchShape &shape = job.call->shape;
  if (job.session != nullptr || job.call->threads != Threads::Loop || shape.sharedBytes != 0 ||
      shape.block.y * shape.block.z == 1)
    return 1;
  return std::min<std::uint64_t>(kTogether, shape.grid.x);
}

/// Runs blocks [first, end), those of each row of the grid together.
void runTogether(Job &job, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t row = job.call->shape.grid.x;
  while (first < end) {
    const std::uint64_t next = std::min(end, (first / row + 1) * row);
    job.blocksRun.fetch_add(next - first, std::memory_order_relaxed);
    BlockRunner::ofThisThread().run(*job.call, first, nullptr, static_cast<unsigned>(next - first));
    first = next;
  }
}

/// Of which this thread runs blocks.
thread_local Job *jobOfThread = nullptr;

/// Runs blocks until none is left, or until the run ends.
void work(Job &job, KernelCounters &counters) {
  jobOfThread = &job;
  const std::uint64_t together = blocksTogether(job);
  while (together > 1 && !(job.sampling.mayLeaveOut && RunBudget::instance().isSparse())) {
    const std::uint64_t first = job.nextBlock.fetch_add(together, std::memory_order_relaxed);
    if (first >= job.blocks)
      return;
    if (job.progress)
      job.progress->begun.store(first + 1, std::memory_order_relaxed);
    runTogether(job, first, std::min(first + together, job.blocks));
  }
  for (;;) {
    const std::uint64_t block = job.nextBlock.fetch_add(1, std::memory_order_relaxed);
    if (block >= job.blocks || (job.session && RunBudget::instance().isEnding()))
      return;
    if (job.progress)
      job.progress->begun.store(block + 1, std::memory_order_relaxed);
    runBlock(job, block, counters);
  }
}

/// As many as a great GPU has blocks at a time.
constexpr std::size_t kMostHelpers = 2048;

/// Of a block that waits while all others run: others have the core meanwhile.
constexpr std::chrono::microseconds kWaitOfBlock{50};

/// Helpers may have called others.
void joinHelpers(Job &job, KernelCounters &counters) {
  for (;;) {
    std::vector<std::thread> ending;
    {
      const std::scoped_lock lock(job.helpersMutex);
      ending.swap(job.helpers);
    }
    if (ending.empty())
      break;
    for (std::thread &helper : ending)
      helper.join();
  }
  counters.add(job.helped);
}

/// A cooperative launch: a thread for every block, since each may wait for all others.
void workTogether(Job &job, KernelCounters &counters) {
  GridBarrier barrier(job.blocks, settings().workers);
  std::vector<KernelCounters> shares(job.blocks);
  std::vector<std::thread> threads;
  for (std::uint64_t block = 0; block < job.blocks; ++block)
    threads.emplace_back([&, block] {
      gridPlace = {&barrier, block};
      barrier.enter(block);
      runBlock(job, block, shares[block]);
      barrier.leave(block);
    });
  for (std::uint64_t block = 0; block < job.blocks; ++block) {
    threads[block].join();
    counters.add(shares[block]);
  }
}

class Workers {
public:
  static Workers &instance() {
    // Never destroyed: worker threads end with the process.
    static Workers *const kWorkers = new Workers;
    return *kWorkers;
  }

  /// Runs the job on all workers and returns when it is done.
  void run(Job &job) {
    const std::scoped_lock oneLaunch(launchMutex_);
    stepDeviceClock(job.call->name);
    job.begin();
    if (TraceSession *const session = TraceSession::instance()) {
      RunBudget::instance().begin();
      job.sampling = session->beginLaunch(*job.call, job.blocks);
      if (session->hasProbes())
        job.session = session;
      if (job.sampling.isLeftOut())
        return;
    }
    KernelCounters counters;
    if (job.call->isCooperative) {
      workTogether(job, counters);
    } else if (job.blocks > 1 && settings().workers > 1) {
      start();
      {
        const std::scoped_lock lock(mutex_);
        job_ = &job;
        busy_ = threads_.size();
        ++generation_;
      }
      wake_.notify_all();
      work(job, counters);
      std::unique_lock lock(mutex_);
      done_.wait(lock, [&] { return busy_ == 0; });
      job_ = nullptr;
    } else {
      work(job, counters);
    }
    joinHelpers(job, counters);
    if (job.session == nullptr)
      return;
    for (KernelCounters &share : counters_) {
      counters.add(share);
      share = {};
    }
    job.session->endLaunch(job.sampling, job.blocksRun, std::move(counters));
    if (RunBudget::instance().isEnding())
      job.session->endEarly();
  }

private:
  void start() {
    if (!threads_.empty())
      return;
    const unsigned others = settings().workers - 1;
    counters_.resize(others);
    for (unsigned i = 0; i < others; ++i)
      threads_.emplace_back([this, i] { serve(i); }).detach();
  }

  void serve(unsigned worker) {
    std::uint64_t seen = 0;
    for (;;) {
      Job *job = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return generation_ != seen; });
        seen = generation_;
        job = job_;
      }
      work(*job, counters_[worker]);
      const std::scoped_lock lock(mutex_);
      if (--busy_ == 0)
        done_.notify_one();
    }
  }

  std::mutex launchMutex_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> threads_;
  std::vector<KernelCounters> counters_;
  Job *job_ = nullptr;
  std::size_t busy_ = 0;
  std::uint64_t generation_ = 0;
};

std::mutex limitsMutex;
std::map<const void *, int> &limits() {
  static auto *const kLimits = new std::map<const void *, int>;
  return *kLimits;
}

} // namespace

cudaError_t setDynamicSharedLimit(const void *function, int bytes) {
  if (function == nullptr)
    return cudaErrorInvalidDeviceFunction;
  if (bytes < 0 || static_cast<std::size_t>(bytes) > kSharedBytesOptIn)
    return cudaErrorInvalidValue;
  const std::scoped_lock lock(limitsMutex);
  limits()[function] = bytes;
  return cudaSuccess;
}

int dynamicSharedLimit(const void *function) {
  const std::scoped_lock lock(limitsMutex);
  const auto known = limits().find(function);
  return known == limits().end() ? static_cast<int>(kSharedBytes) : known->second;
}

/// Bytes that a launch may ask for: what its kernel was allowed, or any, where it is not known
/// which.
std::size_t dynamicSharedLimit(const detail::KernelCall &call) {
  if (call.isKernel)
    return static_cast<std::size_t>(dynamicSharedLimit(call.function));
  const std::scoped_lock lock(limitsMutex);
  std::size_t most = kSharedBytes;
  for (const auto &[function, bytes] : limits())
    most = std::max(most, static_cast<std::size_t>(bytes));
  return most;
}

struct KnownKernel {
  const char *name;
  Threads threads;
};

/// By address; filled before main.
std::unordered_map<const void *, KnownKernel> &knownKernels() {
  static auto *const kKernels = new std::unordered_map<const void *, KnownKernel>;
  return *kKernels;
}

/// The launch, by the name of the kernel that a pointer stands for.
detail::KernelCall named(detail::KernelCall call) {
  if (const auto known = knownKernels().find(call.function); known != knownKernels().end()) {
    call.name = known->second.name;
    if (!call.isCooperative)
      call.threads = known->second.threads;
  }
  return call;
}

/// All blocks of a cooperative launch run at the same time.
bool fitsAtOnce(const detail::KernelCall &call) {
  const dim3 &grid = call.shape.grid, &block = call.shape.block;
  int fitting = 0, processors = 0;
  return detail::activeBlocks(&fitting, static_cast<int>(block.x * block.y * block.z),
                              call.shape.sharedBytes) == cudaSuccess &&
         cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess &&
         std::uint64_t{grid.x} * grid.y * grid.z <=
             static_cast<std::uint64_t>(fitting) * static_cast<std::uint64_t>(processors);
}

cudaError_t checkShape(const detail::KernelCall &call) {
  const dim3 &grid = call.shape.grid;
  const dim3 &block = call.shape.block;
  if (call.function == nullptr)
    return cudaErrorInvalidDeviceFunction;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
    return cudaErrorInvalidConfiguration;
  if (grid.x > 0x7fffffffu || grid.y > 0xffffu || grid.z > 0xffffu)
    return cudaErrorInvalidConfiguration;
  if (block.x > kMaxBlockThreads || block.y > kMaxBlockThreads || block.z > 64 ||
      std::uint64_t{block.x} * block.y * block.z > kMaxBlockThreads)
    return cudaErrorInvalidConfiguration;
  if (call.shape.sharedBytes > dynamicSharedLimit(call))
    return cudaErrorInvalidValue;
  if (call.isCooperative && !fitsAtOnce(call))
    return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

void waitForOtherBlocks() {
  Job *const job = jobOfThread;
  const auto areLeft = [job] { return job->nextBlock.load() < job->blocks; };
  if (job != nullptr && areLeft()) {
    const std::scoped_lock lock(job->helpersMutex);
    if (areLeft() && job->helpers.size() < kMostHelpers) {
      job->helpers.emplace_back([job] {
        KernelCounters share;
        work(*job, share);
        const std::scoped_lock adding(job->helpersMutex);
        job->helped.add(share);
      });
      return;
    }
  }
  std::this_thread::sleep_for(kWaitOfBlock);
}

namespace detail {

cudaError_t launch(const KernelCall &asWritten) {
  const KernelCall call = named(asWritten);
  if (const cudaError_t error = checkShape(call); error != cudaSuccess)
    return host::fail(error);
  static const bool kReportsCrashes = (installCrashReport(), true);
  static_cast<void>(kReportsCrashes);
  const dim3 &grid = call.shape.grid;
  Job job;
  job.call = &call;
  job.blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  Workers::instance().run(job);
  KernelLaunches::instance().runAll();
  return cudaSuccess;
}

} // namespace detail

PointedKernel::PointedKernel(const void *kernel, const char *name, Threads threads) {
  knownKernels().try_emplace(kernel, KnownKernel{name, threads});
}

} // namespace relayout::host
