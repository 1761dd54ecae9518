// SPDX-License-Identifier: Apache-2.0
// Compares the device-to-host copies of two versions of a program, and the states of arrays that
// host and kernels share.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::tool {

using Copies = std::vector<trace::CopyDigest>;

struct CopyComparison {
  std::size_t copies = 0;                ///< of the original, states of shared arrays among them
  std::size_t states = 0;                ///< of these, compared: no copies, but what an array held
  std::size_t varying = 0;               ///< of these, not compared: they vary from run to run
  std::uint64_t bytes = 0;               ///< compared, over all copies
  std::uint64_t paddingBytes = 0;        ///< record padding, which has no meaning and is left out
  std::optional<std::string> difference; ///< the first one, in words
  /// As built, the copies differ; both were built again with -fmad=false, and this is of those.
  bool withoutFma = false;

  [[nodiscard]] bool identical() const { return !difference; }
};

/// RL-V02, of a program that shows no results.
[[nodiscard]] Error nothingCopiedBack();

/// What the original copies out of device memory, or shares with its host code, and which of that
/// is the same in all of its runs.
class OriginalCopies {
public:
  /// What one more run copied.
  void add(const Copies &run);

  /// \error RL-V02 no run copies anything; RL-V07 each copy varies, or how many there are
  [[nodiscard]] Result<void> requireComparable() const;

  /// Compares what does not vary; sizes always.
  [[nodiscard]] CopyComparison compareWith(const Copies &rewritten) const;

  /// Whether some run made another number of copies.
  [[nodiscard]] bool countVaries() const { return countVaries_; }

private:
  Copies copies_;
  std::vector<char> varies_; ///< by copy
  bool hasRun_ = false;
  bool countVaries_ = false;
};

/// Lines of "bytes digest [padding bytes …]", as librelayout_copies.so writes them.
[[nodiscard]] Copies copiesFrom(std::string_view lines);

/// "3 copies, 65,536 bytes, identical; 2 more vary from run to run …"; with states of shared arrays
/// "3 copies, 4 states of arrays that the host shares with kernels, …".
/// \param comparison  identical
[[nodiscard]] std::string describe(const CopyComparison &comparison);

} // namespace relayout::tool
