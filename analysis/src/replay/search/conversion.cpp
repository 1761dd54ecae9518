// SPDX-License-Identifier: Apache-2.0
// Copies of whole arrays, as the trace lists them.
#include "replay/search/conversion.h"

#include <map>
#include <string>

namespace relayout::analysis {
namespace {

struct Size {
  std::uint64_t arrays = 0;
  std::uint64_t copies = 0; ///< to the host
};

/// The group's arrays by their bytes. States of memory that the host reaches are no copies: it
/// reads them through the views.
std::map<std::uint64_t, Size> sizesOf(const trace::Trace &trace, const ReplaySample &sample,
                                      trace::Index group) {
  std::map<std::uint64_t, Size> sizes;
  const trace::Record &record = trace.sites.records[trace.sites.groups[group].record];
  for (const ReplayArray &array : sample.stream.arrays)
    if (array.group == group)
      ++sizes[array.elements * record.bytes].arrays;
  for (const trace::CopyDigest &copy : trace.copies)
    if (const auto size = sizes.find(copy.bytes); size != sizes.end() && !copy.isState())
      ++size->second.copies;
  return sizes;
}

} // namespace

std::uint64_t convertedBytes(const trace::Trace &trace, const ReplaySample &sample,
                             trace::Index group) {
  double bytes = 0;
  // What is copied more than once is copied with every launch; else at the end.
  for (const auto &[size, of] : sizesOf(trace, sample, group))
    bytes += static_cast<double>(size * of.arrays) +
             static_cast<double>(size * of.copies) * (of.copies > 1 ? sample.run.launches : 1);
  return static_cast<std::uint64_t>(bytes * sample.run.elements);
}

HostCopies hostCopies(const trace::Trace &trace, const ReplaySample &sample, trace::Index group) {
  HostCopies copies;
  const std::map<std::uint64_t, Size> sizes = sizesOf(trace, sample, group);
  for (const auto &[size, of] : sizes)
    if (of.copies != 0) {
      copies.count += of.copies;
      copies.arrays += of.arrays;
    }
  std::map<std::string, std::uint64_t> places;
  for (const trace::CopyDigest &copy : trace.copies)
    if (sizes.contains(copy.bytes) && !copy.isState())
      ++places[copy.place];
  std::uint64_t most = 0;
  for (const auto &[place, count] : places)
    if (count > most) {
      most = count;
      copies.place = place;
    }
  return copies;
}

double conversionNs(std::uint64_t bytes, const Machine &machine) {
  return 2 * static_cast<double>(bytes) / machine.copyBytesPerNs;
}

} // namespace relayout::analysis
