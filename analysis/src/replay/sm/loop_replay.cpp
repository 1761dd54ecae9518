// SPDX-License-Identifier: Apache-2.0
// Issues the instructions of a loop, cycle by cycle.
#include "replay/sm/loop_replay.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace relayout::analysis {
namespace {

using Cycle = std::uint64_t;
using Kind = MachineInstruction::Kind;

/// Of a byte before the first one as well.
std::int64_t sectorOf(std::int64_t byte) {
  constexpr std::int64_t kBytes = kSectorBytes;
  return byte / kBytes - (byte % kBytes < 0 ? 1 : 0);
}

class LoopReplay {
public:
  /// \param isHeld  L1 has all of it
  LoopReplay(const MachineWalk &walk, const Machine &machine, bool isHeld)
      : walk_(walk), isHeld_(isHeld), cyclesPerNs_(machine.instructionsPerNsPerSm / kSchedulers),
        hit_(cycles(machine.l1LatencyNs)), miss_(cycles(machine.l1LatencyNs + machine.l2LatencyNs)),
        loadCycles_(cyclesPerNs_ / machine.wavefrontsPerNsPerSm),
        specialCycles_(kSchedulers * kWarpThreads / machine.architecture.specialsACycle),
        doubleCycles_(kSchedulers * kWarpThreads / machine.architecture.doublesACycle) {
    sectors_.resize(walk.advance.size());
    double sectors = 0; // of an iteration
    for (const std::uint64_t bytes : walk.advance)
      sectors += static_cast<double>(bytes) / kSectorBytes;
    const double kept =
        std::min(static_cast<double>(walk.l1Bytes) / std::max(walk.bytes, 1.0), 1.0);
    keptSectors_ = std::max(kept * kIterations, fit::kNearIterations) * std::max(sectors, 1.0);
  }

  WalkTime run() {
    const double all = std::max(std::ceil(walk_.blocks), 1.0);
    const double most = fit::kWalkingRounds * walk_.residentBlocks;
    blocksLeft_ = static_cast<std::uint64_t>(std::min(all, most));
    const auto simulated = static_cast<double>(blocksLeft_);
    for (std::uint32_t slot = 0; slot < walk_.residentBlocks && blocksLeft_ != 0; ++slot)
      startBlock(slot, 0);
    Cycle now = 0;
    for (Cycle next = 0; next != kNever; now = std::max(now + 1, next))
      next = issueAt(now);
    const double iterations = walk_.iterations / static_cast<double>(kIterations);
    return {static_cast<double>(ended_) / cyclesPerNs_ * iterations * all / simulated,
            static_cast<double>(issued_) /
                std::max(static_cast<double>(ended_) * kSchedulers, 1.0)};
  }

private:
  /// That stand for all of a warp's.
  static constexpr std::uint64_t kIterations = fit::kWalkingIterations;
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

  struct Warp {
    std::uint32_t slot = 0;
    std::uint64_t iteration = 0;
    std::size_t at = 0; ///< the next instruction
    Cycle ready = 0;    ///< for it
    Cycle paused = 0;
    std::array<Cycle, MachineInstruction::kScoreboards> counted{}; ///< when it is empty
  };

  /// What one of the schedulers has: the oldest warp first.
  struct Scheduler {
    std::vector<Warp> warps;
    double specialFree = 0;
    double doubleFree = 0;
  };

  struct Sector {
    Cycle there = 0;        ///< when it has come
    std::uint64_t used = 0; ///< how many had been fetched when it was used last
  };

  [[nodiscard]] Cycle cycles(double ns) const {
    return static_cast<Cycle>(std::llround(ns * cyclesPerNs_));
  }

  void startBlock(std::uint32_t slot, Cycle now) {
    --blocksLeft_;
    running_.resize(std::max<std::size_t>(running_.size(), slot + 1));
    running_[slot] = walk_.warpsOfABlock;
    for (std::uint32_t w = 0; w < walk_.warpsOfABlock; ++w) {
      Warp warp;
      warp.slot = slot;
      warp.ready = warp.paused = now;
      schedulers_[(slot * walk_.warpsOfABlock + w) % kSchedulers].warps.push_back(warp);
    }
  }

  /// One cycle of all schedulers.
  /// \returns when the next of them has something to issue
  Cycle issueAt(Cycle now) {
    for (Scheduler &scheduler : schedulers_) {
      std::vector<Warp> &warps = scheduler.warps;
      const auto oldest =
          std::ranges::find_if(warps, [now](const Warp &warp) { return warp.ready <= now; });
      if (oldest != warps.end()) {
        issue(scheduler, *oldest, now);
        if (oldest->iteration == kIterations)
          end(scheduler, oldest, now);
      }
    }
    Cycle next = kNever; // a block that ended may have made room for warps of any scheduler
    for (const Scheduler &scheduler : schedulers_)
      for (const Warp &warp : scheduler.warps)
        next = std::min(next, warp.ready);
    return next;
  }

  void issue(Scheduler &scheduler, Warp &warp, Cycle now) {
    const MachineInstruction &instruction = walk_.loop->body[warp.at];
    ++issued_;
    warp.paused = now + std::max<Cycle>(instruction.pause, 1);
    const Cycle done = now + latencyOf(scheduler, instruction, warp.iteration, now);
    if (instruction.countsResult < warp.counted.size())
      count(warp, instruction.countsResult, done);
    if (instruction.countsRead < warp.counted.size())
      count(warp, instruction.countsRead, now + fit::kOperandCycles);
    if (++warp.at == walk_.loop->body.size()) {
      warp.at = 0;
      ++warp.iteration;
    }
    warp.ready = warp.paused;
    const unsigned waits = walk_.loop->body[warp.at].waits;
    for (unsigned s = 0; s < warp.counted.size(); ++s)
      if ((waits >> s & 1) != 0)
        warp.ready = std::max(warp.ready, warp.counted[s]);
  }

  static void count(Warp &warp, std::uint8_t scoreboard, Cycle until) {
    warp.counted[scoreboard] = std::max(warp.counted[scoreboard], until);
  }

  Cycle latencyOf(Scheduler &scheduler, const MachineInstruction &instruction,
                  std::uint64_t iteration, Cycle now) {
    const auto inTurn = [now](double &free, double busy) {
      const double begin = std::max(free, static_cast<double>(now));
      free = begin + busy;
      return static_cast<Cycle>(begin) - now;
    };
    switch (instruction.kind) {
    case Kind::GlobalLoad:
      if (instruction.isConditional && !walk_.doesConditionalLoads)
        return 0;
      return load(instruction, iteration, now + inTurn(loadFree_, loadCycles_)) - now;
    case Kind::Special:
      return inTurn(scheduler.specialFree, specialCycles_) + fit::kScoreboardCycles;
    case Kind::Double:
      return inTurn(scheduler.doubleFree, doubleCycles_) + fit::kScoreboardCycles;
    case Kind::Float:
    case Kind::Other:
      break;
    }
    return fit::kScoreboardCycles;
  }

  /// \returns when all that it loads has come
  Cycle load(const MachineInstruction &instruction, std::uint64_t iteration, Cycle now) {
    const auto first =
        static_cast<std::int64_t>(iteration * walk_.advance[instruction.base]) + instruction.offset;
    Cycle done = now + hit_;
    if (isHeld_)
      return done;
    for (std::int64_t sector = sectorOf(first); sector <= sectorOf(first + instruction.bytes - 1);
         ++sector) {
      const auto [known, isNew] = sectors_[instruction.base].try_emplace(sector);
      Sector &found = known->second;
      if (isNew || static_cast<double>(fetched_ - found.used) > keptSectors_) {
        ++fetched_;
        found.there = now + miss_;
      }
      found.used = fetched_;
      done = std::max(done, found.there);
    }
    return done;
  }

  void end(Scheduler &scheduler, std::vector<Warp>::iterator warp, Cycle now) {
    const std::uint32_t slot = warp->slot;
    scheduler.warps.erase(warp);
    ended_ = now + 1;
    if (--running_[slot] == 0 && blocksLeft_ != 0)
      startBlock(slot, now + 1);
  }

  const MachineWalk &walk_;
  bool isHeld_;
  double cyclesPerNs_;
  Cycle hit_;
  Cycle miss_;
  double loadCycles_;
  double specialCycles_;
  double doubleCycles_;
  double keptSectors_ = 0;
  std::array<Scheduler, kSchedulers> schedulers_;
  std::vector<std::uint32_t> running_; ///< warps of the block, by slot
  std::uint64_t blocksLeft_ = 0;
  double loadFree_ = 0;
  std::vector<std::unordered_map<std::int64_t, Sector>> sectors_; ///< by base
  std::uint64_t fetched_ = 0;
  std::uint64_t issued_ = 0;
  Cycle ended_ = 0;
};

} // namespace

WalkTime replayWalk(const MachineWalk &walk, const Machine &machine) {
  const WalkTime first = LoopReplay(walk, machine, /*isHeld=*/false).run();
  if (walk.passes <= 1 || walk.bytes > static_cast<double>(walk.l1Bytes))
    return first;
  const WalkTime again = LoopReplay(walk, machine, /*isHeld=*/true).run();
  const auto ofAll = [&](double once, double then) {
    return (once + (walk.passes - 1) * then) / walk.passes;
  };
  const double ns = ofAll(first.ns, again.ns);
  return {ns, ofAll(first.issued * first.ns, again.issued * again.ns) / ns};
}

} // namespace relayout::analysis
