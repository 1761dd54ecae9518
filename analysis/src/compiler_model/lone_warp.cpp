// SPDX-License-Identifier: Apache-2.0
// Issues the instructions of a kernel one after the other. Of a loop three iterations are issued:
// the third one stands for all that follow.
#include "relayout/analysis/compiler_model/lone_warp.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <array>

namespace relayout::analysis {
namespace {

using Loop = std::pair<std::size_t, std::size_t>;

class LoneWarp {
public:
  LoneWarp(const MachineKernel &kernel, const Machine &machine)
      : kernel_(kernel), loadCycles_((machine.l1LatencyNs + machine.l2LatencyNs) *
                                     machine.instructionsPerNsPerSm / kSchedulers) {}

  double run() {
    issue({0, kernel_.code.size()}, kernel_.loops);
    return now_;
  }

private:
  /// \param code   from the first instruction to the one behind the last
  /// \param loops  those that may begin in it
  void issue(const Loop &code, const std::vector<Loop> &loops) {
    std::size_t at = code.first;
    while (at < code.second) {
      const auto loop = std::ranges::find(loops, at, &Loop::first);
      if (loop != loops.end() && loop->second < code.second) {
        iterate(*loop, loops);
        at = loop->second + 1;
        continue;
      }
      issue(kernel_.code[at]);
      if (std::ranges::binary_search(kernel_.ends, at))
        return;
      const auto jump = kernel_.jumps.find(at);
      at = jump == kernel_.jumps.end() ? at + 1 : jump->second;
    }
  }

  void iterate(const Loop &loop, const std::vector<Loop> &loops) {
    std::vector<Loop> inner = loops;
    std::erase(inner, loop);
    double before = now_;
    for (int iteration = 0; iteration < kIssued; ++iteration) {
      before = now_;
      issue({loop.first, loop.second + 1}, inner);
    }
    const double rest = (now_ - before) * (fit::kLoneIterations - kIssued);
    now_ += rest;
    for (double &scoreboard : there_)
      scoreboard += rest;
  }

  void issue(const MachineInstruction &instruction) {
    for (unsigned s = 0; s < there_.size(); ++s)
      if ((instruction.waits >> s & 1) != 0)
        now_ = std::max(now_, there_[s]);
    const bool isLoad = instruction.kind == MachineInstruction::Kind::GlobalLoad;
    if (instruction.countsResult < there_.size())
      noteUntil(instruction.countsResult, isLoad ? loadCycles_ : fit::kScoreboardCycles);
    if (instruction.countsRead < there_.size())
      noteUntil(instruction.countsRead, fit::kOperandCycles);
    now_ += std::max<double>(instruction.pause, 1);
  }

  void noteUntil(std::uint8_t scoreboard, double cycles) {
    there_[scoreboard] = std::max(there_[scoreboard], now_ + cycles);
  }

  static constexpr int kIssued = 3; ///< iterations of a loop

  const MachineKernel &kernel_;
  double loadCycles_;
  double now_ = 0;
  std::array<double, MachineInstruction::kScoreboards> there_{}; ///< when each is empty
};

} // namespace

double loneWarpCycles(const MachineKernel &kernel, const Machine &machine) {
  return LoneWarp(kernel, machine).run();
}

} // namespace relayout::analysis
