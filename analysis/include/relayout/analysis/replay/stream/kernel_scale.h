// SPDX-License-Identifier: Apache-2.0
// Policy replay: how a sample of a traced kernel scales to the run that is decided for.
#pragma once

#include "relayout/analysis/compiler_model/machine_code.h"
#include "relayout/analysis/compiler_model/program_code.h"
#include "relayout/analysis/gpu/machine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::analysis {

/// How many times as much of a kernel the run that is decided for has as the traced one.
struct KernelGrowth {
  double launches = 1;
  double blocks = 1;                        ///< of a launch
  double arithmetic = 1;                    ///< of all launches
  std::map<std::uint32_t, double> accesses; ///< of all launches, by site index
  std::map<std::vector<std::uint32_t>, double>
      apart;                           ///< elements between lanes, by the sites of access sets
  std::set<std::uint32_t> walkedSites; ///< that walk over all elements, by site index
};

/// The run that is decided for, against the traced one.
struct RunScale {
  double elements = 1; ///< arrays so many times as long, launches of so many times as many blocks
  double launches = 1; ///< so many times as many of them
  /// The traced run may be the real one: the program takes no arguments, and nobody asked for more.
  bool tracedMayBeReal = false;
  bool isAsked = false; ///< the user says how many elements the run has
  /// Of kernels that look at all pairs, in a run whose size is guessed: with how many elements a
  /// launch has all blocks that the GPU runs side by side; 0: there are none, or the size is known.
  double elementsThatFill = 0;
  /// By name, where runs of two sizes showed it; other kernels grow with elements and launches.
  std::map<std::string, KernelGrowth> kernels = {};
};

/// The loop of a walk, as compiled.
struct CompiledWalk {
  const MachineLoop *loop = nullptr;
  double unrolled = 1; ///< iterations of the source in one of the machine code
};

/// How often a kernel really ran, against what was replayed of it.
struct KernelScale {
  double launches = 0;
  double blocksPerLaunch = 0;
  std::uint32_t threadsPerBlock = 0;
  std::uint32_t residentBlocks = 1; ///< on one SM
  std::uint64_t l1Bytes = 0;        ///< of its cache, shared memory taken off
  double elements = 1;              ///< see RunScale
  double tracedBlocks = 0;          ///< of a launch of the traced run
  /// A small run has few warps, which tell nothing of how a real one hides its arithmetic.
  bool isRealRun = true;
  /// Warp instructions of all launches that stand around the accesses in the source; none: not
  /// known.
  Arithmetic arithmetic;
  std::optional<CompiledWalk> walk; ///< where the kernel is one, and its machine code is known
  /// By access set: executed bundles for one replayed.
  std::vector<double> bySet;

  /// Blocks of a launch that share an SM, as far as its grid has so many; at least 1.
  [[nodiscard]] double blocksOfAnSm(const Machine &machine) const;
};

} // namespace relayout::analysis
