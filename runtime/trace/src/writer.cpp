// SPDX-License-Identifier: Apache-2.0
// Writes a trace while the user's program runs.
#include "relayout/trace/writer.h"

#include "access_codec.h"
#include "chunk_file.h"
#include "metadata.h"

#include <mutex>

namespace relayout::trace {
namespace {

// Uncompressed sizes at which a chunk is full. Access chunks are the unit a reader holds in memory
// and what a crash can lose; larger ones compress hardly better.
constexpr std::size_t kAccessChunkBytes = 1u << 20;
constexpr std::size_t kLaunchChunkBytes = 1u << 16;

} // namespace

struct Writer::State {
  explicit State(ChunkWriter writer) : file(std::move(writer)) {}

  template <class Value> void writeOne(ChunkType type, const Value &value) {
    ByteSink sink;
    encode(value, sink);
    file.append(type, 1, sink.bytes());
  }

  void flushLaunches() {
    if (pendingLaunches.size() == 0)
      return;
    file.append(ChunkType::Launches, launches - launchesWritten, pendingLaunches.bytes());
    launchesWritten = launches;
    pendingLaunches.clear();
  }

  /// Launches go first, so that a reader knows every launch an access names.
  void flushAccesses() {
    flushLaunches();
    if (pendingAccesses.size() == 0)
      return;
    accessBytes += file.append(ChunkType::Accesses, pendingRecords, pendingAccesses.bytes());
    pendingAccesses.clear();
    pendingRecords = 0;
    expected.reset();
  }

  bool access(const WarpAccess &access) {
    if (access.launch >= launches || access.activeMask == 0 || file.failed())
      return false;
    encode(access, expected, pendingAccesses);
    ++pendingRecords;
    ++records;
    if (pendingAccesses.size() >= kAccessChunkBytes)
      flushAccesses();
    return true;
  }

  std::mutex mutex;
  ChunkWriter file;
  std::uint64_t launches = 0;
  std::uint64_t launchesWritten = 0;
  ByteSink pendingLaunches;
  std::uint64_t records = 0;
  std::uint64_t pendingRecords = 0;
  ByteSink pendingAccesses;
  AccessExpectation expected;
  std::uint64_t accessBytes = 0;
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer &&) noexcept = default;
Writer &Writer::operator=(Writer &&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(const std::string &path) {
  Result<ChunkWriter> file = ChunkWriter::create(path);
  if (!file)
    return tl::unexpected(file.error());
  return Writer(std::make_unique<State>(std::move(*file)));
}

void Writer::machine(const Machine &machine) {
  const std::lock_guard lock(state_->mutex);
  state_->writeOne(ChunkType::Machine, machine);
}

void Writer::command(const std::string &command) {
  const std::lock_guard lock(state_->mutex);
  state_->file.append(ChunkType::Command, 1, command);
}

void Writer::sites(std::string_view siteTableJson) {
  const std::lock_guard lock(state_->mutex);
  state_->file.append(ChunkType::SiteTable, 1, siteTableJson);
}

void Writer::launch(const Launch &launch) {
  const std::lock_guard lock(state_->mutex);
  if (state_->launches == kMaxLaunches)
    return;
  encode(launch, state_->pendingLaunches);
  ++state_->launches;
  if (state_->pendingLaunches.size() >= kLaunchChunkBytes)
    state_->flushLaunches();
}

void Writer::allocation(const Allocation &allocation) {
  const std::lock_guard lock(state_->mutex);
  state_->writeOne(ChunkType::Allocations, allocation);
}

void Writer::copy(const CopyDigest &copy) {
  const std::lock_guard lock(state_->mutex);
  state_->writeOne(ChunkType::Copies, copy);
}

void Writer::transfer(const HostTransfer &transfer) {
  const std::lock_guard lock(state_->mutex);
  state_->writeOne(ChunkType::Transfers, transfer);
}

bool Writer::access(const WarpAccess &access) {
  const std::lock_guard lock(state_->mutex);
  return state_->access(access);
}

std::size_t Writer::accesses(std::span<const WarpAccess> batch) {
  const std::lock_guard lock(state_->mutex);
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (!state_->access(batch[i]))
      return i;
  return batch.size();
}

std::uint64_t Writer::accessBytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->accessBytes + state_->pendingAccesses.size();
}

Result<void> Writer::close(const std::vector<std::string> &kernels,
                           const std::vector<SiteCount> &counts,
                           const std::vector<LoopCount> &loops, std::uint64_t launchesExecuted,
                           std::uint64_t blocksExecuted, std::uint64_t blocksSampled) {
  const std::lock_guard lock(state_->mutex);
  state_->flushAccesses();
  ByteSink sink;
  encode(Totals{kernels, counts, loops, launchesExecuted, blocksExecuted, blocksSampled,
                state_->records},
         sink);
  state_->file.append(ChunkType::End, 1, sink.bytes());
  return state_->file.close();
}

} // namespace relayout::trace
