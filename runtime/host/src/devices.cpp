// SPDX-License-Identifier: Apache-2.0
// Executor: tells of devices that are named and not there.
#include "devices.h"

#include "failure.h"

#include <atomic>

namespace relayout::host {

bool isDevice(int device) {
  constexpr int kMostDevices = 16; // of a machine
  static std::atomic<bool> isTold = false;
  if (device < 0 || device >= kMostDevices)
    return false;
  if (device != 0 && !isTold.exchange(true))
    warn(Code::NotOnCpuExecutor,
         "the program names device %d: the CPU executor has one, which stands in for all", device);
  return true;
}

} // namespace relayout::host
