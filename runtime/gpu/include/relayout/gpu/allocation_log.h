// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the program's device arrays, how long they lived and what was copied. Needs no GPU.
#pragma once

#include "relayout/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace relayout::gpu {

/// One allocation of device memory. Times are numbers of launches made before.
struct ArrayLife {
  std::string name; ///< of the variable that holds the pointer; empty where it is not known
  std::vector<trace::Extent> extents = {}; ///< that the program notes
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t allocatedAt = 0;
  std::uint64_t freedAt = kNever;
  std::uint64_t copiedInBytes = 0;  ///< by the host's calls, from anywhere
  std::uint64_t copiedOutBytes = 0; ///< to anywhere

  /// Copies whose other side is no array.
  struct HostCopies {
    std::uint64_t copies = 0;
    std::uint64_t bytes = 0; ///< of all together

    void add(std::uint64_t more) {
      ++copies;
      bytes += more;
    }
  };
  HostCopies fromHost = {};
  HostCopies toHost = {};

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
};

class AllocationLog {
public:
  /// Of arrays after these many only the number is kept.
  static constexpr std::size_t kMostArrays = 4096;

  void launched() { ++launches_; }
  /// What the program says of an array before it allocates it.
  struct Note {
    std::string name = {};
    std::vector<trace::Extent> extents = {};
  };
  void allocated(Note note, std::uint64_t address, std::uint64_t bytes);
  /// Of an array that is there from the beginning.
  void declared(std::string name, std::uint64_t address, std::uint64_t bytes);
  void freed(std::uint64_t address);
  /// Either side may be no device memory.
  void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

  [[nodiscard]] const std::vector<ArrayLife> &arrays() const { return arrays_; }
  [[nodiscard]] std::uint64_t arraysWithoutARow() const { return arraysWithoutARow_; }

private:
  /// The living array that holds this address, or null.
  ArrayLife *find(std::uint64_t address);

  std::vector<ArrayLife> arrays_;
  std::map<std::uint64_t, std::size_t> living_; ///< by address, index into arrays_
  std::uint64_t launches_ = 0, arraysWithoutARow_ = 0;
};

} // namespace relayout::gpu
