// SPDX-License-Identifier: Apache-2.0
// The time of day that programs under comparison are told: see src/program_clock.cpp.
#pragma once

namespace relayout {

/// Seconds since the epoch, in a program's environment: what it is told when it first asks for the
/// time of day; each further time a millisecond more. Without it the time is the real one.
inline constexpr const char *kStartTimeVariable = "RELAYOUT_START_TIME";

} // namespace relayout
