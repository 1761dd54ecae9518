// SPDX-License-Identifier: Apache-2.0
// The CUDA calls that deal with memory or launch kernels, looked up by name (cuda_calls.def).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace relayout {

enum class CudaCallKind {
  Allocation, ///< its first argument takes the address
  Address,    ///< the same, of memory that is there already
  Free,
  Copy,
  Set,
  Hint, ///< where managed memory should be
  Launch,
  Reset
};

/// What is allocated, addressed or freed.
enum class CudaMemory { Device, Managed, Host, Symbol, Unknown };

struct CudaCall {
  std::string_view name;
  CudaCallKind kind{};
  CudaMemory memory = CudaMemory::Unknown;
  bool isOnStream = false;
  bool isGenerated = false;   ///< the header of a rewritten record has a function of that meaning
  bool isHooked = false;      ///< runtime/gpu/hooks stands in for it
  std::string_view perThread; ///< its name with a default stream per thread; empty: the same

  /// Of a copy to or from a variable in device memory the argument that names it.
  [[nodiscard]] std::optional<unsigned> symbolPosition() const {
    if (kind != CudaCallKind::Copy || memory != CudaMemory::Symbol)
      return std::nullopt;
    return name.starts_with("cudaMemcpyToSymbol") ? 0 : 1;
  }
};

[[nodiscard]] std::span<const CudaCall> cudaCalls();

/// \returns  null where the table has no such call; names for default streams per thread are not
///           looked up, as source code does not spell them
[[nodiscard]] const CudaCall *cudaCallNamed(std::string_view name);

} // namespace relayout
