// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the program's device arrays, how long they lived and what was copied.
#include "relayout/gpu/allocation_log.h"

#include <iterator>
#include <utility>

namespace relayout::gpu {

void AllocationLog::allocated(Note note, std::uint64_t address, std::uint64_t bytes) {
  // An array at the same place was freed by a call that nobody told of.
  freed(address);
  if (arrays_.size() == kMostArrays) {
    ++arraysWithoutARow_;
    return;
  }
  living_[address] = arrays_.size();
  ArrayLife &life = arrays_.emplace_back();
  life.name = std::move(note.name);
  life.extents = std::move(note.extents);
  life.address = address;
  life.bytes = bytes;
  life.allocatedAt = launches_;
}

void AllocationLog::declared(std::string name, std::uint64_t address, std::uint64_t bytes) {
  allocated({.name = std::move(name)}, address, bytes);
  if (const auto known = living_.find(address); known != living_.end())
    arrays_[known->second].allocatedAt = 0;
}

void AllocationLog::freed(std::uint64_t address) {
  const auto found = living_.find(address);
  if (found == living_.end())
    return;
  arrays_[found->second].freedAt = launches_;
  living_.erase(found);
}

ArrayLife *AllocationLog::find(std::uint64_t address) {
  const auto behind = living_.upper_bound(address);
  if (behind == living_.begin())
    return nullptr;
  ArrayLife &life = arrays_[std::prev(behind)->second];
  return address - life.address < life.bytes ? &life : nullptr;
}

void AllocationLog::copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  ArrayLife *const target = find(to);
  ArrayLife *const source = find(from);
  if (target) {
    target->copiedInBytes += bytes;
    if (!source)
      target->fromHost.add(bytes);
  }
  if (source) {
    source->copiedOutBytes += bytes;
    if (!target)
      source->toHost.add(bytes);
  }
}

} // namespace relayout::gpu
