// SPDX-License-Identifier: Apache-2.0
// Executor: device memory. Reserved at one fixed place where possible, so that runs are alike.
#include "arena.h"

#include "settings.h"

#include "relayout/host/probe.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace relayout::probe::detail {
std::uintptr_t arenaBegin = 0;
std::size_t arenaBytes = 0;
} // namespace relayout::probe::detail

namespace relayout::host {
namespace {

constexpr std::uintptr_t kPreferredBegin = 0x200000000000u;
constexpr std::size_t kLargestReserve = std::size_t{1} << 40;
constexpr std::size_t kSmallestReserve = std::size_t{1} << 28;
constexpr std::size_t kCommitStep = std::size_t{2} << 20;
constexpr std::size_t kAlignment = 512;
/// The first bytes may lie in large pages: the rows of a block are far apart. A program that
/// touches little of what it allocates takes no more than this beyond its need.
constexpr std::size_t kLargePagesBytes = std::size_t{1} << 30;
/// Freed memory of this size goes back to the system at once.
constexpr std::size_t kReturnBytes = std::size_t{1} << 20;

constexpr std::size_t roundUp(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr std::size_t kMostFilled = 64u << 20;

/// With numbers that differ from word to word, as floats from 2 to 4.
void fill(std::uintptr_t address, std::size_t bytes) {
  auto *words = reinterpret_cast<std::uint32_t *>(address);
  for (std::size_t i = 0; i < std::min(bytes, kMostFilled) / sizeof *words; ++i)
    words[i] = 0x40000000u | static_cast<std::uint32_t>(i) * 0x9e3779b1u >> 9;
}

} // namespace

Arena &Arena::instance() {
  // Never destroyed: destructors of the program's statics may still free device memory.
  static Arena *const kArena = new Arena;
  return *kArena;
}

Arena::Arena() {
  totalBytes_ = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t bytes = kLargestReserve; bytes >= kSmallestReserve; bytes /= 2) {
    void *const at = mmap(reinterpret_cast<void *>(kPreferredBegin), bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      continue;
    if (!settings().sparse) // there, few bytes of many pages are touched
      madvise(at, std::min(bytes, kLargePagesBytes), MADV_HUGEPAGE);
    begin_ = reinterpret_cast<std::uintptr_t>(at);
    reservedBytes_ = bytes;
    break;
  }
  // Programs read in front of their first array as well as behind the last, which a GPU bears as
  // far as its pages go.
  if (mprotect(reinterpret_cast<void *>(begin_), kCommitStep, PROT_READ | PROT_WRITE) == 0)
    top_ = committed_ = begin_ + kCommitStep;
  else
    top_ = committed_ = begin_;
  if (totalBytes_ > reservedBytes_)
    totalBytes_ = reservedBytes_;
  probe::detail::arenaBegin = begin_;
  probe::detail::arenaBytes = reservedBytes_;
}

std::uintptr_t Arena::allocate(std::size_t bytes, bool managed, Group group) {
  const std::scoped_lock lock(mutex_);
  if (bytes > totalBytes_)
    return 0;
  // What lies behind an array is in none: accesses there are told from those to the next.
  const std::size_t reserved = roundUp(bytes + 1, kAlignment);
  if (reserved > totalBytes_ - usedBytes_)
    return 0;
  std::uintptr_t address = fromHole(reserved, group);
  if (address == 0)
    address = fromTop(reserved);
  if (address == 0)
    address = fromHole(reserved, std::nullopt);
  if (address == 0)
    return 0;
  usedBytes_ += reserved;
  used_[address] = {bytes, reserved, managed, group};
  return address;
}

/// \param group  of what was there before; nullopt: any
std::uintptr_t Arena::fromHole(std::size_t reserved, std::optional<Group> group) {
  const auto found = std::ranges::find_if(free_, [&](const auto &hole) {
    return hole.second.bytes >= reserved && hole.second.group == group.value_or(hole.second.group);
  });
  if (found == free_.end())
    return 0;
  const auto [address, hole] = *found;
  free_.erase(found);
  if (hole.bytes > reserved)
    free_.emplace(address + reserved, Hole{hole.bytes - reserved, hole.group});
  return address;
}

std::uintptr_t Arena::fromTop(std::size_t reserved) {
  if (reserved > begin_ + reservedBytes_ - top_)
    return 0;
  const std::uintptr_t address = top_, top = top_ + reserved;
  if (top > committed_) {
    const std::size_t grow = roundUp(top - committed_, kCommitStep);
    if (mprotect(reinterpret_cast<void *>(committed_), grow, PROT_READ | PROT_WRITE) != 0)
      return 0;
    committed_ += grow;
  }
  top_ = top;
  return address;
}

bool Arena::free(std::uintptr_t address) {
  const std::scoped_lock lock(mutex_);
  const auto block = used_.find(address);
  if (block == used_.end())
    return false;
  const Hole hole{block->second.reserved, block->second.group};
  used_.erase(block);
  usedBytes_ -= hole.bytes;
  release(address, hole);
  return true;
}

void Arena::release(std::uintptr_t address, Hole hole) {
  std::size_t &bytes = hole.bytes;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t from = bytes >= kReturnBytes ? roundUp(address, page) : address;
  const std::uintptr_t to = bytes >= kReturnBytes ? (address + bytes) / page * page : address;
  if (bytes >= kReturnBytes)
    madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
  // What nobody wrote is the same in every layout.
  std::memset(reinterpret_cast<void *>(address), 0, from - address);
  std::memset(reinterpret_cast<void *>(to), 0, address + bytes - to);
  if (settings().fillFreed)
    fill(address, bytes);
  auto after = free_.lower_bound(address);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second.bytes == address && before->second.group == hole.group) {
      address = before->first;
      bytes += before->second.bytes;
      free_.erase(before);
    }
  }
  if (after != free_.end() && address + bytes == after->first &&
      after->second.group == hole.group) {
    bytes += after->second.bytes;
    free_.erase(after);
  }
  free_.emplace(address, hole);
}

std::optional<Arena::Allocation> Arena::find(std::uintptr_t address) {
  const std::scoped_lock lock(mutex_);
  auto after = used_.upper_bound(address);
  if (after == used_.begin())
    return std::nullopt;
  const auto block = std::prev(after);
  if (address - block->first >= block->second.reserved)
    return std::nullopt;
  return Allocation{block->first, block->second.asked, block->second.managed};
}

bool Arena::contains(const void *pointer) const {
  return reinterpret_cast<std::uintptr_t>(pointer) - begin_ < reservedBytes_;
}

std::size_t Arena::freeBytes() {
  const std::scoped_lock lock(mutex_);
  return totalBytes_ - usedBytes_;
}

} // namespace relayout::host
