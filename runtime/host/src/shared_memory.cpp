// SPDX-License-Identifier: Apache-2.0
// Executor: arrays in shared memory. Each worker has its own; the trace has one that stands for
// those of all blocks, at an address that the program's text alone decides.
#include "relayout/host/probe.h"
#include "trace_session.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

namespace relayout::host {
namespace {

/// Where no memory is.
constexpr std::uintptr_t kWindow = std::uintptr_t{1} << 60;
/// More than a block can have.
constexpr unsigned kSizeBits = 18;

/// An array's of a group, whose instances in templates differ in size.
std::uintptr_t addressOf(std::uint32_t group, std::size_t bytes) {
  return kWindow | std::uintptr_t{group} << 2 * kSizeBits | bytes << kSizeBits;
}

struct Storage {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::uintptr_t address = 0; ///< in the trace
};

/// The worker's.
thread_local std::vector<Storage> storages;

/// Tells the trace of an array, once.
void tellTrace(std::uint32_t group, std::uintptr_t address, std::size_t bytes) {
  static std::mutex mutex;
  static std::set<std::uintptr_t> known;
  TraceSession *const session = TraceSession::instance();
  const std::scoped_lock lock(mutex);
  if (session && known.insert(address).second)
    session->allocation({.address = address, .bytes = bytes, .group = group, .isVariable = true});
}

} // namespace
} // namespace relayout::host

namespace relayout::probe::detail {

__thread bool hasSharedArrays = false;

std::uintptr_t addressInShared(std::uintptr_t address) {
  for (const host::Storage &storage : host::storages)
    if (address - storage.begin < storage.bytes)
      return storage.address + (address - storage.begin);
  return 0;
}

void noteSharedArray(std::uint32_t group, const volatile void *storage, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(storage);
  if (bytes >> host::kSizeBits != 0 ||
      std::ranges::find(host::storages, begin, &host::Storage::begin) != host::storages.end())
    return;
  const std::uintptr_t address = host::addressOf(group, bytes);
  host::storages.push_back({begin, bytes, address});
  host::tellTrace(group, address, bytes);
  hasSharedArrays = true;
}

} // namespace relayout::probe::detail
