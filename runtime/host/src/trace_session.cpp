// SPDX-License-Identifier: Apache-2.0
// Executor: gathers counts and address records of all workers and writes the trace.
#include "trace_session.h"

#include "run_budget.h"
#include "shared_arrays.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <pthread.h>
#include <sstream>
#include <unistd.h>

namespace relayout::host {
namespace {

/// Launches described one by one, and so the ones that can be sampled; counts cover all.
constexpr std::uint64_t kMaxLaunchRows = 4096;

/// In sampled mode one launch may take this part of the space that is left, and its kernel's later
/// launches ever less, so that kernels that come late find room.
constexpr std::uint64_t kLaunchShare = 8;

/// A sparse run runs the first launches of a kernel, and those with a power of two for a number.
constexpr std::uint64_t kFirstLaunches = 4;

constexpr std::size_t kBatch = 256;

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0)
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  std::string line = text.str();
  while (!line.empty() && line.back() == '\0')
    line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

/// After all destructors of the program, whether main returned or exit() was called; a program
/// that dies does not come here, and its trace stays incomplete.
__attribute__((destructor(101))) void closeTrace() {
  if (TraceSession *const session = TraceSession::instance()) {
    SharedArrays::instance().noteLast();
    session->close();
  }
}

/// No other thread has it, not even one that begins when this one has ended.
std::uint64_t numberOfThread() {
  static std::atomic<std::uint64_t> next{0};
  thread_local const std::uint64_t own = next++;
  return own;
}

std::tuple<const std::string &, std::uint64_t, const std::string &>
contentOf(const trace::CopyDigest &copy) {
  return {copy.place, copy.bytes, copy.digest};
}

} // namespace

void KernelCounters::add(const KernelCounters &other, double factor) {
  const auto times = [factor](std::uint64_t count) {
    return factor == 1
               ? count
               : static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
  };
  for (std::size_t id = 0; id < other.sites.size(); ++id) {
    const SiteCounter &from = other.sites[id];
    if (from.warpAccesses == 0)
      continue;
    SiteCounter &to = site(static_cast<std::uint32_t>(id));
    const std::uint64_t warps = times(from.warpAccesses);
    to.warpAccesses += warps;
    to.laneAccesses += std::clamp(times(from.laneAccesses), warps, warps * kWarpLanes);
  }
  for (std::size_t id = 0; id < other.loops.size(); ++id) {
    const LoopCounter &from = other.loops[id];
    if (from.warpEntries == 0)
      continue;
    LoopCounter &to = loop(static_cast<std::uint32_t>(id));
    to.warpEntries += times(from.warpEntries);
    to.warpIterations += times(from.warpIterations);
  }
}

TraceSession *TraceSession::instance() {
  // Never destroyed: it is closed after the program's last destructor.
  static TraceSession *const kSession = []() -> TraceSession * {
    const std::string &path = settings().tracePath;
    if (path.empty())
      return nullptr;
    Result<trace::Writer> writer = trace::Writer::create(path);
    if (!writer) {
      std::fprintf(stderr, "relayout: warning: no trace is written: %s [%s]\n",
                   writer.error().text.c_str(), codeName(writer.error().code));
      return nullptr;
    }
    return new TraceSession(std::move(*writer));
  }();
  return kSession;
}

TraceSession::TraceSession(trace::Writer writer)
    : writer_(std::move(writer)), process_(getpid()),
      wordsLeft_(settings().maxBytes / sizeof(std::uint64_t)) {
  writer_.machine({settings().sparse ? trace::kSparseCpu : "cpu", processorName()});
  writer_.command(commandLine());
}

void TraceSession::registerSites(const char *siteTableJson) {
  const std::scoped_lock lock(mutex_);
  hasProbes_ = true;
  writer_.sites(siteTableJson);
}

LaunchSampling TraceSession::beginLaunch(const detail::KernelCall &call, std::uint64_t blocks) {
  const std::scoped_lock lock(mutex_);
  LaunchSampling sampling;
  const auto [known, isNew] =
      kernelIndex_.try_emplace(call.name, static_cast<std::uint32_t>(kernels_.size()));
  if (isNew) {
    kernels_.push_back(call.name);
    kernelLaunches_.push_back(0);
    counters_.emplace_back();
    estimates_.emplace_back();
  }
  sampling.kernel = known->second;
  sampling.blocks = blocks;
  const std::uint64_t launch = launches_++;
  const std::uint64_t repeats = kernelLaunches_[sampling.kernel]++;
  blocksExecuted_ += blocks;
  nextBlock_ = 0;
  // A cooperative launch waits for all its blocks.
  sampling.mayLeaveOut = !call.isCooperative && RunBudget::mayLeaveOut(call.name);
  sampling.isSparse = sampling.mayLeaveOut && RunBudget::instance().isSparse();
  const bool isListed = launch < kMaxLaunchRows;
  // A run that has become sparse late knows kernels from launches that it ran whole.
  const bool isKnown = !settings().sparse && estimates_[sampling.kernel].blocks != 0;
  const bool isRun =
      !sampling.isSparse || (repeats < kFirstLaunches && !isKnown) || std::has_single_bit(repeats);
  if (hasProbes_ && settings().traceMode != TraceMode::Counts) {
    if (isListed && isRun && (wordsLeft_ > 0 || sampling.isSparse))
      sample(sampling, call, launch, repeats);
  } else if (isRun && sampling.isSparse) {
    // By the kernel's own launches: two versions of a program leave out the same blocks.
    sampling.stride = std::max<std::uint64_t>(1, blocks / settings().sampleBlocks);
    sampling.phase = repeats % sampling.stride;
  }
  if (sampling.isLeftOut() && estimates_[sampling.kernel].blocks != 0) {
    const Estimate &estimate = estimates_[sampling.kernel];
    counters_[sampling.kernel].add(estimate.counters, static_cast<double>(blocks) /
                                                          static_cast<double>(estimate.blocks));
  }
  if (!isListed)
    return sampling;
  sampling.launch = static_cast<std::uint32_t>(launch);
  trace::Launch row;
  row.kernel = sampling.kernel;
  row.grid = {call.shape.grid.x, call.shape.grid.y, call.shape.grid.z};
  row.block = {call.shape.block.x, call.shape.block.y, call.shape.block.z};
  row.sharedBytes = call.shape.sharedBytes;
  row.sampleStride = sampling.stride;
  writer_.launch(row);
  return sampling;
}

void TraceSession::sample(LaunchSampling &sampling, const detail::KernelCall &call,
                          std::uint64_t launch, std::uint64_t repeats) {
  const bool isFull = settings().traceMode == TraceMode::Full;
  LaunchSampling sampled = sampling;
  sampled.stride =
      isFull ? 1 : std::max<std::uint64_t>(1, sampling.blocks / settings().sampleBlocks);
  sampled.phase = launch % sampled.stride;
  sampled.warpWords = wordsLeft_;
  if (!isFull) {
    const dim3 &block = call.shape.block;
    const std::uint64_t warps =
        (std::uint64_t{block.x} * block.y * block.z + kWarpLanes - 1) / kWarpLanes;
    const std::uint64_t share = wordsLeft_ / kLaunchShare / (repeats + 1) / (repeats + 1);
    constexpr std::uint64_t kOneRecord = BlockRecords::kHeadWords + kWarpLanes;
    sampled.warpWords = share / sampled.sampledBlocks() / warps;
    if (sampled.warpWords < kOneRecord) {
      // By hundreds of launches one record a warp adds up to all the space.
      if (!sampling.isSparse && !std::has_single_bit(repeats + 1))
        return;
      sampled.warpWords = kOneRecord;
    }
  }
  sampling = sampled;
  blocksSampled_ += sampling.sampledBlocks();
  nextBlock_ = sampling.phase;
}

std::uint64_t TraceSession::beginSampledBlock(std::uint64_t block) {
  std::unique_lock lock(mutex_);
  flushed_.wait(lock, [&] { return block == nextBlock_ || wordsWaiting_ <= wordsLeft_; });
  return wordsLeft_;
}

void TraceSession::endSampledBlock(const LaunchSampling &sampling, std::uint64_t block,
                                   BlockRecords records) {
  const std::scoped_lock lock(mutex_);
  wordsWaiting_ += records.words.size();
  waiting_.emplace(block, std::move(records));
  while (!waiting_.empty() && waiting_.begin()->first == nextBlock_) {
    const auto next = waiting_.extract(waiting_.begin());
    wordsWaiting_ -= next.mapped().words.size();
    writeRecords(sampling, next.key(), next.mapped());
    nextBlock_ += sampling.stride;
  }
  flushed_.notify_all();
}

void TraceSession::writeRecords(const LaunchSampling &sampling, std::uint64_t block,
                                const BlockRecords &records) {
  // Cut in the order of execution, then write warp by warp.
  struct Place {
    std::uint32_t warp;
    std::size_t word;
  };
  std::vector<Place> places;
  for (std::size_t word = 0; word < records.words.size();) {
    const auto mask = static_cast<std::uint32_t>(records.words[word]);
    const std::uint64_t size = BlockRecords::kHeadWords + std::popcount(mask);
    if (size > wordsLeft_) {
      wordsLeft_ = 0;
      break;
    }
    wordsLeft_ -= size;
    places.push_back({static_cast<std::uint32_t>(records.words[word + 1] >> 32), word});
    word += size;
  }
  if (records.overflowed)
    wordsLeft_ = 0;
  std::stable_sort(places.begin(), places.end(),
                   [](const Place &a, const Place &b) { return a.warp < b.warp; });

  KernelCounters &counters = counters_[sampling.kernel];
  std::vector<trace::WarpAccess> batch;
  const auto write = [&] {
    const std::size_t written = writer_.accesses(batch);
    for (std::size_t i = 0; i < written; ++i)
      ++counters.site(batch[i].site).recorded;
    batch.clear();
  };
  for (const Place &place : places) {
    const std::uint64_t *words = &records.words[place.word];
    trace::WarpAccess access;
    access.launch = sampling.launch;
    access.block = static_cast<std::uint32_t>(block);
    access.warp = place.warp;
    access.site = static_cast<std::uint32_t>(words[0] >> 32);
    access.activeMask = static_cast<std::uint32_t>(words[0]);
    access.bytes = static_cast<std::uint32_t>(words[1]);
    access.order = words[2];
    const std::uint64_t *address = words + BlockRecords::kHeadWords;
    for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1)
      access.addresses[std::countr_zero(left)] = *address++;
    batch.push_back(access);
    if (batch.size() == kBatch)
      write();
  }
  write();
}

void TraceSession::endLaunch(const LaunchSampling &sampling, std::uint64_t blocksRun,
                             KernelCounters counters) {
  const std::scoped_lock lock(mutex_);
  if (blocksRun == 0)
    return;
  const double factor = blocksRun == sampling.blocks
                            ? 1
                            : static_cast<double>(sampling.blocks) / static_cast<double>(blocksRun);
  counters_[sampling.kernel].add(counters, factor);
  estimates_[sampling.kernel] = {blocksRun, std::move(counters)};
}

void TraceSession::allocation(const trace::Allocation &allocation) {
  const std::scoped_lock lock(mutex_);
  if (!closed_)
    writer_.allocation(allocation);
}

void TraceSession::copy(const trace::CopyDigest &digest) {
  const std::scoped_lock lock(mutex_);
  if (closed_)
    return;
  if (gettid() == getpid()) // the program's first thread
    writer_.copy(digest);
  else
    copiesOfOthers_[numberOfThread()].push_back(digest);
}

void TraceSession::writeCopiesOfOthers() {
  std::vector<std::vector<trace::CopyDigest>> lists;
  for (auto &[thread, copies] : copiesOfOthers_)
    lists.push_back(std::move(copies));
  std::ranges::sort(lists, [](const auto &a, const auto &b) {
    return std::ranges::lexicographical_compare(a, b, {}, contentOf, contentOf);
  });
  for (const std::vector<trace::CopyDigest> &copies : lists)
    for (const trace::CopyDigest &copy : copies)
      writer_.copy(copy);
}

void TraceSession::transfer(const trace::HostTransfer &transfer) {
  const std::scoped_lock lock(mutex_);
  const auto [known, isNew] =
      transfers_.try_emplace({transfer.address, transfer.isToHost, transfer.place}, transfer);
  if (isNew)
    return;
  known->second.copies += transfer.copies;
  known->second.bytes += transfer.bytes;
}

void TraceSession::close() {
  const std::scoped_lock lock(mutex_);
  if (closed_ || getpid() != process_)
    return;
  writeEnd(RunBudget::instance().isSparse() ? trace::kSparseCpu : nullptr);
}

void TraceSession::endEarly() {
  const std::scoped_lock lock(mutex_); // to the end: nothing else is written
  if (closed_ || getpid() != process_)
    return;
  writeEnd(trace::kEndedCpu);
  std::fflush(nullptr);
  _exit(0);
}

void TraceSession::endAtCrash(int signal) {
  constexpr int kBySignal = 128; // as shells have it
  close();
  std::fflush(nullptr);
  _exit(kBySignal + signal);
}

/// \param machineKind  null: as at the start
void TraceSession::writeEnd(const char *machineKind) {
  closed_ = true;
  if (machineKind)
    writer_.machine({machineKind, processorName()});
  std::vector<trace::SiteCount> counts;
  std::vector<trace::LoopCount> loops;
  for (std::uint32_t kernel = 0; kernel < counters_.size(); ++kernel) {
    const KernelCounters &from = counters_[kernel];
    for (std::uint32_t id = 0; id < from.sites.size(); ++id)
      if (const SiteCounter &site = from.sites[id]; site.warpAccesses + site.recorded != 0) {
        // Of a launch that had not ended, blocks may be recorded that are not counted yet; and what
        // is estimated may be less than what was recorded.
        const std::uint64_t warps = std::max(site.warpAccesses, site.recorded);
        counts.push_back({kernel, id, warps, std::max(site.laneAccesses, warps), site.recorded,
                          warps - site.recorded});
      }
    for (std::uint32_t id = 0; id < from.loops.size(); ++id)
      if (const LoopCounter &loop = from.loops[id]; loop.warpEntries != 0)
        loops.push_back({kernel, id, loop.warpEntries, loop.warpIterations});
  }
  writeCopiesOfOthers();
  for (const auto &[where, transfer] : transfers_)
    writer_.transfer(transfer);
  if (const Result<void> closed =
          writer_.close(kernels_, counts, loops, launches_, blocksExecuted_, blocksSampled_);
      !closed)
    std::fprintf(stderr, "relayout: warning: the trace is incomplete: %s [%s]\n",
                 closed.error().text.c_str(), codeName(closed.error().code));
}

} // namespace relayout::host

namespace relayout::probe {

Registration::Registration(const char *siteTableJson) {
  const auto start = [](void *table) -> void * {
    if (host::TraceSession *const session = host::TraceSession::instance())
      session->registerSites(static_cast<const char *>(table));
    return nullptr;
  };
  // On a thread of its own, which has a heap of its own: what this frees before main would be the
  // memory that the program allocates first, and programs read zeros there that they never wrote.
  // Not a std::thread, which allocates.
  void *const table = const_cast<char *>(siteTableJson);
  if (pthread_t thread; pthread_create(&thread, nullptr, start, table) == 0)
    pthread_join(thread, nullptr);
  else
    start(table);
}

} // namespace relayout::probe
