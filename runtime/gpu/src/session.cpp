// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the trace this process writes.
#include "session.h"

#include "counters.h"
#include "relayout/gpu/record_decoder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace relayout::gpu {
namespace {

constexpr std::size_t kBatch = 4096;

std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  std::string line = text.str();
  while (!line.empty() && line.back() == '\0')
    line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

void closeSession() {
  if (Session *const session = Session::instance())
    session->close();
}

/// For programs that never armed a context, whose exit handler was therefore never set.
__attribute__((destructor(101))) void closeLast() { closeSession(); }

} // namespace

Session::Session(Settings settings, trace::Writer writer)
    : settings_(std::move(settings)), process_(getpid()), writer_(std::move(writer)) {
  writer_.command(commandLine());
  if (!settings_.problems.empty())
    missing("settings", settings_.problems);
}

Session *Session::instance() {
  // Never destroyed: other threads may still launch while the process ends.
  static Session *const made = []() -> Session * {
    Settings settings = Settings::fromEnvironment();
    if (settings.tracePath.empty())
      return nullptr;
    const bool verbose = settings.verbose;
    const bool useCupti = settings.useCupti;
    Result<trace::Writer> writer = trace::Writer::create(settings.tracePath);
    if (!writer) {
      if (verbose)
        std::fprintf(stderr, "relayout: warning: no trace is written: %s [%s]\n",
                     writer.error().text.c_str(), codeName(writer.error().code));
      return nullptr;
    }
    auto *const session = new Session(std::move(settings), std::move(*writer));
    std::string why = "RELAYOUT_CUPTI is 0";
    if (!useCupti || !startCounters(*session, why))
      session->missing("kernel times", why);
    return session;
  }();
  return made != nullptr && made->process_ == getpid() ? made : nullptr;
}

void Session::missing(const std::string &part, const std::string &why) {
  const std::scoped_lock lock(notesMutex_);
  missing_.emplace_back(part, why);
  if (settings_.verbose)
    std::fprintf(stderr, "relayout: warning: the trace lacks %s: %s\n", part.c_str(), why.c_str());
}

void Session::registerModule(device::Module &module) {
  const std::scoped_lock lock(mutex_);
  if (!contexts_.empty())
    return missing("a module", "it was loaded after the first kernel had run");
  Result<MergedSites::Place> place = sites_.add(module.siteTableJson);
  if (!place)
    return missing("a module", place.error().text);
  modules_.push_back(
      {&module, *place, {module.staticArrays, module.staticArrays + module.staticArrayRows}});
  for (std::size_t i = 0; i < module.sharedCountRows; ++i) {
    const device::SharedCount &row = module.sharedCounts[i];
    sharedCounts_.push_back({place->firstSite + row.site, place->firstSite + row.countedBy});
  }
  const std::scoped_lock twinsLock(twinsMutex_);
  twins_.add(module);
}

void Session::arm(Context context) {
  if (context != nullptr && context == lastArmed_.load(std::memory_order_acquire))
    return;
  const std::scoped_lock lock(mutex_);
  if (closed_ || getpid() != process_ || modules_.empty())
    return;
  const Driver *calls = driver();
  // The program may be capturing a graph, which forbids much.
  std::optional<RelaxedCapture> relaxed;
  if (calls != nullptr)
    relaxed.emplace(*calls);
  // The runtime makes its context here, if this is its first call.
  const DevicePointer first = modules_.front().module->controlAddress();
  calls = driver();
  Context current = nullptr;
  if (calls == nullptr || calls->ctxGetCurrent(&current) != 0 || current == nullptr)
    return;
  if (!contexts_.contains(current)) {
    std::string why = "no module of the program is on this device";
    auto &buffers = contexts_[current];
    if (first != 0)
      buffers = ContextBuffers::allocate(*calls, settings_, sites_.kernels(), sites_.sites(), why);
    if (!buffers) {
      missing("a context", why);
    } else {
      for (const ModuleState &state : modules_) {
        const DevicePointer control = state.module->controlAddress();
        if (control == 0 || !buffers->arm(control, state.place.firstKernel, state.place.firstSite))
          missing("a module", "its probes cannot be reached on the device");
        noteStaticArrays(state);
      }
      if (machine_.empty()) {
        machine_ = buffers->deviceName();
        writer_.machine({"gpu", machine_});
        writeSites();
        // As late as this, so that it runs before the driver's own exit handler.
        std::atexit(&closeSession);
      }
    }
  }
  lastArmed_.store(current, std::memory_order_release);
}

void Session::noteStaticArrays(const ModuleState &state) {
  for (const device::StaticArray &array : state.staticArrays)
    if (const std::uint64_t address = state.module->addressOf(array.symbol); address != 0) {
      const std::scoped_lock lock(arraysMutex_);
      arrays_.declared(array.name, address, array.bytes);
    }
}

void Session::writeSites() {
  if (std::exchange(sitesWritten_, true))
    return;
  writer_.sites(trace::toJson(sites_.table()));
}

void Session::launches() {
  {
    const std::scoped_lock lock(arraysMutex_);
    arrays_.launched();
  }
  Context current = nullptr;
  if (const Driver *const calls = driver())
    calls->ctxGetCurrent(&current);
  arm(current);
}

const void *Session::kernelOrTwin(const void *kernel, std::size_t sharedBytes, Stream stream) {
  const bool isSampled = settings_.sampling == device::Sampling::Blocks;
  if (!isSampled && settings_.sampling != device::Sampling::Counts)
    return kernel;
  const Driver *const calls = driver();
  Context current = nullptr;
  int isCapturing = 0;
  // What a graph captures, the program may ask for and change.
  if (calls == nullptr || calls->ctxGetCurrent(&current) != 0 ||
      calls->streamIsCapturing(stream, &isCapturing) != 0 || isCapturing != 0)
    return kernel;
  const RelaxedCapture relaxed(*calls); // of other streams
  const std::scoped_lock lock(twinsMutex_);
  return twins_.choose(current, kernel, sharedBytes, isSampled);
}

void Session::contextEnds(Context context) {
  const std::scoped_lock lock(mutex_);
  if (closed_ || getpid() != process_)
    return;
  const Driver *const calls = driver();
  if (context == nullptr && calls != nullptr)
    calls->ctxGetCurrent(&context);
  drain(context, true);
  {
    const std::scoped_lock twinsLock(twinsMutex_);
    twins_.forget(context);
  }
  lastArmed_.store(nullptr, std::memory_order_release);
}

bool Session::waitForKernels(Context context) {
  struct Wait {
    std::mutex mutex;
    std::condition_variable ended;
    bool isOver = false;
    Status status = 0;
  };
  const auto wait = std::make_shared<Wait>();
  const Driver *const calls = driver();
  // In a thread of its own: a kernel that never ends must not keep the program from ending.
  std::thread([wait, calls, context] {
    calls->ctxSetCurrent(context);
    const Status status = calls->ctxSynchronize();
    const std::scoped_lock lock(wait->mutex);
    wait->isOver = true;
    wait->status = status;
    wait->ended.notify_all();
  }).detach();
  std::unique_lock lock(wait->mutex);
  if (!wait->ended.wait_for(lock, std::chrono::seconds(settings_.exitSeconds),
                            [&] { return wait->isOver; })) {
    missing("the end of a kernel", "it still ran when the program ended");
    return true;
  }
  if (wait->status != 0)
    missing("the counts", "the device failed with error " + std::to_string(wait->status));
  return wait->status == 0;
}

void Session::drain(Context context, bool wait) {
  const auto found = contexts_.find(context);
  if (found == contexts_.end())
    return;
  const std::unique_ptr<ContextBuffers> buffers = std::move(found->second);
  contexts_.erase(found);
  const Driver *const calls = driver();
  if (!buffers || calls == nullptr)
    return;
  Context before = nullptr;
  calls->ctxGetCurrent(&before);
  calls->ctxSetCurrent(context);
  ContextContents contents;
  {
    const RelaxedCapture relaxed(*calls);
    if ((wait && !waitForKernels(context)) || !buffers->read(contents))
      isBroken_ = true;
    else
      keep(*buffers, contents);
  }
  calls->ctxSetCurrent(before);
}

std::uint32_t Session::traceKernel(std::uint32_t tableKernel) {
  const auto [known, isNew] =
      traceKernels_.try_emplace(tableKernel, static_cast<std::uint32_t>(kernels_.size()));
  if (isNew) {
    const auto &names = sites_.table().kernels;
    KernelCounts &counts = kernels_.emplace_back();
    counts.name = tableKernel < names.size() ? names[tableKernel].name : "unknown";
    counts.sites.resize(sites_.sites());
  }
  return known->second;
}

void Session::keep(const ContextBuffers &buffers, ContextContents &contents) {
  giveSharedCounts(buffers.plan(), sharedCounts_, contents.sums);
  std::unordered_map<std::uint64_t, std::uint32_t> launchOfGrid;
  for (const device::LaunchRow &row : contents.launches) {
    if (launchRows_ == trace::Writer::kMaxLaunches)
      break;
    trace::Launch launch;
    const bool isOfTwin = (row.kernel & device::kOfTwin) != 0;
    launch.kernel = traceKernel(row.kernel & ~device::kOfTwin);
    std::copy_n(row.grid, 3, launch.grid.begin());
    std::copy_n(row.block, 3, launch.block.begin());
    launch.sharedBytes = row.sharedBytes;
    const std::uint64_t blocks = std::uint64_t{row.grid[0]} * row.grid[1] * row.grid[2];
    switch (buffers.plan().granules == 0 || isOfTwin ? device::Sampling::Counts
                                                     : settings_.sampling) {
    case device::Sampling::Counts:
      break;
    case device::Sampling::Blocks:
      launch.sampleStride =
          std::uint64_t{1} << device::sampleShift(
              blocks, static_cast<std::uint32_t>(std::bit_width(settings_.sampleBlocks) - 1));
      break;
    case device::Sampling::All:
      launch.sampleStride = 1;
      break;
    case device::Sampling::OneSm:
      launch.sampleStride = static_cast<std::uint64_t>(buffers.multiprocessors());
      break;
    }
    writer_.launch(launch);
    kernelOfLaunch_.push_back(launch.kernel);
    launchOfGrid.emplace(row.gridPlusOne - 1, static_cast<std::uint32_t>(launchRows_++));
  }
  launchesLost_ += contents.launchesLost;
  for (std::uint32_t kernel = 0; kernel < contents.kernels.size(); ++kernel) {
    const device::KernelTally &tally = contents.kernels[kernel];
    if (tally.launches == 0)
      continue;
    KernelCounts &counts = kernels_[traceKernel(kernel)];
    counts.launches += tally.launches;
    launches_ += tally.launches;
    blocks_ += tally.blocks;
    blocksSampled_ += tally.sampledBlocks;
    const std::size_t row = std::size_t{kernel} * sites_.sites();
    for (std::size_t site = 0; site < sites_.sites(); ++site) {
      counts.sites[site].warpAccesses += contents.sums[row + site].warpAccesses;
      counts.sites[site].laneAccesses += contents.sums[row + site].laneAccesses;
    }
  }
  recordBytes_ += contents.recordBytesTaken;
  recordBytesAsked_ += contents.recordBytesAsked;
  keepRecords(contents.records, launchOfGrid);
}

std::vector<trace::LoopCount> Session::takeLoopCounts() {
  std::vector<trace::LoopCount> counts;
  for (std::uint32_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    std::vector<trace::SiteCount> &sites = kernels_[kernel].sites;
    for (const trace::Loop &loop : sites_.table().loops)
      if (loop.id < sites.size() && sites[loop.id].warpAccesses != 0)
        counts.push_back({kernel, loop.id, 0, std::exchange(sites[loop.id], {}).warpAccesses});
  }
  return counts;
}

void Session::keepRecords(RecordIndex &index,
                          const std::unordered_map<std::uint64_t, std::uint32_t> &launchOfGrid) {
  damaged_ += index.damaged;
  // Launch by launch, block by block; but those of one multiprocessor as it ran them.
  const bool asRun = settings_.sampling == device::Sampling::OneSm;
  std::erase_if(index.places, [&launchOfGrid](const RecordPlace &place) {
    return !launchOfGrid.contains(place.grid);
  });
  if (!asRun)
    leaveOutCutBlocks(
        index.places,
        [&](std::uint64_t grid) {
          return static_cast<std::uint32_t>(kernelOfLaunch_[launchOfGrid.at(grid)]);
        },
        kernelsWithWholeBlocks_);
  std::ranges::sort(index.places, {}, [asRun](const RecordPlace &place) {
    return std::tuple(place.grid, asRun ? place.clock : place.block, place.granule);
  });
  std::vector<trace::WarpAccess> batch;
  const auto write = [&] {
    const std::size_t written = writer_.accesses(batch);
    for (std::size_t i = 0; i < written; ++i)
      ++kernels_[kernelOfLaunch_[batch[i].launch]].sites[batch[i].site].recorded;
    batch.clear();
  };
  for (const RecordPlace &place : index.places) {
    trace::WarpAccess access = toWarpAccess(index.records, place);
    if (access.site >= sites_.sites())
      continue;
    access.launch = launchOfGrid.at(place.grid);
    batch.push_back(access);
    if (batch.size() == kBatch)
      write();
  }
  write();
}

void Session::allocated(AllocationLog::Note note, std::uint64_t address, std::uint64_t bytes) {
  const std::scoped_lock lock(arraysMutex_);
  arrays_.allocated(std::move(note), address, bytes);
}

void Session::freed(std::uint64_t address) {
  const std::scoped_lock lock(arraysMutex_);
  arrays_.freed(address);
}

void Session::copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  const std::scoped_lock lock(arraysMutex_);
  arrays_.copied(to, from, bytes);
}

void Session::kernelTime(const char *symbol, std::uint64_t beginNs, std::uint64_t endNs) {
  const std::scoped_lock lock(timesMutex_);
  const std::uint64_t ns = endNs - beginNs;
  times_[symbol].add({1, ns, ns, ns});
}

void Session::kernelTimesLost(std::uint64_t records) {
  const std::scoped_lock lock(timesMutex_);
  timesLost_ += records;
}

void Session::close() {
  const std::scoped_lock lock(mutex_);
  if (closed_ || getpid() != process_)
    return;
  closed_ = true;
  while (!contexts_.empty())
    drain(contexts_.begin()->first, true);
  flushCounters();
  if (machine_.empty())
    writer_.machine({"gpu", "none was used"});
  writeSites();
  {
    const std::scoped_lock arraysLock(arraysMutex_);
    for (const ArrayLife &life : arrays_.arrays())
      writer_.allocation({life.address, life.bytes, life.extents});
    for (const ArrayLife &life : arrays_.arrays())
      for (const bool isToHost : {false, true})
        if (const auto &[copies, bytes] = isToHost ? life.toHost : life.fromHost; copies != 0)
          writer_.transfer({life.address, isToHost, copies, bytes});
  }

  const std::vector<trace::LoopCount> loops = takeLoopCounts();
  std::vector<std::string> names;
  std::vector<trace::SiteCount> counts;
  for (std::uint32_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    names.push_back(kernels_[kernel].name);
    for (std::uint32_t id = 0; id < kernels_[kernel].sites.size(); ++id) {
      trace::SiteCount count = kernels_[kernel].sites[id];
      if (count.warpAccesses == 0 && count.recorded == 0)
        continue;
      count.kernel = kernel;
      count.site = id;
      count.dropped = count.warpAccesses - std::min(count.recorded, count.warpAccesses);
      counts.push_back(count);
    }
  }
  writeReport();
  // After a device failure the counts are not known: the trace stays what a crash leaves.
  if (isBroken_)
    return;
  if (const Result<void> closed =
          writer_.close(names, counts, loops, launches_, blocks_, blocksSampled_);
      !closed && settings_.verbose)
    std::fprintf(stderr, "relayout: warning: the trace is incomplete: %s [%s]\n",
                 closed.error().text.c_str(), codeName(closed.error().code));
}

} // namespace relayout::gpu

void relayoutGpuRegister(relayout::device::Module *module) {
  if (auto *const session = relayout::gpu::Session::instance())
    session->registerModule(*module);
}

void relayoutGpuArm() {
  if (auto *const session = relayout::gpu::Session::instance())
    session->launches();
}

const void *relayoutGpuKernelOrTwin(const void *kernel, std::size_t sharedBytes, void *stream) {
  auto *const session = relayout::gpu::Session::instance();
  return session != nullptr ? session->kernelOrTwin(kernel, sharedBytes, stream) : kernel;
}

void relayoutGpuContextEnds() {
  if (auto *const session = relayout::gpu::Session::instance())
    session->contextEnds(nullptr);
}
