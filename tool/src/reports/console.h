// SPDX-License-Identifier: Apache-2.0
// Diagnostics, diffs and progress, as a person reads them.
#pragma once

#include "relayout/base/diagnostic.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace relayout::tool {

void printDiagnostic(const Diagnostic &diagnostic);
void printDiagnostics(const std::vector<Diagnostic> &diagnostics);

/// Prints the error and returns the exit code that its diagnostic asks for.
int report(const Error &error);

/// A unified diff as text, coloured on a terminal unless NO_COLOR is set (no-color.org).
void printDiff(const std::string &diff);

/// From here on, a signal that asks us to end (SIGINT, SIGTERM, SIGHUP) says this on stderr first.
/// \param lastWords  must live as long as the process
void sayWhenInterrupted(const char *lastWords);

/// While the object lives, tells the stage that runs how far it is. One at a time.
class ProgressSource {
public:
  /// \param how  called from another thread, now and then; what it returns may be empty
  explicit ProgressSource(std::function<std::string()> how);
  ProgressSource(const ProgressSource &) = delete;
  ProgressSource &operator=(const ProgressSource &) = delete;
  ~ProgressSource();
};

/// "[2/7] build for the CPU" … "0.9 s": one line a stage on stderr, unless quiet. On a terminal the
/// line of a stage that lasts shows for how long, and how far it is; elsewhere a stage that lasts
/// says so on a line of its own, once a minute.
class Progress {
public:
  Progress(int stages, bool quiet);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// Ends the stage before, if any, and begins the next.
  void begin(const std::string &what);
  /// So many stages more than was known at first.
  void expectMore(int stages) { stages_ += stages; }
  /// How far the stage is.
  void note(const std::string &how);
  void end();

private:
  void endStage();
  void draw(const std::string &what) const;
  void redraw() const;
  void keepTime();
  void askSource();
  [[nodiscard]] double seconds() const;

  int stages_;
  bool quiet_;
  bool isLive_; ///< on a terminal
  int current_ = 0;
  bool open_ = false;
  std::string what_;
  std::string how_;
  std::chrono::steady_clock::time_point start_;
  bool isOver_ = false;
  std::mutex mutex_;
  std::condition_variable over_;
  std::thread clock_;
};

} // namespace relayout::tool
