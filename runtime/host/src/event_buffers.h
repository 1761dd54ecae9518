// SPDX-License-Identifier: Apache-2.0
// Executor: buffers for lanes' events, reused while still in the cache.
#pragma once

#include "relayout/host/probe.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace relayout::host {

/// Hands out buffers of kEvents events and room for one mark behind them.
class EventBuffers {
public:
  using Event = probe::detail::Event;
  static constexpr std::size_t kEvents = 512;

  Event *acquire() {
    if (idle_.empty())
      addSlab();
    Event *const buffer = idle_.back();
    idle_.pop_back();
    return buffer;
  }
  void release(Event *buffer) { idle_.push_back(buffer); }

private:
  /// An odd number of cache lines, so that a warp's buffers do not fall into the same sets.
  static constexpr std::size_t kStride = kEvents + 4;
  static_assert(kStride * sizeof(Event) / 64 % 2 == 1);
  static constexpr std::size_t kBuffersInSlab = 32;

  void addSlab() {
    slabs_.push_back(std::make_unique<Event[]>(kStride * kBuffersInSlab));
    for (std::size_t i = kBuffersInSlab; i-- > 0;)
      idle_.push_back(slabs_.back().get() + i * kStride);
  }

  std::vector<std::unique_ptr<Event[]>> slabs_;
  std::vector<Event *> idle_;
};

} // namespace relayout::host
