// SPDX-License-Identifier: Apache-2.0
// Executor: stacks for the threads of a block, kept and reused by the worker that owns them.
#pragma once

#include "fiber_sanitizers.h"

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace relayout::host {

/// A flow of control that can be left and entered again.
struct Context {
  boost::context::detail::fcontext_t handle = nullptr; ///< valid while it is not running
  SanitizedStack sanitized;
};

/// A stack and the context that runs on it.
struct Stack : Context {
  std::byte *memory = nullptr; ///< guard pages first
  std::size_t bytes = 0;
};

class StackPool {
public:
  StackPool(std::size_t stackBytes, void (*entry)(boost::context::detail::transfer_t));
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  /// The stack given back last, which is the one still in the cache, or a new one.
  Stack *acquire();
  void release(Stack *stack) { idle_.push_back(stack); }

private:
  std::size_t stackBytes_;
  void (*entry_)(boost::context::detail::transfer_t);
  std::vector<std::unique_ptr<Stack>> stacks_;
  std::vector<Stack *> idle_;
  std::vector<void *> memory_; ///< slabs the stacks are cut from
};

/// True when the address lies in the guard pages of a stack of any pool. Async-signal-safe.
bool isStackGuard(std::uintptr_t address);

} // namespace relayout::host
