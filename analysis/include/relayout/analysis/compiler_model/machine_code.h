// SPDX-License-Identifier: Apache-2.0
// The compiler model: machine code of NVIDIA's GPUs, as far as the time of a loop depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayout::analysis {

/// An instruction of compute capability 7.0 to 9.0, of 128 bits. The compiler schedules it: it says
/// for how many cycles the warp pauses behind it, and which of six scoreboards it waits for or
/// counts up. Source: Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU
/// Architecture via Microbenchmarking" (2018).
struct MachineInstruction {
  enum class Kind : std::uint8_t { Other, GlobalLoad, Special, Double, Float };
  static constexpr std::uint8_t kNoScoreboard = 7;
  static constexpr unsigned kScoreboards = 6;

  Kind kind = Kind::Other;
  bool isConditional = false;                ///< done for lanes with a predicate
  std::uint8_t pause = 0;                    ///< cycles
  std::uint8_t countsResult = kNoScoreboard; ///< until its result is there
  std::uint8_t countsRead = kNoScoreboard;   ///< until it has read its operands
  std::uint8_t waits = 0;                    ///< bit s: for scoreboard s to be empty
  std::uint8_t bytes = 0;                    ///< of a load, a lane
  std::uint32_t base = 0;                    ///< of a load: number of the value its address is from
  std::int32_t offset = 0;                   ///< of a load, from there, in bytes
};

/// A loop without another one in it. What is jumped over to call a function is left out: operands
/// that need it are rare. Of other branches all that is jumped over is taken to be executed.
struct MachineLoop {
  std::vector<MachineInstruction> body;

  [[nodiscard]] std::uint64_t count(MachineInstruction::Kind kind) const;
  /// By all loads of a lane.
  [[nodiscard]] std::uint64_t loadedBytes() const;
};

/// A kernel from its first instruction to its last. Places are numbers of instructions.
struct MachineKernel {
  std::vector<MachineInstruction> code;
  /// From the first one to the last branch back to it.
  std::vector<std::pair<std::size_t, std::size_t>> loops;
  std::map<std::size_t, std::size_t> jumps; ///< always taken, forward: from and to
  std::vector<std::size_t> ends;            ///< of every lane
};

/// By the kernel's name in a trace; of several instantiations of a template none.
/// \param object  as machineLoops() takes it
[[nodiscard]] std::map<std::string, MachineKernel> machineKernels(std::string_view object);

/// The innermost loops of each kernel that load from global memory, by the kernel's name in a
/// trace, in the order of their addresses; of several instantiations of a template none.
/// \param object  an object file or cubin; device code in it is not compressed
[[nodiscard]] std::map<std::string, std::vector<MachineLoop>> machineLoops(std::string_view object);

} // namespace relayout::analysis
