// SPDX-License-Identifier: Apache-2.0
// Writes a trace while the user's program runs; the runtime back ends call it.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::trace {

/// A trace file being written. Every chunk reaches the file as soon as it is full, so what a
/// program did before it crashed can be read. Nothing throws: the first failure is kept, later
/// calls do nothing, and close() returns it. Calls may come from several threads at once.
class Writer {
public:
  /// Launches after this many are counted by close() alone, and their accesses are refused.
  static constexpr std::uint64_t kMaxLaunches = 1u << 20;

  /// Creates the file, or empties it.
  /// \error RL-T07 the file cannot be written
  [[nodiscard]] static Result<Writer> create(const std::string &path);

  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) noexcept;
  /// Without close() the file stays what an interrupted program leaves: incomplete.
  ~Writer();

  void machine(const Machine &machine);
  void command(const std::string &command);
  void sites(std::string_view siteTableJson);
  void launch(const Launch &launch);
  void allocation(const Allocation &allocation);
  void copy(const CopyDigest &copy);
  void transfer(const HostTransfer &transfer);

  /// Records one warp access of a launch already passed to launch().
  /// \returns whether it was recorded; count it as dropped when not (launch unknown or over the
  ///          limit, no active lane, or the file failed)
  bool access(const WarpAccess &access);

  /// Records many under one lock; accesses of one warp in a row take the least space.
  /// \returns how many were recorded: the first so many of the span
  std::size_t accesses(std::span<const WarpAccess> batch);

  /// Bytes that address records take so far: in the file, plus those still uncompressed in memory.
  [[nodiscard]] std::uint64_t accessBytes() const;

  /// Writes what is known only at the end, and the end mark without which a trace is incomplete.
  /// \param kernels  names, as Launch::kernel, SiteCount::kernel and LoopCount::kernel index them
  /// \error RL-T07 the file could not be written, now or before
  [[nodiscard]] Result<void> close(const std::vector<std::string> &kernels,
                                   const std::vector<SiteCount> &counts,
                                   const std::vector<LoopCount> &loops,
                                   std::uint64_t launchesExecuted, std::uint64_t blocksExecuted,
                                   std::uint64_t blocksSampled);

private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace relayout::trace
