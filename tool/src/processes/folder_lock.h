// SPDX-License-Identifier: Apache-2.0
// One process at a time in a folder of results.
#pragma once

#include <string>

namespace relayout::tool {

/// Held until the object goes, or the process ends; the folder goes as well if it is empty then.
/// Where the folder cannot be made or locked,
/// nothing is held; what writes there says why.
class FolderLock {
public:
  /// Makes the folder. Waits while another process holds it; if that lasts, says so on stderr.
  explicit FolderLock(const std::string &folder);
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;
  ~FolderLock();

private:
  std::string folder_;
  int file_ = -1;
};

} // namespace relayout::tool
