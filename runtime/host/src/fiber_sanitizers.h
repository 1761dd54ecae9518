// SPDX-License-Identifier: Apache-2.0
// Executor: tells AddressSanitizer and ThreadSanitizer when a thread changes its stack. Empty in
// builds without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define RELAYOUT_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define RELAYOUT_THREAD_SANITIZER
#elif defined(__has_feature) // Clang says it this way
#if __has_feature(address_sanitizer)
#define RELAYOUT_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define RELAYOUT_THREAD_SANITIZER
#endif
#endif

#if defined(RELAYOUT_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(RELAYOUT_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace relayout::host {

#if defined(RELAYOUT_ADDRESS_SANITIZER)

/// What AddressSanitizer wants to know of a stack: its extent, and where its fake frames are while
/// it is not running.
class SanitizedStack {
public:
  void setExtent(const void *bottom, std::size_t bytes) {
    bottom_ = bottom;
    bytes_ = bytes;
  }
  /// Called on `*this`, right before `to` continues.
  void leaveFor(SanitizedStack &to) {
    __sanitizer_start_switch_fiber(&fakeFrames_, to.bottom_, to.bytes_);
  }
  /// Called on `*this`, once it runs again; learns the extent of the stack it comes from.
  void arriveFrom(SanitizedStack &from) {
    __sanitizer_finish_switch_fiber(fakeFrames_, &from.bottom_, &from.bytes_);
  }

private:
  void *fakeFrames_ = nullptr;
  const void *bottom_ = nullptr;
  std::size_t bytes_ = 0;
};

#elif defined(RELAYOUT_THREAD_SANITIZER)

/// ThreadSanitizer keeps a call stack and a vector clock for each stack.
class SanitizedStack {
public:
  SanitizedStack() = default;
  SanitizedStack(const SanitizedStack &) = delete;
  SanitizedStack &operator=(const SanitizedStack &) = delete;
  ~SanitizedStack() {
    if (owned_)
      __tsan_destroy_fiber(fiber_);
  }
  void setExtent(const void *, std::size_t) {}
  void leaveFor(SanitizedStack &to) {
    if (fiber_ == nullptr)
      fiber_ = __tsan_get_current_fiber();
    if (to.fiber_ == nullptr) {
      to.fiber_ = __tsan_create_fiber(0);
      to.owned_ = true;
    }
    __tsan_switch_to_fiber(to.fiber_, 0);
  }
  void arriveFrom(SanitizedStack &) {}

private:
  void *fiber_ = nullptr;
  bool owned_ = false; ///< created here; the scheduler's belongs to its thread
};

#else

class SanitizedStack {
public:
  void setExtent(const void *, std::size_t) {}
  void leaveFor(SanitizedStack &) {}
  void arriveFrom(SanitizedStack &) {}
};

#endif

} // namespace relayout::host
