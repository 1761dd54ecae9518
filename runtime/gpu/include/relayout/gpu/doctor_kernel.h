// SPDX-License-Identifier: Apache-2.0
// `relayout doctor`: what the driver says of this machine, and whether a kernel runs. To be called
// in a process of its own: what goes wrong with a driver can end it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayout::gpu {

struct GpuDevice {
  std::string name;
  int major = 0, minor = 0; ///< compute capability
  std::uint64_t bytes = 0;  ///< of device memory
};

struct GpuTrial {
  std::string driver; ///< version of the driver, empty where there is none
  std::string cuda;   ///< newest CUDA it can serve, "13.0"
  std::vector<GpuDevice> devices;
  std::string failure; ///< empty: the kernel ran on the first device
};

/// Needs neither CUDA's headers nor its toolkit: the driver compiles the kernel.
[[nodiscard]] GpuTrial tryGpu();

[[nodiscard]] std::string toJson(const GpuTrial &trial);
[[nodiscard]] std::optional<GpuTrial> gpuTrialFromJson(const std::string &text);

} // namespace relayout::gpu
