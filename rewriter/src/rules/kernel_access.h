// SPDX-License-Identifier: Apache-2.0
// What kernels do to the arrays of a record: whether what they read through views of const records
// stays the same while they run.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Of the units of a program together.
struct KernelAccess {
  bool hasWritable = false; ///< device code names pointers through which records may be written
  /// Device code reads const records where nothing says that no other pointer writes them: not
  /// through a `__restrict__` parameter of the kernel.
  bool readsUnprotected = false;

  /// True where no kernel writes what it reads through a view of const records.
  [[nodiscard]] bool keepsWhatItReads() const { return !(hasWritable && readsUnprotected); }
  void add(const KernelAccess &other) {
    hasWritable |= other.hasWritable;
    readsUnprotected |= other.readsUnprotected;
  }
};

[[nodiscard]] KernelAccess kernelAccess(const Program &program, const Target &target);

} // namespace relayout::rewriter
