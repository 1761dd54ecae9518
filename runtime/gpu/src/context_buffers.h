// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the buffers that kernels of one CUDA context write to, from allocation to the copy
// that takes everything out.
#pragma once

#include "driver.h"
#include "settings.h"

#include "relayout/device/buffers.h"
#include "relayout/gpu/buffer_plan.h"
#include "relayout/gpu/record_decoder.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace relayout::gpu {

/// What kernels wrote.
struct ContextContents {
  std::vector<SiteSum> sums; ///< [kernel][site]
  std::vector<device::KernelTally> kernels;
  std::vector<device::LaunchRow> launches; ///< in the order of their grid ids
  std::uint64_t launchesLost = 0;          ///< launches beyond the rows
  RecordIndex records;                     ///< of launches that have a row
  std::uint64_t recordBytesTaken = 0;
  std::uint64_t recordBytesAsked = 0; ///< may pass what there is
};

class ContextBuffers {
public:
  /// In the current context.
  /// \returns null, and in `why` the reason, when the driver refuses
  static std::unique_ptr<ContextBuffers> allocate(const Driver &calls, const Settings &settings,
                                                  std::uint32_t kernels, std::uint32_t sites,
                                                  std::string &why);

  /// Tells a module in the current context where the buffers are.
  [[nodiscard]] bool arm(DevicePointer control, std::uint32_t firstKernel, std::uint32_t firstSite);

  /// Copies everything out; the context must be current and should be idle.
  [[nodiscard]] bool read(ContextContents &contents);

  [[nodiscard]] const BufferPlan &plan() const { return plan_; }
  [[nodiscard]] const std::string &deviceName() const { return deviceName_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }

private:
  explicit ContextBuffers(const Driver &calls) : calls_(calls) {}
  [[nodiscard]] bool openDevice(std::size_t &freeBytes);
  [[nodiscard]] DevicePointer takeMemory(std::size_t bytes, std::string &why) const;
  /// Allocates what the plan says.
  [[nodiscard]] bool place(const Settings &settings, std::string &why);
  template <class Value>
  [[nodiscard]] bool copyOut(const void *from, std::size_t count, std::vector<Value> &to);

  const Driver &calls_;
  BufferPlan plan_;
  device::Control control_{};
  Stream stream_ = nullptr;
  std::string deviceName_;
  int multiprocessors_ = 0;
};

} // namespace relayout::gpu
