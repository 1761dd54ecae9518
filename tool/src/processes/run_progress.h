// SPDX-License-Identifier: Apache-2.0
// How far a program is that the tool runs on the CPU.
#pragma once

#include "processes/watchdog.h"

#include "relayout/base/run_progress.h"

#include <string>

namespace relayout::tool {

/// The file that a program reports to, removed in the end. Where it cannot be made, nothing is
/// known.
class ProgressFile {
public:
  explicit ProgressFile(std::string path);
  ProgressFile(const ProgressFile &) = delete;
  ProgressFile &operator=(const ProgressFile &) = delete;
  ~ProgressFile();

  [[nodiscard]] const std::string &path() const { return path_; }

  /// "launch 1,234: 'step', block 12 of 4,096"; empty before the first launch.
  [[nodiscard]] std::string describe() const;

private:
  std::string path_;
  WatchedPath watched_;
  const RunProgress *progress_ = nullptr;
};

} // namespace relayout::tool
