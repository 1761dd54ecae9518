// SPDX-License-Identifier: Apache-2.0
// What a lowered, traced program calls at every access, loop and device function. Outside kernels,
// and in runs that are not traced, every probe does nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relayout::probe {

namespace detail {

/// Starved and Finished are the runtime's own marks behind a lane's last event: more may come, or
/// the thread has ended.
enum class EventKind : std::uint32_t {
  Starved,
  Access,
  LoopEnter,
  CallEnter,
  BareLoop,
  LoopNext,
  LoopExit,
  CallExit,
  Finished
};

/// One step of one lane.
struct Event {
  std::uint64_t key;     ///< probe id in the top 32 bits, then 4 bits of kind, 28 of bytes
  std::uint64_t address; ///< of an access; of a bare loop its iterations
};

constexpr std::uint64_t eventKey(EventKind kind, std::uint32_t id, std::uint32_t bytes = 0) {
  return static_cast<std::uint64_t>(id) << 32 | static_cast<std::uint32_t>(kind) << 28 | bytes;
}
constexpr EventKind eventKind(std::uint64_t key) {
  return static_cast<EventKind>(static_cast<std::uint32_t>(key) >> 28);
}
constexpr std::uint32_t eventId(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
constexpr std::uint32_t eventBytes(std::uint64_t key) {
  return static_cast<std::uint32_t>(key) & 0x0fffffffu;
}

/// Where the running lane writes its events.
struct Recorder {
  static constexpr std::uint32_t kCallDepth = 64;

  Event *next = nullptr;
  Event *end = nullptr;
  std::uint32_t calls = 0;           ///< call sites named and not yet entered
  std::uint32_t callIds[kCallDepth]; ///< the innermost kCallDepth of them
};

/// The running lane's recorder; null when nothing is recorded.
extern __thread Recorder *recorder __attribute__((tls_model("local-exec")));
/// Device memory, as one range of addresses.
extern std::uintptr_t arenaBegin;
extern std::size_t arenaBytes;

/// Whether this worker has arrays in shared memory that are traced.
extern __thread bool hasSharedArrays __attribute__((tls_model("local-exec")));
/// What stands for an address in one of them, in all blocks; 0: it is in none.
std::uintptr_t addressInShared(std::uintptr_t address);
void noteSharedArray(std::uint32_t group, const volatile void *storage, std::size_t bytes);

/// The recorder is full: lets the other lanes catch up and empties it.
void drain(Recorder &recorder);

inline void append(Recorder &to, std::uint64_t key, std::uint64_t address = 0) {
  Event *event = to.next;
  event->key = key;
  event->address = address;
  to.next = event + 1;
  if (__builtin_expect(event + 1 == to.end, 0))
    drain(to);
}

/// A function with hundreds of inlined probes takes minutes to compile.
#ifdef RELAYOUT_PROBES_APART
__attribute__((noinline))
#endif
inline void
access(std::uint32_t site, const volatile void *pointer, std::size_t bytes) {
  Recorder *const to = recorder;
  if (to == nullptr)
    return;
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uint64_t key = eventKey(EventKind::Access, site, static_cast<std::uint32_t>(bytes));
  if (address - arenaBegin < arenaBytes)
    append(*to, key, address);
  else if (__builtin_expect(hasSharedArrays, 0))
    if (const std::uintptr_t shared = addressInShared(address); shared != 0)
      append(*to, key, shared);
}

/// The same; a restricted pointer's address converts to no other pointer by itself.
template <class T> inline void access(std::uint32_t site, T &x) {
  access(site, &(const volatile char &)x,
         sizeof(T)); // NOLINT(google-readability-casting): all qualifiers
}

template <class T>
inline void access(std::uint32_t site, T &x, std::size_t offset, std::size_t bytes) {
  access(site, &(const volatile char &)x + offset, // NOLINT(google-readability-casting)
         bytes);
}

} // namespace detail

template <class T> inline T &read(std::uint32_t site, T &x) {
  detail::access(site, x);
  return x;
}

template <class T> inline T &write(std::uint32_t site, T &x) {
  detail::access(site, x);
  return x;
}

/// `x += v`, `++x`: a read, then a write.
template <class T> inline T &readWrite(std::uint32_t readSite, std::uint32_t writeSite, T &x) {
  detail::access(readSite, x);
  detail::access(writeSite, x);
  return x;
}

/// Behind the declaration of an array in shared memory: where the running worker has it.
template <class T, std::size_t kElements>
inline void sharedArray(std::uint32_t group, T (&array)[kElements]) {
  if (detail::recorder)
    detail::noteSharedArray(group, array, sizeof array);
}

// Of a bit-field, which has no address: the object that it is a member of, and where in it the
// storage unit is.

template <class T>
inline T &read(std::uint32_t site, T &x, std::size_t offset, std::size_t unitBytes) {
  detail::access(site, x, offset, unitBytes);
  return x;
}

template <class T>
inline T &write(std::uint32_t site, T &x, std::size_t offset, std::size_t unitBytes) {
  detail::access(site, x, offset, unitBytes);
  return x;
}

template <class T>
inline T &readWrite(std::uint32_t readSite, std::uint32_t writeSite, T &x, std::size_t offset,
                    std::size_t unitBytes) {
  detail::access(readSite, x, offset, unitBytes);
  detail::access(writeSite, x, offset, unitBytes);
  return x;
}

/// The pointer argument of an atomic.
template <class T> inline T *atomic(std::uint32_t site, T *x) {
  detail::access(site, x, sizeof(T));
  return x;
}

/// Stands around a loop: `for (LoopScope l(9u); l.once();) for (init; (l.next(), cond); inc) …`.
class LoopScope {
public:
  explicit LoopScope(std::uint32_t loop) : recorder_(detail::recorder), loop_(loop) {
    if (recorder_)
      detail::append(*recorder_, detail::eventKey(detail::EventKind::LoopEnter, loop_));
  }
  ~LoopScope() {
    if (recorder_)
      detail::append(*recorder_, detail::eventKey(detail::EventKind::LoopExit, loop_));
  }
  LoopScope(const LoopScope &) = delete;
  LoopScope &operator=(const LoopScope &) = delete;

  /// True the first time.
  bool once() {
    const bool first = first_;
    first_ = false;
    return first;
  }
  /// An iteration begins; where this stands before the condition, the last test is one too.
  void next() {
    if (recorder_)
      detail::append(*recorder_, detail::eventKey(detail::EventKind::LoopNext, loop_));
  }

private:
  detail::Recorder *recorder_;
  std::uint32_t loop_;
  bool first_ = true;
};

/// Stands around a loop without other probes in it, which counts for itself:
/// `for (BareLoopScope l(9u); l.once();) for (init; cond; inc) { l.next(); … }`.
class BareLoopScope {
public:
  explicit BareLoopScope(std::uint32_t loop) : loop_(loop) {}
  ~BareLoopScope() {
    if (detail::Recorder *const to = detail::recorder)
      detail::append(*to, detail::eventKey(detail::EventKind::BareLoop, loop_), iterations_);
  }
  BareLoopScope(const BareLoopScope &) = delete;
  BareLoopScope &operator=(const BareLoopScope &) = delete;

  /// True the first time.
  bool once() {
    const bool first = first_;
    first_ = false;
    return first;
  }
  void next() { ++iterations_; }

private:
  std::uint64_t iterations_ = 0;
  std::uint32_t loop_;
  bool first_ = true;
};

/// Before a call of an instrumented function: names the call site for that function's CallScope.
/// Nested calls, `f(g(x))`, name f's site first and enter g first: the sites form a stack.
inline void call(std::uint32_t callId) {
  if (detail::Recorder *const to = detail::recorder)
    to->callIds[to->calls++ % detail::Recorder::kCallDepth] = callId;
}

/// First statement of an instrumented device function.
class CallScope {
public:
  CallScope() : recorder_(detail::recorder) {
    if (!recorder_)
      return;
    std::uint32_t callId = 0;
    if (recorder_->calls > 0)
      callId = recorder_->callIds[--recorder_->calls % detail::Recorder::kCallDepth];
    calls_ = recorder_->calls;
    detail::append(*recorder_, detail::eventKey(detail::EventKind::CallEnter, callId));
  }
  ~CallScope() {
    if (!recorder_)
      return;
    recorder_->calls = calls_;
    detail::append(*recorder_, detail::eventKey(detail::EventKind::CallExit, 0));
  }
  CallScope(const CallScope &) = delete;
  CallScope &operator=(const CallScope &) = delete;

private:
  detail::Recorder *recorder_;
  std::uint32_t calls_ = 0;
};

/// Hands the program's site table to the runtime; one static object a program.
struct Registration {
  explicit Registration(const char *siteTableJson);
};

} // namespace relayout::probe
