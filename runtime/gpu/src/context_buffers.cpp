// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the buffers that kernels of one CUDA context write to.
#include "context_buffers.h"

#include <algorithm>
#include <bit>

namespace relayout::gpu {
namespace {

/// Lays parts out one behind the other, each on cache lines of its own.
class Offsets {
public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = end_;
    end_ += (bytes + 255) / 256 * 256;
    return at;
  }
  [[nodiscard]] std::size_t end() const { return end_; }

private:
  std::size_t end_ = 0;
};

template <class Value> Value *pointer(DevicePointer base, std::size_t offset) {
  // The driver has device addresses as integers.
  return reinterpret_cast<Value *>( // NOLINT(performance-no-int-to-ptr)
      static_cast<std::uintptr_t>(base + offset));
}

DevicePointer address(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

bool ContextBuffers::openDevice(std::size_t &freeBytes) {
  int device = 0;
  std::size_t allBytes = 0;
  if (calls_.ctxGetDevice(&device) != 0 ||
      calls_.deviceGetAttribute(&multiprocessors_, Driver::kMultiprocessorCount, device) != 0 ||
      calls_.memGetInfo(&freeBytes, &allBytes) != 0 ||
      calls_.streamCreate(&stream_, Driver::kNonBlocking) != 0)
    return false;
  char name[256] = "unknown GPU";
  calls_.deviceGetName(name, sizeof name - 1, device);
  deviceName_ = name;
  return true;
}

/// Memory of this size, filled with zeros; 0 and the reason where there is none.
DevicePointer ContextBuffers::takeMemory(std::size_t bytes, std::string &why) const {
  DevicePointer base = 0;
  if (calls_.memAlloc(&base, bytes) != 0) {
    why = "the device has no " + std::to_string(bytes) + " bytes left for the trace";
    return 0;
  }
  if (calls_.memsetAsync(base, 0, bytes, stream_) != 0 || calls_.streamSynchronize(stream_) != 0) {
    calls_.memFree(base);
    why = "the trace's device memory cannot be set";
    return 0;
  }
  return base;
}

bool ContextBuffers::place(const Settings &settings, std::string &why) {
  Offsets offsets;
  const std::size_t tallies = offsets.take(plan_.tallies() * sizeof(device::SiteTally));
  const std::size_t kernelTallies = offsets.take(plan_.kernels * sizeof(device::KernelTally));
  const std::size_t launches = offsets.take(plan_.launchRows * sizeof(device::LaunchRow));
  const std::size_t totals = offsets.take(sizeof(device::Totals));
  const std::size_t records = offsets.take(std::size_t{plan_.granules} * device::kGranuleBytes);
  const DevicePointer base = takeMemory(offsets.end(), why);
  if (base == 0)
    return false;
  control_.tallies = pointer<device::SiteTally>(base, tallies);
  control_.kernels = pointer<device::KernelTally>(base, kernelTallies);
  control_.launches = pointer<device::LaunchRow>(base, launches);
  control_.totals = pointer<device::Totals>(base, totals);
  control_.records = pointer<unsigned char>(base, records);
  control_.granules = plan_.granules;
  control_.launchRows = plan_.launchRows;
  control_.rowMask = plan_.rows - 1;
  control_.kernelCount = plan_.kernels;
  control_.siteCount = plan_.sites;
  control_.sampling = plan_.granules == 0 ? device::Sampling::Counts : settings.sampling;
  control_.sampleLog2 = static_cast<std::uint32_t>(
                            std::bit_width(std::max<std::uint64_t>(1, settings.sampleBlocks))) -
                        1;
  control_.sampledSm = settings.sampledSm;
  control_.kernelsRecord = 1;
  return true;
}

std::unique_ptr<ContextBuffers> ContextBuffers::allocate(const Driver &calls,
                                                         const Settings &settings,
                                                         std::uint32_t kernels, std::uint32_t sites,
                                                         std::string &why) {
  std::unique_ptr<ContextBuffers> buffers(new ContextBuffers(calls));
  std::size_t freeBytes = 0;
  if (!buffers->openDevice(freeBytes)) {
    why = "the CUDA driver gives no information about the device";
    return nullptr;
  }
  const std::uint64_t recordBytes =
      settings.sampling == device::Sampling::Counts ? 0 : settings.maxBytes;
  buffers->plan_ = planBuffers(static_cast<std::uint32_t>(buffers->multiprocessors_),
                               std::max(kernels, 1u), sites, recordBytes, freeBytes);
  if (!buffers->place(settings, why))
    return nullptr;
  return buffers;
}

bool ContextBuffers::arm(DevicePointer control, std::uint32_t firstKernel,
                         std::uint32_t firstSite) {
  device::Control mine = control_;
  mine.firstKernel = firstKernel;
  mine.firstSite = firstSite;
  return calls_.copyToDevice(control, &mine, sizeof mine, stream_) == 0 &&
         calls_.streamSynchronize(stream_) == 0;
}

template <class Value>
bool ContextBuffers::copyOut(const void *from, std::size_t count, std::vector<Value> &to) {
  to.resize(count);
  return count == 0 ||
         (calls_.copyToHost(to.data(), address(from), count * sizeof(Value), stream_) == 0 &&
          calls_.streamSynchronize(stream_) == 0);
}

bool ContextBuffers::read(ContextContents &contents) {
  std::vector<device::SiteTally> tallies;
  std::vector<device::Totals> totals;
  if (!copyOut(control_.totals, 1, totals) ||
      !copyOut(control_.tallies, plan_.tallies(), tallies) ||
      !copyOut(control_.kernels, plan_.kernels, contents.kernels) ||
      !copyOut(control_.launches, std::min(totals[0].launches, plan_.launchRows),
               contents.launches))
    return false;
  contents.sums = sumRows(plan_, tallies);
  contents.launchesLost = totals[0].launches - contents.launches.size();
  contents.recordBytesAsked = totals[0].granules * device::kGranuleBytes;
  // A row whose block is still running is not written yet.
  std::erase_if(contents.launches, [](const auto &row) { return row.gridPlusOne == 0; });
  std::stable_sort(contents.launches.begin(), contents.launches.end(),
                   [](const auto &a, const auto &b) { return a.gridPlusOne < b.gridPlusOne; });
  contents.recordBytesTaken =
      std::min<std::uint64_t>(totals[0].granules, plan_.granules) * device::kGranuleBytes;
  const auto copy = [this](std::size_t at, std::span<std::byte> to) {
    return calls_.copyToHost(to.data(), address(control_.records) + at, to.size(), stream_) == 0 &&
           calls_.streamSynchronize(stream_) == 0;
  };
  const auto isKept = [&](std::uint64_t grid) {
    return std::ranges::binary_search(contents.launches, grid + 1, {},
                                      &device::LaunchRow::gridPlusOne);
  };
  std::optional<RecordIndex> records = indexRecords(contents.recordBytesTaken, copy, isKept);
  if (records)
    contents.records = std::move(*records);
  return records.has_value();
}

} // namespace relayout::gpu
