// SPDX-License-Identifier: Apache-2.0
// Executor: digests of the states of arrays that host and kernels share.
#include "shared_arrays.h"

#include "trace_session.h"

#include "relayout/host/launch.h"

#include <bit>
#include <utility>

namespace relayout::host {
namespace {

constexpr std::uint64_t kEachUpTo = 16;

thread_local CopyNote nextAllocation;

} // namespace

SharedArrays &SharedArrays::instance() {
  static auto *const kArrays = new SharedArrays;
  return *kArrays;
}

void SharedArrays::add(std::uintptr_t address, Array array) {
  const std::scoped_lock lock(mutex_);
  numberOf_[address] = allocations_;
  arrays_.emplace(allocations_++, std::move(array));
}

void SharedArrays::noteStates() {
  const std::scoped_lock lock(mutex_);
  if (arrays_.empty())
    return;
  const std::uint64_t number = ++synchronisations_;
  if (number > kEachUpTo && !std::has_single_bit(number))
    return;
  for (const auto &[allocation, array] : arrays_)
    note(array);
}

void SharedArrays::remove(std::uintptr_t address) {
  const std::scoped_lock lock(mutex_);
  const auto number = numberOf_.find(address);
  if (number == numberOf_.end())
    return;
  note(arrays_.at(number->second));
  arrays_.erase(number->second);
  numberOf_.erase(number);
}

void SharedArrays::noteLast() {
  const std::scoped_lock lock(mutex_);
  for (const auto &[allocation, array] : arrays_)
    note(array);
}

void SharedArrays::note(const Array &array) {
  TraceSession *const session = TraceSession::instance();
  if (!session)
    return;
  std::vector<std::byte> gathered;
  if (!array.records) {
    const std::size_t step = array.note.padding.recordBytes;
    gathered.resize(array.bytes);
    for (std::size_t i = 0; i < array.bytes / step; ++i)
      array.element(array.view.data(), i, gathered.data() + i * step);
  }
  session->copy(digestOf(
      {array.records ? array.records : gathered.data(), array.bytes, array.bytes}, array.note));
}

void setSharedNote(CopyNote note) { nextAllocation = std::move(note); }

CopyNote takeSharedNote() { return std::exchange(nextAllocation, CopyNote{}); }

namespace {

CopyNote noteOf(const char *place, std::uint32_t recordBytes, PaddingSpans padding) {
  return {std::string(trace::kStateOf) + place, {recordBytes, padding}};
}

} // namespace

void noteShared(const char *place, std::uint32_t recordBytes, PaddingSpans padding) {
  setSharedNote(noteOf(place, recordBytes, padding));
}

void dropSharedNote() { (void)takeSharedNote(); }

namespace detail {

void addView(const SharedRecords &records, const void *allocation, const void *view,
             std::size_t viewBytes, void (*element)(const void *, std::size_t, void *)) {
  if (allocation == nullptr)
    return;
  const auto *const bytes = static_cast<const std::byte *>(view);
  SharedArrays::instance().add(reinterpret_cast<std::uintptr_t>(allocation),
                               {noteOf(records.place, records.recordBytes, records.padding),
                                records.count * records.recordBytes,
                                nullptr,
                                {bytes, bytes + viewBytes},
                                element});
}

} // namespace detail

} // namespace relayout::host
