// SPDX-License-Identifier: Apache-2.0
// Executor: the numbers of devices that programs name.
#pragma once

namespace relayout::host {

/// Whether the one device stands in for this one: programs name the GPUs of the machine that they
/// were written on. The first that is not the first is told.
bool isDevice(int device);

} // namespace relayout::host
