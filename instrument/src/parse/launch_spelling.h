// SPDX-License-Identifier: Apache-2.0
// nvcc takes a launch's brackets apart, as in `kernel<< <grid, block>> >(x)`; Clang does not.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <string>

namespace relayout::instrument {

/// The text with the brackets of its launches together. What stood between them comes behind, so
/// that all else keeps its place.
[[nodiscard]] std::string joinLaunchBrackets(std::string text);

/// The file system, with files that are read this way.
[[nodiscard]] llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedLaunches(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

} // namespace relayout::instrument
