// SPDX-License-Identifier: Apache-2.0
// Reads a trace back and holds it against its own totals.
#include "relayout/trace/reader.h"

#include "access_codec.h"
#include "chunk_file.h"
#include "metadata.h"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace relayout::trace {
namespace {

/// Decodes every item of a chunk and wants nothing left over.
template <class Value, class Keep> bool decodeItems(const Chunk &chunk, Keep keep) {
  ByteSource source(chunk.payload);
  for (std::uint64_t i = 0; i < chunk.items; ++i) {
    Value value;
    if (!decode(source, value))
      return false;
    keep(std::move(value));
  }
  return source.atEnd();
}

std::string nameOfKernel(const Trace &trace, Index kernel) {
  return kernel < trace.kernels.size() ? trace.kernels[kernel] : fmt::format("#{}", kernel);
}

/// The accounts of a complete trace: indices that lead somewhere, and sums that add up.
Result<void> checkTotals(const Trace &trace, const std::string &path) {
  const auto contradicts = [&path](const std::string &what) {
    return fail(Code::InconsistentTrace,
                fmt::format("the accounts of '{}' do not add up: {}", path, what));
  };
  for (const Launch &launch : trace.launches)
    if (launch.kernel >= trace.kernels.size())
      return contradicts(
          fmt::format("a launch of kernel {} of {}", launch.kernel, trace.kernels.size()));
  if (trace.launches.size() > trace.launchesExecuted)
    return contradicts(fmt::format("{} launches are listed, {} were executed",
                                   trace.launches.size(), trace.launchesExecuted));
  if (trace.blocksSampled > trace.blocksExecuted)
    return contradicts(fmt::format("{} blocks were sampled, {} executed", trace.blocksSampled,
                                   trace.blocksExecuted));

  std::uint64_t recorded = 0;
  std::set<std::pair<Index, std::uint32_t>> seen;
  for (const SiteCount &row : trace.counts) {
    const std::string name =
        fmt::format("site {} in kernel {}", row.site, nameOfKernel(trace, row.kernel));
    if (row.kernel >= trace.kernels.size())
      return contradicts(name + ": no such kernel");
    // A program without a site table can still count; then there is nothing to look up.
    if (!trace.sites.sites.empty() && !findSite(trace.sites, row.site))
      return contradicts(name + ": the site table has no such site");
    if (!seen.emplace(row.kernel, row.site).second)
      return contradicts(name + " is counted twice");
    if (row.recorded > row.warpAccesses || row.dropped != row.warpAccesses - row.recorded)
      return contradicts(fmt::format("{}: {} recorded and {} dropped of {} executed", name,
                                     row.recorded, row.dropped, row.warpAccesses));
    if (row.laneAccesses < row.warpAccesses ||
        row.laneAccesses / kWarpLanes + (row.laneAccesses % kWarpLanes != 0) > row.warpAccesses)
      return contradicts(fmt::format("{}: {} lanes in {} warp accesses", name, row.laneAccesses,
                                     row.warpAccesses));
    recorded += row.recorded;
  }
  for (const LoopCount &row : trace.loops)
    if (row.kernel >= trace.kernels.size())
      return contradicts(fmt::format("loop {} is counted in kernel {} of {}", row.loop, row.kernel,
                                     trace.kernels.size()));
  if (recorded != trace.accessRecords)
    return contradicts(fmt::format("the rows say that {} warp accesses were recorded, the file "
                                   "holds {}",
                                   recorded, trace.accessRecords));
  return {};
}

/// The totals of the end chunk.
/// \param statedRecords  accesses that the writer says it wrote
bool decodeEnd(const Chunk &chunk, Trace &trace, std::uint64_t &statedRecords) {
  return decodeItems<Totals>(chunk, [&](Totals totals) {
    trace.kernels = std::move(totals.kernels);
    trace.counts = std::move(totals.counts);
    trace.loops = std::move(totals.loops);
    trace.launchesExecuted = totals.launchesExecuted;
    trace.blocksExecuted = totals.blocksExecuted;
    trace.blocksSampled = totals.blocksSampled;
    statedRecords = totals.accessRecords;
  });
}

/// Everything but accesses.
/// \returns  whether the chunk is well-formed
/// \error as siteTableFromJson
Result<bool> decodeChunk(const Chunk &chunk, Trace &trace, std::uint64_t &statedRecords) {
  switch (chunk.type) {
  case ChunkType::Machine:
    return decodeItems<Machine>(chunk, [&](Machine value) { trace.machine = std::move(value); });
  case ChunkType::Command:
    trace.command = chunk.payload;
    return true;
  case ChunkType::SiteTable: {
    Result<SiteTable> table = siteTableFromJson(chunk.payload);
    if (!table)
      return tl::unexpected(table.error());
    trace.sites = std::move(*table);
    return true;
  }
  case ChunkType::Launches:
    return decodeItems<Launch>(chunk,
                               [&](const Launch &value) { trace.launches.push_back(value); });
  case ChunkType::Allocations:
    return decodeItems<Allocation>(
        chunk, [&](const Allocation &value) { trace.allocations.push_back(value); });
  case ChunkType::Copies:
    return decodeItems<CopyDigest>(
        chunk, [&](CopyDigest value) { trace.copies.push_back(std::move(value)); });
  case ChunkType::Transfers:
    return decodeItems<HostTransfer>(
        chunk, [&](HostTransfer value) { trace.transfers.push_back(std::move(value)); });
  case ChunkType::End:
    return decodeEnd(chunk, trace, statedRecords);
  case ChunkType::Accesses:
    break;
  }
  return true;
}

/// Reads chunk after chunk into `trace`; access chunks go to `takeAccesses`, which may stop.
template <class TakeAccesses>
Result<void> readChunks(const std::string &path, Trace &trace, TakeAccesses takeAccesses) {
  Result<ChunkReader> file = ChunkReader::open(path);
  if (!file)
    return tl::unexpected(file.error());
  std::uint64_t statedRecords = 0;
  while (true) {
    Result<std::optional<Chunk>> next = file->next();
    if (!next)
      return tl::unexpected(next.error());
    if (!next->has_value())
      break;
    const Chunk &chunk = **next;
    if (chunk.type == ChunkType::Accesses) {
      // Every access takes a byte at least, so this bounds the sum as well.
      if (chunk.items > chunk.payload.size())
        return file->damaged("a chunk claims more accesses than it has bytes");
      trace.accessRecords += chunk.items;
      const Result<bool> more = takeAccesses(*file, chunk);
      if (!more)
        return tl::unexpected(more.error());
      if (!*more)
        return {};
      continue;
    }
    const Result<bool> isSound = decodeChunk(chunk, trace, statedRecords);
    if (!isSound)
      return tl::unexpected(isSound.error());
    if (!*isSound)
      return file->damaged(
          fmt::format("a chunk of type {} is malformed", static_cast<std::uint32_t>(chunk.type)));
  }
  trace.complete = file->ended();
  if (!trace.complete)
    return {};
  if (statedRecords != trace.accessRecords)
    return fail(Code::InconsistentTrace,
                fmt::format("the accounts of '{}' do not add up: {} warp accesses were "
                            "written, the file holds {}",
                            path, statedRecords, trace.accessRecords));
  return checkTotals(trace, path);
}

/// Counts decoded accesses per kernel and site, to compare with the rows of the end chunk.
class RecordTally {
public:
  void add(const WarpAccess &access, const Trace &trace) {
    const Index kernel = trace.launches[access.launch].kernel;
    Recent &recent = recent_[access.site % recent_.size()];
    if (recent.records == nullptr || recent.kernel != kernel || recent.site != access.site)
      recent = {kernel, access.site, &records_[{kernel, access.site}]};
    ++*recent.records;
  }

  [[nodiscard]] Result<void> compare(const Trace &trace, const std::string &path) {
    for (const SiteCount &row : trace.counts) {
      const auto found = records_.find({row.kernel, row.site});
      const std::uint64_t held = found == records_.end() ? 0 : found->second;
      if (held != row.recorded)
        return fail(Code::InconsistentTrace,
                    fmt::format("the accounts of '{}' do not add up: site {} in kernel {} has {} "
                                "records, its row says {}",
                                path, row.site, nameOfKernel(trace, row.kernel), held,
                                row.recorded));
    }
    // The sums are equal already, so equal rows leave no record without a row.
    return {};
  }

private:
  struct Recent {
    Index kernel = kNone;
    std::uint32_t site = 0;
    std::uint64_t *records = nullptr; ///< into records_, whose elements stay where they are
  };
  std::map<std::pair<Index, std::uint32_t>, std::uint64_t> records_;
  std::array<Recent, 64> recent_{};
};

} // namespace

Result<Trace> readTrace(const std::string &path) {
  Trace trace;
  const Result<void> done = readChunks(
      path, trace, [](const ChunkReader &, const Chunk &) -> Result<bool> { return true; });
  if (!done)
    return tl::unexpected(done.error());
  return trace;
}

Result<void> requireComplete(const Trace &trace, const std::string &path) {
  if (trace.complete)
    return {};
  return fail(Code::IncompleteTrace,
              fmt::format("'{}' is incomplete: the traced program did not end in order", path));
}

namespace {

/// Decodes in a thread of its own, so that a caller who is busy with accesses does not wait for the
/// next ones. A few batches at most are between the two.
class AccessPipe {
public:
  /// The decoder's side: a place for the next access, or null once the caller has stopped.
  WarpAccess *next() {
    if (used_ == filling_.size()) {
      if (!hand())
        return nullptr;
      filling_.resize(kBatch);
      used_ = 0;
    }
    return &filling_[used_];
  }
  void keep() { ++used_; }
  /// The last of the decoder.
  void end() {
    hand();
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  /// The caller's side: every access in order, until the callback stops.
  /// \returns  false when it did
  bool drain(const std::function<bool(const WarpAccess &)> &callback) {
    while (true) {
      std::vector<WarpAccess> batch;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !ready_.empty() || ended_; });
        if (ready_.empty())
          return true;
        batch = std::move(ready_.front());
        ready_.pop_front();
        changed_.notify_all();
      }
      for (std::size_t i = 0; i < batch.size(); ++i) {
        // They come from the decoder's core: a caller waits for them longer than it works on them.
        if (i + kAhead < batch.size()) {
          __builtin_prefetch(&batch[i + kAhead]);
          __builtin_prefetch(&batch[i + kAhead].addresses.back());
        }
        if (!callback(batch[i])) {
          const std::scoped_lock lock(mutex_);
          stopped_ = true;
          changed_.notify_all();
          return false;
        }
      }
      const std::scoped_lock lock(mutex_);
      spare_.push_back(std::move(batch));
    }
  }

private:
  static constexpr std::size_t kBatch = 256; // 72 KB: stays in the cache of a core
  static constexpr std::size_t kMostReady = 4;
  static constexpr std::size_t kAhead = 8;

  bool hand() {
    filling_.resize(used_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_.size() < kMostReady || stopped_; });
    if (stopped_)
      return false;
    if (!filling_.empty())
      ready_.push_back(std::move(filling_));
    filling_.clear();
    if (!spare_.empty()) {
      filling_ = std::move(spare_.back());
      spare_.pop_back();
    }
    changed_.notify_all();
    return true;
  }

  std::vector<WarpAccess> filling_; ///< the decoder's
  std::size_t used_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<WarpAccess>> ready_;
  std::vector<std::vector<WarpAccess>> spare_;
  bool ended_ = false;
  bool stopped_ = false;
};

/// \returns  false when the caller stopped
Result<bool> decodeAccesses(const ChunkReader &file, const Chunk &chunk, const Trace &trace,
                            RecordTally &tally, AccessPipe &pipe) {
  ByteSource source(chunk.payload);
  AccessExpectation expected;
  for (std::uint64_t i = 0; i < chunk.items; ++i) {
    WarpAccess *access = pipe.next();
    if (access == nullptr)
      return false;
    if (!decode(source, expected, *access))
      return file.damaged("a warp access is malformed");
    if (access->launch >= trace.launches.size())
      return file.damaged("a warp access belongs to no launch");
    tally.add(*access, trace);
    pipe.keep();
  }
  if (!source.atEnd())
    return file.damaged("bytes are left over after a chunk's accesses");
  return true;
}

} // namespace

Result<void> forEachAccess(const std::string &path,
                           const std::function<bool(const WarpAccess &)> &callback) {
  Trace trace;
  RecordTally tally;
  AccessPipe pipe;
  Result<void> done;
  std::jthread decoder([&] {
    done = readChunks(path, trace, [&](const ChunkReader &file, const Chunk &chunk) {
      return decodeAccesses(file, chunk, trace, tally, pipe);
    });
    pipe.end();
  });
  const bool finished = pipe.drain(callback);
  decoder.join();
  if (!finished)
    return {};
  if (!done)
    return done;
  if (const Result<void> complete = requireComplete(trace, path); !complete)
    return complete;
  return tally.compare(trace, path);
}

} // namespace relayout::trace
