// SPDX-License-Identifier: Apache-2.0
// Everything the tool prints goes through here: results to stdout, the rest to stderr.
#pragma once

#include "relayout/base/diagnostic.h"

#include <chrono>
#include <string>
#include <vector>

namespace relayout::tool {

void printDiagnostic(const Diagnostic &diagnostic);
void printDiagnostics(const std::vector<Diagnostic> &diagnostics);

/// Prints the error and returns the exit code that its diagnostic asks for.
int report(const Error &error);

/// "[2/7] build for the CPU" … "0.9 s": one line a stage on stderr, unless quiet.
class Progress {
public:
  Progress(int stages, bool quiet) : stages_(stages), quiet_(quiet) {}
  /// Ends the stage before, if any, and begins the next.
  void begin(const std::string &what);
  /// How far the stage is; shown on a terminal only, drawn over the line of the stage.
  void note(const std::string &how);
  void end();

private:
  void draw(const std::string &what) const;

  int stages_;
  bool quiet_;
  int current_ = 0;
  bool open_ = false;
  bool noted_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point start_;
};

} // namespace relayout::tool
