// SPDX-License-Identifier: Apache-2.0
// Executor: device memory, one reserved range of addresses that is committed as it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace relayout::host {

class Arena {
public:
  struct Allocation {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    bool managed = false;
  };

  static Arena &instance();

  /// What the memory is for: an array group of the traced program, or kNoGroup. An address keeps
  /// its group as long as there are others, so that it tells which array an access is to.
  using Group = std::uint32_t;
  static constexpr Group kNoGroup = ~Group{0};

  /// Address of fresh device memory, aligned to 512 bytes; 0 when there is no more.
  std::uintptr_t allocate(std::size_t bytes, bool managed, Group group = kNoGroup);

  /// False when the address is not that of an allocation.
  bool free(std::uintptr_t address);

  /// The allocation that holds this address.
  std::optional<Allocation> find(std::uintptr_t address);

  [[nodiscard]] bool contains(const void *pointer) const;
  [[nodiscard]] std::size_t totalBytes() const { return totalBytes_; }
  [[nodiscard]] std::size_t freeBytes();

private:
  Arena();

  struct Block {
    std::size_t asked = 0;
    std::size_t reserved = 0;
    bool managed = false;
    Group group = kNoGroup;
  };
  struct Hole {
    std::size_t bytes = 0;
    Group group = kNoGroup;
  };

  std::uintptr_t fromHole(std::size_t reserved, std::optional<Group> group);
  std::uintptr_t fromTop(std::size_t reserved);
  void release(std::uintptr_t address, Hole hole);

  std::mutex mutex_;
  std::uintptr_t begin_ = 0;
  std::size_t reservedBytes_ = 0;
  std::uintptr_t top_ = 0;       ///< all above is unused
  std::uintptr_t committed_ = 0; ///< all below may be touched
  std::size_t totalBytes_ = 0;
  std::size_t usedBytes_ = 0;
  std::map<std::uintptr_t, Block> used_;
  std::map<std::uintptr_t, Hole> free_;
};

} // namespace relayout::host
