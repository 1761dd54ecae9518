// SPDX-License-Identifier: Apache-2.0
// How far a program is that runs on the CPU: a file of this form, which it and the tool map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace relayout {

/// The file's name, in the program's environment.
inline constexpr const char *kProgressVariable = "RELAYOUT_PROGRESS";

/// One process writes. A reader may see the name of one launch with the numbers of the next.
struct RunProgress {
  static constexpr std::size_t kNameBytes = 104;

  std::atomic<std::uint64_t> launches; ///< begun so far
  std::atomic<std::uint64_t> blocks;   ///< of the last one
  std::atomic<std::uint64_t> begun;    ///< of these
  char kernel[kNameBytes];             ///< of the last one; ends with a zero
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

} // namespace relayout
