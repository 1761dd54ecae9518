// SPDX-License-Identifier: Apache-2.0
// Test helper: what samples/NAME/checks.json says about the sample's own checks and about the
// hand-tuned programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace relayout::test {

/// A program of a batch file at its size for the CPU.
struct SampleProgram {
  std::vector<std::filesystem::path> sources;
  std::string arguments;
};

/// One wrong number in a sample's kernel, which `--check` has to notice.
struct Fault {
  std::string name; ///< of the test
  std::filesystem::path file;
  SampleProgram program;
  std::string text;
  std::string fault; ///< stands for `text` then
};

/// A hand-tuned program at a size for the CPU.
struct Reference {
  std::string name; ///< of the test
  std::filesystem::path source;
  std::string arguments;
  std::size_t variants = 0; ///< figures that it prints, one a variant
  /// The sample's sources, where the program prints results to compare with the sample's; empty
  /// where it compares them with a serial computation itself.
  std::vector<std::filesystem::path> comparesWith;
};

/// The faults of all samples. \error  throws what the JSON library throws
[[nodiscard]] std::vector<Fault> faultsOfSamples();

/// The references of all samples. \error  throws what the JSON library throws
[[nodiscard]] std::vector<Reference> referencesOfSamples();

/// Folders of samples/ with a batch file.
[[nodiscard]] std::vector<std::filesystem::path> sampleFolders();

} // namespace relayout::test
