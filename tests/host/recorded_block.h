// SPDX-License-Identifier: Apache-2.0
// Test support: runs one block of a hand-lowered kernel and lists its warp accesses.
#pragma once

#include "block_runner.h"

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <ostream>
#include <vector>

namespace relayout::host::test {

/// One warp access; addresses in lane order, active lanes only.
struct Step {
  std::uint32_t site = 0;
  std::uint32_t mask = 0;

  bool operator==(const Step &) const = default;
};
inline std::ostream &operator<<(std::ostream &out, const Step &step) {
  return out << '{' << step.site << ", 0x" << std::hex << step.mask << std::dec << '}';
}

struct RecordedBlock {
  std::vector<std::vector<Step>> warps;
  std::vector<std::vector<std::vector<std::uint64_t>>> addresses; ///< by warp and order
  KernelCounters counters;
};

template <class... P>
RecordedBlock record(dim3 block, void (*kernel)(P...), std::type_identity_t<P>... arguments) {
  struct Call {
    void (*kernel)(P...);
    std::tuple<P...> arguments;
  } call{kernel, {arguments...}};
  const detail::KernelCall kernelCall{"test",
                                      Threads::Fibers,
                                      LaunchShape{dim3(1), block},
                                      reinterpret_cast<const void *>(kernel),
                                      &call,
                                      [](void *untyped) {
                                        auto &self = *static_cast<Call *>(untyped);
                                        std::apply(self.kernel, self.arguments);
                                      }};
  RecordedBlock result;
  BlockRecords records;
  BlockRecording recording{&result.counters, &records, ~std::uint64_t{0}, ~std::uint64_t{0}};
  BlockRunner::ofThisThread().run(kernelCall, 0, &recording);

  result.warps.resize((block.x * block.y * block.z + kWarpLanes - 1) / kWarpLanes);
  result.addresses.resize(result.warps.size());
  for (std::size_t word = 0; word < records.words.size();) {
    const std::uint64_t *head = &records.words[word];
    const auto mask = static_cast<std::uint32_t>(head[0]);
    const auto warp = static_cast<std::uint32_t>(head[1] >> 32);
    if (head[2] != result.warps[warp].size())
      throw std::logic_error("orders of a warp must count up from 0");
    result.warps[warp].push_back({static_cast<std::uint32_t>(head[0] >> 32), mask});
    const std::uint64_t *addresses = head + BlockRecords::kHeadWords;
    result.addresses[warp].emplace_back(addresses, addresses + std::popcount(mask));
    word += BlockRecords::kHeadWords + std::popcount(mask);
  }
  return result;
}

/// Device memory for the length of a test.
template <class T> class Device {
public:
  explicit Device(std::size_t count) {
    if (cudaMalloc(&pointer_, count * sizeof(T)) != cudaSuccess)
      throw std::bad_alloc();
    cudaMemset(pointer_, 0, count * sizeof(T));
  }
  ~Device() { cudaFree(pointer_); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  operator T *() const { return pointer_; }
  T &operator[](std::size_t i) const { return pointer_[i]; }

private:
  T *pointer_ = nullptr;
};

} // namespace relayout::host::test
