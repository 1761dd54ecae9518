// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which launches run a kernel's twin.
#include "relayout/gpu/kernel_twins.h"

#include "relayout/device/buffers.h"

#include <algorithm>

namespace relayout::gpu {
namespace {

constexpr std::uint32_t kLaunchesLog2 = 3; ///< of those recorded while the number doubles

} // namespace

bool isRecordedLaunch(std::uint64_t launch) {
  return device::isSampled(static_cast<std::uint32_t>(launch),
                           device::sampleShift(launch, kLaunchesLog2));
}

void KernelTwins::name(const void *kernel, std::size_t row, const void *twin) {
  // Which of several definitions of one name a launch runs, nobody can tell here.
  if (const auto [known, isNew] = names_.try_emplace(kernel, Name{row, twin}); !isNew)
    known->second.twin = nullptr;
}

void KernelTwins::add(const device::Module &module) {
  for (std::size_t i = 0; i < module.twinRows; ++i) {
    name(module.twins[i].kernel, rows_.size(), module.twins[i].twin);
    rows_.push_back({module.twins[i], &module});
  }
}

void KernelTwins::nameHandles() {
  for (; rowsWithHandles_ < rows_.size(); ++rowsWithHandles_) {
    const Row &row = rows_[rowsWithHandles_];
    const void *const kernel = row.module->handleOf(row.twin.kernel);
    const void *const twin = row.module->handleOf(row.twin.twin);
    if (kernel != nullptr && twin != nullptr)
      name(kernel, rowsWithHandles_, twin);
  }
}

const void *KernelTwins::choose(Context current, const void *kernel, std::size_t sharedBytes,
                                bool records) {
  nameHandles();
  const auto found = names_.find(kernel);
  if (found == names_.end() || found->second.twin == nullptr)
    return kernel;
  const auto &[number, twin] = found->second;
  Use &use = uses_[{current, number}];
  if (isRecordedLaunch(use.launches++) && records)
    return kernel;
  if (!use.hasLimits || sharedBytes > use.sharedBytes) {
    const Row &row = rows_[number];
    use.fits = row.module->takeLimits(row.twin);
    use.hasLimits = true;
    use.sharedBytes = std::max(use.sharedBytes, sharedBytes);
  }
  return use.fits ? twin : kernel;
}

void KernelTwins::forget(Context context) {
  std::erase_if(uses_, [context](const auto &use) { return use.first.first == context; });
}

} // namespace relayout::gpu
