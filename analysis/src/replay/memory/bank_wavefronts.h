// SPDX-License-Identifier: Apache-2.0
// Policy replay: what one warp instruction costs in shared memory.
#pragma once

#include "replay/memory/line_finder.h"

namespace relayout::analysis {

/// Wavefronts of a warp's access to shared memory. Each bank gives one word a wavefront, to any
/// number of lanes; wide accesses go in parts of the warp that ask for a word of each bank at most:
/// lanes of 8 bytes by halves, of 16 by quarters.
/// \param addresses  of the lanes in mask, multiples of the access; bank 0 holds word 0
/// \param bytes      a lane: 1, 2, 4, 8 or 16
/// \returns  0 for an empty mask
/// \source   CUDA C++ Programming Guide, shared memory; 64-bit and 128-bit accesses as of compute
///           capability 2.x on
[[nodiscard]] unsigned bankWavefronts(const LaneAddresses &addresses, std::uint32_t mask,
                                      std::uint32_t offset, std::uint32_t bytes);

} // namespace relayout::analysis
