// SPDX-License-Identifier: Apache-2.0
// Compares the device-to-host copies of two runs.
#include "stages/copy_comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::tool {

CopyComparison compareCopies(const std::vector<trace::CopyDigest> &original,
                             const std::vector<trace::CopyDigest> &rewritten) {
  CopyComparison comparison;
  comparison.copies = original.size();
  for (const trace::CopyDigest &copy : original) {
    comparison.bytes += copy.bytes - copy.paddingBytes;
    comparison.paddingBytes += copy.paddingBytes;
  }
  if (original.size() != rewritten.size())
    comparison.difference =
        fmt::format("{} device-to-host copies became {}", original.size(), rewritten.size());
  for (std::size_t i = 0; i < std::min(original.size(), rewritten.size()); ++i) {
    const trace::CopyDigest &a = original[i];
    const trace::CopyDigest &b = rewritten[i];
    const std::string place = a.place.empty() ? std::string() : fmt::format(" ({})", a.place);
    if (a.bytes != b.bytes)
      comparison.difference =
          fmt::format("copy {} of {}{} has {} bytes before the rewrite and {} after", i + 1,
                      original.size(), place, a.bytes, b.bytes);
    else if (a.digest != b.digest)
      comparison.difference = fmt::format("copy {} of {}{} has different bytes after the rewrite",
                                          i + 1, original.size(), place);
    else
      continue;
    break;
  }
  return comparison;
}

} // namespace relayout::tool
