// SPDX-License-Identifier: Apache-2.0
// Trace file: warp accesses to bytes and back, each told by how it differs from what was expected.
#pragma once

#include "bytes.h"
#include "relayout/trace/trace.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace relayout::trace {

/// What the accesses so far let one expect of the next. Encoder and decoder keep the same; both
/// start anew with every chunk, so that each chunk can be read alone.
struct AccessExpectation {
  struct OfSite {
    std::uint32_t mask = 0xffffffffu;
    std::uint32_t bytes = 0;
    std::uint64_t base = 0;
    std::uint64_t baseStep = 0; ///< difference between the last two bases
    std::uint64_t stride = 0;
    std::uint32_t next = 0; ///< the site that followed last time
  };

  std::uint32_t launch = 0;
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t site = 0;
  std::uint64_t order = ~std::uint64_t{0};

  /// What is expected of a site; at first, nothing in particular.
  [[nodiscard]] OfSite &of(std::uint32_t id) {
    Recent &recent = recent_[id % recent_.size()];
    if (recent.expected == nullptr || recent.id != id)
      recent = {id, &ofSite_[id]};
    return *recent.expected;
  }

  /// As at the start of a chunk.
  void reset() {
    launch = block = warp = site = 0;
    order = ~std::uint64_t{0};
    ofSite_.clear();
    recent_.fill({});
  }

  AccessExpectation() = default;
  AccessExpectation(const AccessExpectation &) = delete; // it points into itself
  AccessExpectation &operator=(const AccessExpectation &) = delete;

private:
  struct Recent {
    std::uint32_t id = 0;
    OfSite *expected = nullptr; ///< into ofSite_, whose elements stay where they are
  };
  std::unordered_map<std::uint32_t, OfSite> ofSite_;
  std::array<Recent, 64> recent_{};
};

/// Appends one access. activeMask must not be 0.
void encode(const WarpAccess &access, AccessExpectation &expected, ByteSink &sink);

/// Takes the next access off the source.
/// \returns false when the bytes are no access
[[nodiscard]] bool decode(ByteSource &source, AccessExpectation &expected, WarpAccess &access);

} // namespace relayout::trace
