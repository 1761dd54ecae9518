// SPDX-License-Identifier: Apache-2.0
// The clock of kernels.
#pragma once

namespace relayout::host {

/// What the threads of the next launch read is later than what those of the kernel's last one did.
/// Launches of other kernels do not count: a rewritten program has more, which convert its copies.
void stepDeviceClock(const char *kernel);

} // namespace relayout::host
