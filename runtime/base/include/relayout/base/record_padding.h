// SPDX-License-Identifier: Apache-2.0
// The bytes of copied records that hold values, for digests on the CPU and on the GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace relayout {

/// Where the padding of a record is.
struct RecordPadding {
  std::uint32_t recordBytes = 0;                              ///< 0: not known
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spans; ///< offset and length, ascending
};

/// Hands on the bytes of a row that are not padding, in order and in pieces. Records start where
/// the row starts. \param take  called with (const std::byte *, std::size_t) \returns  bytes of
/// padding
template <class Take>
std::uint64_t takeValues(const void *row, std::size_t width, const RecordPadding &padding,
                         Take take) {
  const auto *const from = static_cast<const std::byte *>(row);
  if (padding.recordBytes == 0 || padding.spans.empty()) {
    take(from, width);
    return 0;
  }
  std::uint64_t paddingBytes = 0;
  for (std::size_t record = 0; record < width; record += padding.recordBytes) {
    const std::size_t end = std::min<std::size_t>(width - record, padding.recordBytes);
    std::size_t at = 0;
    for (const auto &[offset, length] : padding.spans) {
      const std::size_t stop = std::min<std::size_t>(offset, end);
      if (stop > at)
        take(from + record + at, stop - at);
      at = std::min<std::size_t>(std::size_t{offset} + length, end);
      paddingBytes += at - stop;
    }
    if (end > at)
      take(from + record + at, end - at);
  }
  return paddingBytes;
}

} // namespace relayout
