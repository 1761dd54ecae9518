// SPDX-License-Identifier: Apache-2.0
// Spellings that nvcc takes and Clang does not: a launch's brackets apart, as in
// `kernel<< <grid, block>> >(x)`, attributes behind execution spaces, as in
// `__device__ [[nodiscard]] int f()`, references that are const, as in `Vector &const v`, and lines
// that go on behind a comment, as in `1 + \ // one`.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <string>

namespace relayout::instrument {

/// The text with the brackets of its launches together, attributes in front of execution spaces,
/// no const behind a reference's sign, and no backslashes in front of the comments that end lines.
/// All else keeps its place.
[[nodiscard]] std::string clangSpelling(std::string text);

/// The file system, with files that are read this way.
[[nodiscard]] llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withClangSpelling(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

} // namespace relayout::instrument
