// SPDX-License-Identifier: Apache-2.0
// Test helper: runs the relayout program in a folder of its own and keeps what it says.
#pragma once

#include <filesystem>
#include <string>

namespace relayout::test {

struct Outcome {
  int exitCode = 0;
  std::string out; ///< stdout
  std::string err; ///< stderr
};

/// A temporary working folder, removed with its contents at the end of the test.
class Workplace {
public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace &) = delete;
  Workplace &operator=(const Workplace &) = delete;

  /// Runs `relayout ARGUMENTS` through the shell, in this folder.
  Outcome relayout(const std::string &arguments) const;
  /// Runs a shell command in this folder, in which `relayout` means the program under test.
  Outcome shell(const std::string &command) const;
  void write(const std::string &file, const std::string &text) const;
  /// Writes a script that can be run.
  void writeScript(const std::string &file, const std::string &text) const;
  [[nodiscard]] std::string read(const std::string &file) const;
  [[nodiscard]] bool has(const std::string &file) const;

private:
  std::filesystem::path folder_;
};

/// The path of samples/NAME/NAME.cu.
[[nodiscard]] std::string sample(const std::string &name);

/// The folder of all samples.
[[nodiscard]] std::string samples();

} // namespace relayout::test
