// SPDX-License-Identifier: Apache-2.0
// Copies of whole arrays, as the trace lists them.
#include "replay/search/conversion.h"

#include <map>

namespace relayout::analysis {

std::uint64_t convertedBytes(const trace::Trace &trace, const ReplaySample &sample,
                             trace::Index group) {
  std::map<std::uint64_t, std::uint64_t> copiesBySize;
  const trace::Record &record = trace.sites.records[trace.sites.groups[group].record];
  double bytes = 0;
  for (const ReplayArray &array : sample.stream.arrays)
    if (array.group == group) {
      copiesBySize.try_emplace(array.elements * record.bytes, 0);
      bytes += static_cast<double>(array.elements * record.bytes);
    }
  for (const trace::CopyDigest &copy : trace.copies)
    if (const auto size = copiesBySize.find(copy.bytes); size != copiesBySize.end())
      ++size->second;
  // What is copied more than once is copied with every launch; else at the end.
  for (const auto &[size, copies] : copiesBySize)
    bytes += static_cast<double>(size * copies) * (copies > 1 ? sample.run.launches : 1);
  return static_cast<std::uint64_t>(bytes * sample.run.elements);
}

double conversionNs(std::uint64_t bytes, const Machine &machine) {
  return 2 * static_cast<double>(bytes) / machine.copyBytesPerNs;
}

} // namespace relayout::analysis
