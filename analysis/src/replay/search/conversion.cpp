// SPDX-License-Identifier: Apache-2.0
// Copies between the host and arrays, as the trace counts them.
#include "replay/search/conversion.h"

#include <map>
#include <set>
#include <string>

namespace relayout::analysis {

HostCopies hostCopies(const trace::Trace &trace, const ReplaySample &sample, trace::Index group) {
  std::set<std::uint64_t> arrays;
  for (const ReplayArray &array : sample.stream.arrays)
    if (array.group == group)
      arrays.insert(array.address);
  HostCopies copies;
  std::map<std::string, std::uint64_t> places;
  for (const trace::HostTransfer &transfer : trace.transfers) {
    if (!arrays.contains(transfer.address))
      continue;
    const bool isRepeated = transfer.copies > 1; // with every launch, then
    const bool isExact = sample.run.elements == 1 && sample.run.launches == 1;
    copies.count += transfer.copies;
    copies.areRepeated |= isRepeated;
    const double times = isRepeated ? sample.run.launches : 1;
    copies.convertedBytes += static_cast<double>(transfer.bytes) * sample.run.elements * times;
    copies.conversions += isRepeated || isExact ? static_cast<double>(transfer.copies) * times : 0;
    places[transfer.place] += transfer.copies;
  }
  std::uint64_t most = 0;
  for (const auto &[place, count] : places)
    if (count > most) {
      most = count;
      copies.place = place;
    }
  return copies;
}

double conversionNs(const HostCopies &copies, const Machine &machine) {
  return 2 * copies.convertedBytes / machine.copyBytesPerNs + copies.conversions * machine.launchNs;
}

} // namespace relayout::analysis
