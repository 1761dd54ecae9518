// SPDX-License-Identifier: Apache-2.0
// Policy replay: the L1 sectors of one atomic operation or reduction of a warp.
#pragma once

#include "relayout/analysis/gpu/architecture.h"

#include <cstdint>
#include <span>

namespace relayout::analysis {

/// Sectors that L1 passes on for one atomic instruction. Loads and stores pass each sector once;
/// lanes of an atomic that collide are replayed, and a sector is passed on in every replay in which
/// a lane has it: its lines lie in four banks, and in a replay each bank serves the line of its
/// lowest lane left, of that line the lanes whose 4-byte column no lower lane of the bank wants.
/// \param addresses  device byte address of each active lane, lowest lane first; 1 to 32
/// \returns  sectors, at least as many as the lanes touch
/// \source   counters of one-warp launches on an H100
/// (tests/gpu/microarchitecture/atomic_wavefronts.cu):
///           l1tex__t_sectors_pipe_lsu_mem_global_op_red and _op_atom, and as many
///           l1tex__t_output_wavefronts as the busiest bank has replays
[[nodiscard]] std::uint32_t atomicSectors(std::span<const std::uint64_t> addresses,
                                          const TagBanks &tagBanks);

} // namespace relayout::analysis
