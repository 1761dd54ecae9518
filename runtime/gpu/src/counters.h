// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what is learned from CUPTI. One backend is compiled: counters_with_cupti.cpp where
// CUPTI's headers are, counters_with_nothing.cpp elsewhere.
#pragma once

#include <string>

namespace relayout::gpu {

class Session;

/// From here on CUPTI calls the session before launches and before contexts end.
/// \returns false, and in `why` the reason, when that cannot be had
[[nodiscard]] bool startCounters(Session &session, std::string &why);

/// Waits for the records of kernels that have ended.
void flushCounters();

} // namespace relayout::gpu
