// SPDX-License-Identifier: Apache-2.0
// Executor: thread stacks, with guard pages below them.
#include "stack_pool.h"

#include "failure.h"

#include <atomic>
#include <sys/mman.h>
#include <unistd.h>

namespace relayout::host {
namespace {

/// Equal offsets in all stacks would share a few cache sets; every stack starts elsewhere.
constexpr std::size_t kColours = 32;
constexpr std::size_t kColourBytes = 192;

/// Wide, because a function with large local arrays may step over a narrow one.
constexpr std::size_t kGuardBytes = 64u << 10;

/// Stacks are cut from slabs; the slabs are known to the signal handler.
constexpr std::size_t kStacksInSlab = 64;
constexpr std::size_t kMaxSlabs = 16384;

/// Each guard splits a mapping, of which a process has some 65,000: the stacks of great cooperative
/// grids have one guard for a slab.
constexpr std::size_t kSlabsWithAllGuards = 256;
struct Slab {
  std::atomic<std::uintptr_t> begin{0};
  std::size_t stride = 0;
};
Slab slabs[kMaxSlabs];
std::atomic<std::size_t> slabCount{0};

} // namespace

StackPool::StackPool(std::size_t stackBytes, void (*entry)(boost::context::detail::transfer_t))
    : entry_(entry) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stackBytes_ = (stackBytes + kColours * kColourBytes + page - 1) / page * page;
}

StackPool::~StackPool() {
  for (void *const memory : memory_) {
    for (Slab &slab : slabs)
      if (slab.begin.load() == reinterpret_cast<std::uintptr_t>(memory))
        slab.begin.store(0);
    munmap(memory, (stackBytes_ + kGuardBytes) * kStacksInSlab);
  }
}

Stack *StackPool::acquire() {
  if (idle_.empty()) {
    const std::size_t stride = stackBytes_ + kGuardBytes;
    void *const memory = mmap(nullptr, stride * kStacksInSlab, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      fatal(Code::StackOverflow,
            "no memory for thread stacks of %zu bytes; lower RELAYOUT_STACK_BYTES or "
            "RELAYOUT_WORKERS",
            stackBytes_);
    memory_.push_back(memory);
    if (const std::size_t index = slabCount.fetch_add(1); index < kMaxSlabs) {
      slabs[index].stride = stride;
      slabs[index].begin.store(reinterpret_cast<std::uintptr_t>(memory));
    }
    for (std::size_t i = kStacksInSlab; i-- > 0;) {
      auto stack = std::make_unique<Stack>();
      stack->memory = static_cast<std::byte *>(memory) + i * stride;
      stack->bytes = stride;
      if (i == 0 || slabCount.load() <= kSlabsWithAllGuards)
        mprotect(stack->memory, kGuardBytes, PROT_NONE);
      const std::size_t colour = (stacks_.size() * 7 % kColours) * kColourBytes;
      std::byte *const top = stack->memory + stride - colour;
      stack->handle =
          boost::context::detail::make_fcontext(top, stride - kGuardBytes - colour, entry_);
      stack->sanitized.setExtent(stack->memory + kGuardBytes, stride - kGuardBytes - colour);
      idle_.push_back(stack.get());
      stacks_.push_back(std::move(stack));
    }
  }
  Stack *const stack = idle_.back();
  idle_.pop_back();
  return stack;
}

bool isStackGuard(std::uintptr_t address) {
  const std::size_t count = slabCount.load();
  for (std::size_t i = 0; i < count && i < kMaxSlabs; ++i) {
    const std::uintptr_t begin = slabs[i].begin.load();
    if (begin == 0)
      continue;
    const std::uintptr_t offset = address - begin;
    if (offset < slabs[i].stride * kStacksInSlab && offset % slabs[i].stride < kGuardBytes)
      return true;
  }
  return false;
}

} // namespace relayout::host
