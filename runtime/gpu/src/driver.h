// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the few calls of the CUDA driver that are needed, found in the library that the
// program has loaded itself. No CUDA header, and nothing to link.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relayout::gpu {

using DevicePointer = unsigned long long;
using Context = void *;
using Stream = void *;
using Status = int; ///< CUresult; 0 is success

struct Driver {
  Status (*ctxGetCurrent)(Context *);
  Status (*ctxSetCurrent)(Context);
  Status (*ctxGetDevice)(int *);
  Status (*ctxSynchronize)();
  Status (*deviceGetName)(char *, int, int);
  Status (*deviceGetAttribute)(int *, int, int);
  Status (*memAlloc)(DevicePointer *, std::size_t);
  Status (*memFree)(DevicePointer);
  Status (*memGetInfo)(std::size_t *, std::size_t *);
  Status (*memsetAsync)(DevicePointer, unsigned char, std::size_t, Stream);
  Status (*copyToDevice)(DevicePointer, const void *, std::size_t, Stream);
  Status (*copyToHost)(void *, DevicePointer, std::size_t, Stream);
  Status (*streamCreate)(Stream *, unsigned);
  Status (*streamSynchronize)(Stream);
  Status (*streamIsCapturing)(Stream, int *);
  Status (*exchangeCaptureMode)(int *);

  static constexpr int kMultiprocessorCount = 16; ///< CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  static constexpr unsigned kNonBlocking = 1;     ///< CU_STREAM_NON_BLOCKING
  static constexpr int kRelaxed = 2;              ///< CU_STREAM_CAPTURE_MODE_RELAXED
};

/// Null while the program has not loaded the driver, or when that lacks a call.
[[nodiscard]] const Driver *driver();

/// Lets this thread use the driver although the program may be capturing a graph.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &calls) : calls_(calls) {
    calls_.exchangeCaptureMode(&mode_);
  }
  ~RelaxedCapture() { calls_.exchangeCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Driver &calls_;
  int mode_ = Driver::kRelaxed;
};

} // namespace relayout::gpu
