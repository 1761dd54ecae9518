// SPDX-License-Identifier: Apache-2.0
// The GPU's probes as plain C++: counts the lanes of each site, so that a program with GPU probes
// can be run on the CPU executor. GPU_FORM says which version of a function runs: "counts" the one
// without records, "records" the one with, a number N the one with until a function has had room
// for N iterations of its loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>
#include <type_traits>

namespace relayout::gpuform {

struct SharedCount {
  std::uint32_t site, countedBy;
};
struct StaticArray {
  const char *name;
  std::size_t bytes;
  const void *symbol;
};

struct Twin {
  const void *kernel, *twin;
};

#ifdef __CUDA__ // when it is read; what is compiled is C++
__device__ bool hasRecords();
__device__ int iterationsWithRoom();
__device__ void count(std::uint32_t site, const volatile void *pointer, std::uint32_t times);
__device__ void addTurns(std::uint32_t site, std::uint32_t times);
void share(SharedCount row);
void declare(StaticArray array);
#else
} // namespace relayout::gpuform
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
namespace relayout::gpuform {

/// Printed at the end: "site ID LANES", and "apart ID" where lanes disagree on a loop that is
/// counted as a whole.
class Tally {
public:
  Tally() {
    const std::string form = std::getenv("GPU_FORM") ? std::getenv("GPU_FORM") : "counts";
    hasRecords = form != "counts";
    if (hasRecords && form != "records")
      iterationsWithRoom = std::atoi(form.c_str());
  }
  ~Tally() {
    for (const auto &[site, by] : countedBy_)
      lanes_[site] = lanes_[by];
    for (const auto &[site, lanes] : lanes_)
      if (lanes != 0)
        std::printf("site %u %lld\n", site, lanes);
  }
  void add(std::uint32_t site, std::uint32_t times) {
    const std::lock_guard<std::mutex> guard(mutex_);
    lanes_[site] += times;
  }
  /// The n-th time that each lane of a warp leaves the loop, all must have made as many iterations.
  void compare(std::uint32_t site, std::uint32_t times) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const long nth = left_[{site, block, thread}]++;
    const auto [known, isNew] = iterations_.try_emplace({site, block, thread / 32, nth}, times);
    if (!isNew && known->second != times)
      std::printf("apart %u\n", site);
  }
  void share(SharedCount row) { countedBy_[row.site] = row.countedBy; }
  void declare(StaticArray array) {
    declared_[reinterpret_cast<std::uintptr_t>(array.symbol)] = array.bytes;
  }
  bool isDeclared(std::uintptr_t address) const {
    const auto after = declared_.upper_bound(address);
    return after != declared_.begin() &&
           address - std::prev(after)->first < std::prev(after)->second;
  }

  bool hasRecords = false;
  int iterationsWithRoom = 1 << 30;

private:
  std::mutex mutex_;
  std::map<std::uint32_t, long long> lanes_;
  std::map<std::uint32_t, std::uint32_t> countedBy_;
  std::map<std::uintptr_t, std::size_t> declared_; ///< bytes, by address
  std::map<std::tuple<std::uint32_t, unsigned, unsigned>, long> left_;
  std::map<std::tuple<std::uint32_t, unsigned, unsigned, long>, std::uint32_t> iterations_;
};
inline Tally tally;
inline bool hasRecords() { return tally.hasRecords; }
inline int iterationsWithRoom() { return tally.iterationsWithRoom; }
/// \param pointer  null: known to be global
inline void count(std::uint32_t site, const volatile void *pointer, std::uint32_t times) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!pointer || address - probe::detail::arenaBegin < probe::detail::arenaBytes ||
      tally.isDeclared(address))
    tally.add(site, times);
}
inline void addTurns(std::uint32_t site, std::uint32_t times) {
  tally.compare(site, times);
  count(site, nullptr, times);
}
inline void share(SharedCount row) { tally.share(row); }
inline void declare(StaticArray array) { tally.declare(array); }
#endif

namespace {

__device__ inline void kernel(std::uint32_t) {}
__device__ inline void twinOf(std::uint32_t) {}

constexpr int kAtOnce = -1;
constexpr int kByAnother = -2;

/// As the GPU's: values of these types, else references.
template <class T, class Plain = std::remove_const_t<T>>
using ReadResult =
    std::conditional_t<std::is_same_v<Plain, float> || std::is_same_v<Plain, double> ||
                           std::is_same_v<Plain, int> || std::is_same_v<Plain, unsigned>,
                       Plain, T &>;

#define RELAYOUT_ONE_BY_ONE

template <std::size_t N> class Together {
public:
  template <std::size_t I> __device__ void ran() { ++times_[I]; }
  std::uint32_t times_[N] = {};
};

template <std::uint32_t... Sites> class Counts {
public:
  __device__ Counts() {}
  Counts(const Counts &) = delete;
  Counts &operator=(const Counts &) = delete;
  __device__ ~Counts() {} // as the GPU's, no constant expression

  template <int How, bool kInPlace = true, class T>
  __device__ ReadResult<T> read(std::uint32_t site, T &x) {
    return note<How>(site, x);
  }
  template <int How, bool kInPlace = true, class T> __device__ T &access(std::uint32_t site, T &x) {
    return note<How>(site, x);
  }
  template <int How, bool kInPlace = true, class T>
  __device__ T &readWrite(std::uint32_t site, std::uint32_t, T &x) {
    return note<How>(site, x);
  }
  template <int How, bool kInPlace = true, class T> __device__ T *atomic(std::uint32_t site, T *x) {
    return &note<How>(site, *x);
  }
  template <int How, class T> __device__ T &count(std::uint32_t site, T &x) {
    return note<How>(site, x);
  }
  template <int How, class T> __device__ T *countAtomic(std::uint32_t site, T *x) {
    return &note<How>(site, *x);
  }
  __device__ bool records() const { return hasRecords(); }
  __device__ bool hasRoom() { return hadRoom_ = iterations_++ < iterationsWithRoom(); }
  __device__ bool hadRoom() const { return hadRoom_; }
  template <int How> __device__ void iterated() { gpuform::count(siteOf(How), nullptr, 1); }
  template <int... Hows> __device__ void add(const Together<sizeof...(Hows)> &loop) {
    std::size_t i = 0;
    (addTurns(siteOf(Hows), loop.times_[i++]), ...);
  }

private:
  __device__ static constexpr std::uint32_t siteOf(int counter) {
    constexpr std::uint32_t kSites[] = {Sites..., 0};
    return kSites[counter];
  }
  template <int How, class T> __device__ T &note(std::uint32_t site, T &x) {
    if constexpr (How != kByAnother)
      gpuform::count(How == kAtOnce ? site : siteOf(How),
                     &reinterpret_cast<const volatile char &>(x), 1);
    return x;
  }

  bool hadRoom_ = true;
  int iterations_ = 0;
};

template <class T> __device__ ReadResult<T> read(std::uint32_t site, T &x) {
  return Counts<>().template read<kAtOnce>(site, x);
}
template <class T> __device__ T &access(std::uint32_t site, T &x) {
  return Counts<>().template access<kAtOnce>(site, x);
}
template <class T> __device__ T &readWrite(std::uint32_t readSite, std::uint32_t writeSite, T &x) {
  access(readSite, x);
  return access(writeSite, x);
}
template <class T> __device__ T *atomic(std::uint32_t site, T *x) {
  return Counts<>().template atomic<kAtOnce>(site, x);
}

inline void named(const char *) {}
struct NotedExtent {
  const char *text;
  unsigned long long value;
  unsigned digit;
};
inline void noteExtents(std::initializer_list<NotedExtent>, std::initializer_list<NotedExtent>) {}
struct CallersExtents {
  explicit CallersExtents(std::initializer_list<NotedExtent>) {}
};

template <class Kernel> Twin twin(std::enable_if_t<true, Kernel> *of, Kernel *twin) {
  return {reinterpret_cast<const void *>(of), reinterpret_cast<const void *>(twin)};
}

struct Registration {
  Registration(const char *, std::initializer_list<SharedCount> rows,
               std::initializer_list<StaticArray> arrays, std::initializer_list<Twin>) {
    for (const SharedCount row : rows)
      share(row);
    for (const StaticArray array : arrays)
      declare(array);
  }
};

} // namespace

} // namespace relayout::gpuform
