// SPDX-License-Identifier: Apache-2.0
// A second process that cleans up after this one, however it ends: SIGKILL included.
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>

namespace relayout::tool {

/// Which processes end with a watched one.
enum class Watch : char {
  Group,  ///< all of its process group, which it leads
  Process ///< it alone: it stays in our group, which the terminal serves
};

/// The watchdog ends watched processes at their limit and, once this process is gone, ends those
/// that are left and removes watched paths. Where none can be started (out of processes), nothing
/// is watched.
class Watchdog {
public:
  /// Starts it at the first call, which is best while this process is small and has one thread.
  static Watchdog &instance();

  /// For a child, between fork and exec, so that there is no moment at which nobody knows it: makes
  /// only calls that are safe there.
  /// \param limit  after which it is killed; 0: never
  void watchThisProcess(Watch watch, std::chrono::seconds limit) const;
  void release(pid_t process) const;

  void watch(const std::string &path) const;
  void release(const std::string &path) const;

private:
  Watchdog();
  int connection_ = -1;
};

/// A file or folder that is removed if this process ends before the object does.
class WatchedPath {
public:
  explicit WatchedPath(std::string path) : path_(std::move(path)) {
    Watchdog::instance().watch(path_);
  }
  WatchedPath(const WatchedPath &) = delete;
  WatchedPath &operator=(const WatchedPath &) = delete;
  ~WatchedPath() { Watchdog::instance().release(path_); }

private:
  std::string path_;
};

} // namespace relayout::tool
