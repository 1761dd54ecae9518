// SPDX-License-Identifier: Apache-2.0
// A folder for files that nobody needs afterwards.
#pragma once

#include "processes/watchdog.h"
#include "relayout/base/result.h"

#include <memory>
#include <string>

namespace relayout::tool {

/// Removed with all it holds when the object goes, or this process ends.
class TemporaryFolder {
public:
  /// \error RL-F02 there is no room for temporary files
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
  explicit TemporaryFolder(std::string path)
      : path_(std::move(path)), watched_(std::make_unique<WatchedPath>(path_)) {}
  std::string path_; ///< empty once moved from
  std::unique_ptr<WatchedPath> watched_;
};

} // namespace relayout::tool
