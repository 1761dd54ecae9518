// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the trace this process writes. Lives in the user's program: it never throws, never
// prints unless asked to, and changes neither output nor exit code.
#pragma once

#include "context_buffers.h"
#include "settings.h"

#include "relayout/device/module.h"
#include "relayout/gpu/allocation_log.h"
#include "relayout/gpu/kernel_twins.h"
#include "relayout/gpu/merged_sites.h"
#include "relayout/trace/writer.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/types.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relayout::gpu {

class Session {
public:
  /// Null when no trace is asked for, when it cannot be written, or in a forked child.
  static Session *instance();

  void registerModule(device::Module &module);

  /// Gives the modules their buffers in this context, or in the current one, if that is not done.
  void arm(Context context);
  /// Before a launch: arms the current context.
  void launches();
  /// See relayoutGpuKernelOrTwin().
  const void *kernelOrTwin(const void *kernel, std::size_t sharedBytes, Stream stream);
  /// Takes out what the context's kernels wrote, while it is still there. Null: the current one.
  void contextEnds(Context context);

  void allocated(AllocationLog::Note note, std::uint64_t address, std::uint64_t bytes);
  void freed(std::uint64_t address);
  void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  void kernelTime(const char *symbol, std::uint64_t beginNs, std::uint64_t endNs);
  void kernelTimesLost(std::uint64_t records);

  /// Part of the trace that this machine cannot give, and the reason.
  void missing(const std::string &part, const std::string &why);

  /// Drains every context and ends the trace. Once.
  void close();

private:
  explicit Session(Settings settings, trace::Writer writer);

  struct ModuleState {
    device::Module *module = nullptr;
    MergedSites::Place place;
    std::vector<device::StaticArray> staticArrays = {};
  };
  struct KernelTimes {
    std::uint64_t launches = 0, allNs = 0, leastNs = ~std::uint64_t{0}, mostNs = 0;

    void add(const KernelTimes &more) {
      launches += more.launches;
      allNs += more.allNs;
      leastNs = std::min(leastNs, more.leastNs);
      mostNs = std::max(mostNs, more.mostNs);
    }
  };
  struct KernelCounts {
    std::string name;
    std::uint64_t launches = 0;
    std::vector<trace::SiteCount> sites; ///< by probe id; empty until the kernel ran
  };

  /// In the current context.
  void noteStaticArrays(const ModuleState &state);
  void writeSites();
  void drain(Context context, bool wait);
  [[nodiscard]] bool waitForKernels(Context context);
  void keep(const ContextBuffers &buffers, ContextContents &contents);
  /// Loops are counted like sites; from now on they are no sites.
  [[nodiscard]] std::vector<trace::LoopCount> takeLoopCounts();
  void keepRecords(RecordIndex &index,
                   const std::unordered_map<std::uint64_t, std::uint32_t> &launchOfGrid);
  std::uint32_t traceKernel(std::uint32_t tableKernel);
  void writeReport();

  const Settings settings_;
  const pid_t process_;
  trace::Writer writer_;
  std::mutex mutex_;
  std::atomic<Context> lastArmed_{nullptr};
  bool closed_ = false;
  bool isBroken_ = false; ///< the device failed: counts are lost

  MergedSites sites_;
  bool sitesWritten_ = false;
  std::vector<ModuleState> modules_;
  std::vector<device::SharedCount> sharedCounts_;               ///< of all modules
  std::map<Context, std::unique_ptr<ContextBuffers>> contexts_; ///< null: could not be armed

  std::map<std::uint32_t, std::uint32_t> traceKernels_; ///< index in the table → in the trace
  std::vector<KernelCounts> kernels_;
  std::uint64_t launchRows_ = 0;
  std::vector<std::uint32_t> kernelOfLaunch_; ///< index in kernels_, of the launches in the trace
  std::set<std::uint32_t> kernelsWithWholeBlocks_; ///< see leaveOutCutBlocks()
  std::uint64_t launches_ = 0, launchesLost_ = 0;
  std::uint64_t blocks_ = 0, blocksSampled_ = 0;
  std::uint64_t damaged_ = 0, recordBytes_ = 0, recordBytesAsked_ = 0;

  std::mutex twinsMutex_;
  KernelTwins twins_;

  std::mutex arraysMutex_;
  AllocationLog arrays_;

  std::mutex timesMutex_;                              ///< CUPTI delivers from a thread of its own
  std::unordered_map<std::string, KernelTimes> times_; ///< by symbol
  std::uint64_t timesLost_ = 0;
  std::mutex notesMutex_;
  std::vector<std::pair<std::string, std::string>> missing_;
  std::string machine_;
};

} // namespace relayout::gpu
