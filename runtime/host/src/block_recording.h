// SPDX-License-Identifier: Apache-2.0
// Executor: what is kept of one block's warp accesses: counts always, addresses where asked.
#pragma once

#include "warp_merger.h"

#include <cstdint>
#include <vector>

namespace relayout::host {

struct SiteCounter {
  std::uint64_t warpAccesses = 0;
  std::uint64_t laneAccesses = 0;
  std::uint64_t recorded = 0;
};

struct LoopCounter {
  std::uint64_t warpEntries = 0;
  std::uint64_t warpIterations = 0;
};

/// Counts of one kernel, indexed by probe id.
struct KernelCounters {
  std::vector<SiteCounter> sites;
  std::vector<LoopCounter> loops;

  SiteCounter &site(std::uint32_t id) {
    if (id >= sites.size())
      sites.resize(id + 1);
    return sites[id];
  }
  LoopCounter &loop(std::uint32_t id) {
    if (id >= loops.size())
      loops.resize(id + 1);
    return loops[id];
  }
  /// \param factor  at least 1: what each count of the other's stands for
  void add(const KernelCounters &other, double factor = 1);
};

/// The address records of one block, in the order they were made. Each is a head of three words,
/// (site, mask), (warp, bytes), order, and one word an active lane.
struct BlockRecords {
  static constexpr std::size_t kHeadWords = 3;
  std::vector<std::uint64_t> words;
  bool overflowed = false; ///< the space ran out: nothing after that was kept
};

/// Takes what the mergers of a block's warps tell.
struct BlockRecording {
  /// Executions of a site that every sampled warp records even when its share is used up, so that
  /// what follows a long loop is seen too.
  static constexpr std::uint8_t kFirstOfSite = 2;

  KernelCounters *counters = nullptr;
  BlockRecords *records = nullptr; ///< null: this block is only counted
  std::uint64_t warpWords = 0;     ///< a warp's share of records, in words
  std::uint64_t blockWords = 0;    ///< most words of records in all
};

/// One warp's share of a BlockRecording; the sink of its merger.
class WarpSink {
public:
  void reset(BlockRecording *block, std::uint32_t warp) {
    block_ = block;
    warp_ = warp;
    order_ = 0;
    words_ = 0;
    recordedOfSite_.clear();
  }

  void access(std::uint64_t key, std::uint32_t mask, const WarpMerger::Streams &streams) {
    const std::uint32_t site = probe::detail::eventId(key);
    const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
    SiteCounter &counter = block_->counters->site(site);
    ++counter.warpAccesses;
    counter.laneAccesses += lanes;
    if (block_->records)
      record(key, mask, lanes, streams);
    ++order_;
  }
  void loopEntered(std::uint32_t loop) { ++block_->counters->loop(loop).warpEntries; }
  void loopIterated(std::uint32_t loop, std::uint64_t times) {
    block_->counters->loop(loop).warpIterations += times;
  }

private:
  void record(std::uint64_t key, std::uint32_t mask, std::uint32_t lanes,
              const WarpMerger::Streams &streams) {
    std::vector<std::uint64_t> &words = block_->records->words;
    const std::uint64_t needed = BlockRecords::kHeadWords + lanes;
    // Which records are kept depends on this warp alone, and so does not change with the order in
    // which blocks run: the first ones until its share is used up, then the first of each site.
    if (block_->records->overflowed)
      return;
    const std::uint32_t site = probe::detail::eventId(key);
    if (site >= recordedOfSite_.size())
      recordedOfSite_.resize(site + 1);
    if (words_ + needed > block_->warpWords) {
      words_ = block_->warpWords;
      if (recordedOfSite_[site] >= BlockRecording::kFirstOfSite)
        return;
    }
    if (words.size() + needed > block_->blockWords) {
      block_->records->overflowed = true;
      return;
    }
    if (recordedOfSite_[site] < BlockRecording::kFirstOfSite)
      ++recordedOfSite_[site];
    words_ += needed;
    words.push_back(key >> 32 << 32 | mask);
    words.push_back(static_cast<std::uint64_t>(warp_) << 32 | probe::detail::eventBytes(key));
    words.push_back(order_);
    for (std::uint32_t left = mask; left != 0; left &= left - 1)
      words.push_back(streams[std::countr_zero(left)]->address);
  }

  BlockRecording *block_ = nullptr;
  std::uint32_t warp_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t words_ = 0;
  std::vector<std::uint8_t> recordedOfSite_; ///< up to kFirstOfSite each
};

} // namespace relayout::host
