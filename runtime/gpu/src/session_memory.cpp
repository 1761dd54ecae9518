// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what the program and the hooks tell of its memory.
#include "session.h"

#include "relayout/trace/extent_notes.h"

#include <span>
#include <utility>
#include <vector>

namespace {

/// What the program said of what this thread allocates next.
thread_local relayout::gpu::AllocationLog::Note nextArray;
thread_local relayout::trace::ExtentNotes extentNotes;

std::vector<relayout::trace::Extent> extentsOf(const relayout::device::NotedExtent *noted,
                                               std::size_t count) {
  std::vector<relayout::trace::Extent> extents;
  for (const auto &[text, value, digit] : std::span(noted, count))
    extents.push_back({text, value, digit});
  return extents;
}

} // namespace

void relayoutGpuName(const char *name) { nextArray.name = name; }

void relayoutGpuExtents(const relayout::device::NotedExtent *factors, std::size_t factorCount,
                        const relayout::device::NotedExtent *others, std::size_t otherCount) {
  if (relayout::gpu::Session::instance() != nullptr)
    nextArray.extents =
        extentNotes.of(extentsOf(factors, factorCount), extentsOf(others, otherCount));
}

void relayoutGpuCallBegins(const relayout::device::NotedExtent *factors, std::size_t count) {
  extentNotes.callBegins(extentsOf(factors, count));
}

void relayoutGpuCallEnds() { extentNotes.callEnds(); }

void relayoutGpuAllocated(const void *pointer, std::size_t bytes) {
  relayout::gpu::AllocationLog::Note note = std::exchange(nextArray, {});
  if (auto *const session = relayout::gpu::Session::instance())
    session->allocated(std::move(note), reinterpret_cast<std::uintptr_t>(pointer), bytes);
}

void relayoutGpuFreed(const void *pointer) {
  if (auto *const session = relayout::gpu::Session::instance())
    session->freed(reinterpret_cast<std::uintptr_t>(pointer));
}

void relayoutGpuCopied(const void *to, const void *from, std::size_t bytes) {
  if (auto *const session = relayout::gpu::Session::instance())
    session->copied(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from),
                    bytes);
}
