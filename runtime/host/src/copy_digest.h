// SPDX-License-Identifier: Apache-2.0
// Executor: fingerprints of what the program copies out of device memory.
#pragma once

#include "relayout/base/record_padding.h"
#include "relayout/trace/trace.h"

#include <cstddef>
#include <string>

namespace relayout::host {

/// What the program said of its next copy.
struct CopyNote {
  std::string place;
  RecordPadding padding;
};

/// The bytes of a copy: rows of `width` bytes that start `pitch` bytes apart.
struct CopiedBytes {
  const void *from = nullptr;
  std::size_t width = 0;
  std::size_t pitch = 0;
  std::size_t height = 1;
};

/// XXH3-128 over the bytes in order, padding of the note's records left out. Records start where
/// the copy starts.
trace::CopyDigest digestOf(const CopiedBytes &bytes, const CopyNote &note);

/// This thread's note; the next copy takes it.
void setCopyNote(CopyNote note);
CopyNote takeCopyNote();

} // namespace relayout::host
