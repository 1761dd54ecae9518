// SPDX-License-Identifier: Apache-2.0
// Our standard input, for a program that is run several times and reads the same each time.
#pragma once

#include <string>
#include <thread>

namespace relayout::tool {

/// What one run reads, while the object lives; one at a time. A file is rewound, so that what a
/// program leaves is left; a pipe is passed on and kept; a terminal is the program's own.
class InputForRun {
public:
  InputForRun();
  InputForRun(const InputForRun &) = delete;
  InputForRun &operator=(const InputForRun &) = delete;
  ~InputForRun();

  /// For the program to read; ours where it inherits that.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The program has its copy.
  void started();

private:
  void pass(int to) const;

  int descriptor_ = 0;
  int stop_ = -1; ///< closed to end the thread
  int stopped_ = -1;
  std::thread passing_;
};

/// Whether a program that inherits our input must stay in our process group to read it.
[[nodiscard]] bool inputIsTerminal();

} // namespace relayout::tool
