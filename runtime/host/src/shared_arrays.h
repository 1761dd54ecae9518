// SPDX-License-Identifier: Apache-2.0
// Executor: arrays that host and kernels share, in managed or page-locked memory. No copy shows
// what they hold, so digests of their states are noted where the host may look at them.
#pragma once

#include "copy_digest.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace relayout::host {

class SharedArrays {
public:
  /// Reads one element as a record.
  using Element = void (*)(const void *view, std::size_t i, void *to);

  struct Array {
    CopyNote note;
    std::size_t bytes = 0;            ///< as records
    const void *records = nullptr;    ///< null: they are read through the view
    std::vector<std::byte> view = {}; ///< a copy of it
    Element element = nullptr;
  };

  static SharedArrays &instance();

  void add(std::uintptr_t address, Array array);

  /// At a synchronisation: of the first 16, and then of each with a power of two for a number.
  void noteStates();

  /// The last state of the array at this address, which is freed.
  void remove(std::uintptr_t address);

  /// The last states of all, at the end of the program.
  void noteLast();

private:
  static void note(const Array &array);

  std::mutex mutex_;
  std::map<std::uint64_t, Array> arrays_; ///< in the order of their allocations
  std::map<std::uintptr_t, std::uint64_t> numberOf_;
  std::uint64_t allocations_ = 0;
  std::uint64_t synchronisations_ = 0;
};

/// This thread's note of its next allocation; one that is not of records is not followed.
void setSharedNote(CopyNote note);
CopyNote takeSharedNote();

} // namespace relayout::host
