// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which launches run a kernel's twin. A kernel needs the registers of its version with
// records even where no block is sampled; its twin does not.
#pragma once

#include "relayout/device/module.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relayout::gpu {

/// Whether launch number `launch` (from 0) of a kernel may have records: the first 16 launches, and
/// then eight while their number doubles. Their places vary, so that they meet no period of the
/// program's each time at the same point.
[[nodiscard]] bool isRecordedLaunch(std::uint64_t launch);

/// Twins of all modules. Not for several threads at a time.
class KernelTwins {
public:
  using Context = void *;

  void add(const device::Module &module);

  /// What a launch in the current context should run.
  /// \param kernel       host address or handle
  /// \param sharedBytes  dynamic shared memory
  /// \param records      whether the trace is to have records at all
  /// \returns  the twin, named in the same way; the kernel for a launch with records, and where it
  ///           has no twin that could take its place
  [[nodiscard]] const void *choose(Context current, const void *kernel, std::size_t sharedBytes,
                                   bool records);

  /// The context ends: its launches and limits are those of another one from now on.
  void forget(Context context);

private:
  struct Row {
    device::Twin twin;
    const device::Module *module;
  };
  struct Name {
    std::size_t row;
    const void *twin; ///< by the same kind of name; null: several units define the kernel
  };
  /// Of one kernel in one context.
  struct Use {
    std::uint64_t launches = 0;
    bool hasLimits = false; ///< the twin took them
    bool fits = false;      ///< it can take the kernel's place
    std::size_t sharedBytes = 0;
  };

  void name(const void *kernel, std::size_t row, const void *twin);
  /// The runtime knows handles only after all modules have made themselves known to it.
  void nameHandles();

  std::vector<Row> rows_;
  std::size_t rowsWithHandles_ = 0;
  std::unordered_map<const void *, Name> names_; ///< of kernels
  std::map<std::pair<Context, std::size_t>, Use> uses_;
};

} // namespace relayout::gpu
