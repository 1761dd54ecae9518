// SPDX-License-Identifier: Apache-2.0
// Decodes recorded warp accesses into bundles of fields of elements.
#include "relayout/analysis/replay/stream/warp_stream.h"

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/gpu/geometry.h"
#include "replay/stream/allocation_map.h"
#include "replay/stream/open_bundle.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

namespace relayout::analysis {
namespace {

struct SiteFacts {
  trace::Index record = trace::kNone;
  trace::Index group = trace::kNone;
  std::uint32_t field = trace::kNone;
  std::uint64_t leaves = 0; ///< of all it accesses; of an array member: of its first element
  std::uint32_t fieldOffset = 0;
  std::uint32_t fieldBytes = 0;
  std::uint32_t recordBytes = 0;
  std::uint32_t count = 1;     ///< elements of the array member, if it is one
  std::uint32_t laneBytes = 0; ///< of one of them
  bool split = true;           ///< they have leaves of their own
  std::uint32_t region = 0;    ///< see trace::Site
  /// Executions that are scheduled together; one more is another iteration. 0: no limit.
  std::uint32_t together = 0;
  std::uint64_t executed = 0; ///< in the region that is being executed, see Decoder::epoch_
  std::uint64_t epoch = 0;
  trace::AccessKind kind = trace::AccessKind::Read;
  // Where its last access was, as the next one is likely there too.
  const AllocationMap::Range *range = nullptr;
  std::uint64_t origin = 0; ///< of element 0
  std::uint32_t array = 0;
  std::uint32_t elementBytes = kFixedWordBytes;
  std::uint64_t inverse = 0; ///< of elementBytes, as a part of 2^64, rounded up
  // The stride of its last access, in bytes and in elements: divisions are dear.
  std::int64_t lastStride = 0;
  std::int32_t lastElementStride = 0;
  std::uint32_t lastSet = ~0u; ///< that it began, of the kernel that was executed then

  void divideBy(std::uint32_t bytes) {
    elementBytes = std::max(bytes, 1u);
    inverse = ~std::uint64_t{0} / elementBytes + 1;
  }
  /// offset / elementBytes by a multiplication: exact below 2^64 / elementBytes.
  [[nodiscard]] std::uint64_t elementAt(std::uint64_t offset) const {
    if (elementBytes == 1)
      return offset;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(offset) * inverse >> 64);
  }
};

class Decoder {
public:
  Decoder(const trace::Trace &trace, const DecodeOptions &options, const WaveSink &take)
      : trace_(trace), options_(options), take_(take), allocations_(trace.allocations) {
    stream_.kernels.resize(trace.kernels.size());
    setIndex_.resize(trace.kernels.size());
    recorded_.assign(trace.kernels.size(), std::vector<std::uint64_t>(trace.sites.sites.size()));
    for (const trace::Record &record : trace.sites.records)
      stream_.leaves.push_back(leavesOf(record));
    for (trace::Index i = 0; i < trace.sites.sites.size(); ++i) {
      const trace::Site &site = trace.sites.sites[i];
      facts_.push_back(factsOf(site));
      siteIndex_.emplace(site.id, i);
    }
  }

  void add(const trace::WarpAccess &access) {
    const std::uint32_t site = siteOf(access.site);
    if (site == trace::kNone || access.activeMask == 0 || access.launch >= trace_.launches.size()) {
      ++stream_.unmapped;
      return;
    }
    enter(access);
    next_.pattern = {};
    next_.set = {};
    next_.held = 0;
    next_.startsRegion = false;
    if (!map(access, site, next_)) {
      ++stream_.unmapped;
      return;
    }
    ++stream_.mapped;
    ++wave_.warpAccesses;
    ++recorded_[wave_.kernel][site];
    follow(facts_[site]);
    place(next_, facts_[site].kind);
  }

  WarpStream finish() {
    closeWave();
    for (std::size_t k = 0; k < recorded_.size(); ++k)
      for (std::uint32_t site = 0; site < recorded_[k].size(); ++site)
        if (recorded_[k][site] != 0)
          stream_.kernels[k].recorded[site] = recorded_[k][site];
    return std::move(stream_);
  }

private:
  SiteFacts factsOf(const trace::Site &site) const {
    SiteFacts facts;
    facts.record = site.record;
    facts.group = site.group;
    facts.kind = site.kind;
    facts.region = site.region;
    facts.together = scheduledTogether(site.loop);
    facts.divideBy(kFixedWordBytes);
    if (site.record == trace::kNone)
      return facts;
    const trace::Record &record = trace_.sites.records[site.record];
    const RecordLeaves &leaves = stream_.leaves[site.record];
    facts.recordBytes = record.bytes;
    if (facts.group == trace::kNone) {
      // An array that the source does not tell belongs to the record's group if there is only one.
      for (trace::Index g = 0; g < trace_.sites.groups.size(); ++g)
        if (trace_.sites.groups[g].record == site.record)
          facts.group = facts.group == trace::kNone ? g : trace::kNone - 1;
      if (facts.group == trace::kNone - 1)
        facts.group = trace::kNone;
    }
    if (leaves.leaves.empty())
      facts.group = trace::kNone;
    if (facts.group == trace::kNone)
      return facts;
    facts.divideBy(record.bytes);
    if (site.field == trace::kNone) {
      facts.leaves = leaves.all();
      facts.fieldBytes = record.bytes;
      return facts;
    }
    const trace::Field &field = record.fields[site.field];
    facts.field = site.field;
    facts.leaves = std::uint64_t{1} << leaves.firstOfField[site.field];
    facts.fieldOffset = field.offset;
    facts.fieldBytes = field.bytes;
    facts.count = std::max(field.count, 1u);
    facts.laneBytes = field.bytes / facts.count;
    facts.split = leaves.isSplit(site.field);
    return facts;
  }

  /// How often an access is executed in what a compiler schedules together: in the iterations of
  /// the innermost loop, and of those around it as far as nothing is left of the inner ones.
  [[nodiscard]] std::uint32_t scheduledTogether(trace::Index loop) const {
    std::uint32_t together = 1;
    for (; loop != trace::kNone; loop = trace_.sites.loops[loop].parent) {
      const trace::Loop &row = trace_.sites.loops[loop];
      if (row.unrolled == 0)
        return 0;
      together *= row.unrolled;
      if (!row.isUnrolledWhole)
        return together;
    }
    return 0;
  }

  /// Ends the region that is being executed where the access is of another one, or of another
  /// iteration.
  void follow(SiteFacts &facts) {
    const bool isOther = facts.region != 0 && region_ != 0 && facts.region != region_;
    const bool isNextIteration =
        facts.together != 0 && facts.epoch == epoch_ && facts.executed == facts.together;
    if (isOther || isNextIteration)
      endRegion();
    if (facts.region != 0)
      region_ = facts.region;
    if (facts.epoch != epoch_) {
      facts.epoch = epoch_;
      facts.executed = 0;
    }
    ++facts.executed;
  }

  /// What was loaded stays in registers, but no load that follows is moved up to these.
  void endRegion() {
    for (OpenBundle &bundle : open_) {
      emit(bundle);
      bundle.held |= bundle.set.reads | bundle.set.writes;
      OpenSet empty;
      empty.array = bundle.set.array;
      empty.bytes = bundle.set.bytes;
      empty.arrayField = bundle.set.arrayField;
      bundle.set = empty;
    }
    startsRegion_ = true;
    ++epoch_;
  }

  [[nodiscard]] std::uint32_t siteOf(std::uint32_t id) {
    if (id != lastId_) {
      const auto found = siteIndex_.find(id);
      lastId_ = id;
      lastSite_ = found == siteIndex_.end() ? trace::kNone : found->second;
    }
    return lastSite_;
  }

  /// Makes the access's launch, block and warp the current ones.
  void enter(const trace::WarpAccess &access) {
    if (!inWave_ || access.launch != wave_.launch || waveBytes_ > options_.maxWaveBytes) {
      closeWave();
      wave_.launch = access.launch;
      wave_.kernel = trace_.launches[access.launch].kernel;
      inWave_ = true;
    }
    if (wave_.warps.empty() || wave_.warps.back().block != access.block ||
        wave_.warps.back().warp != access.warp) {
      closeBundles();
      region_ = 0;
      startsRegion_ = false;
      ++epoch_;
      wave_.warps.push_back({access.block, access.warp, {}});
      waveBytes_ += sizeof(WarpRun);
    }
  }

  std::uint32_t arrayOf(trace::Index group, std::uint64_t address, std::uint64_t elements) {
    const auto [at, isNew] = arrayIndex_.try_emplace(
        std::pair(group, address), static_cast<std::uint32_t>(stream_.arrays.size()));
    if (isNew)
      stream_.arrays.push_back({group, address, elements});
    return at->second;
  }

  /// Finds the allocation and the array that an address of the site's lies in.
  bool locate(SiteFacts &facts, std::uint64_t address) {
    facts.range = allocations_.find(address);
    if (facts.range == nullptr)
      return false;
    const bool ofRecord = facts.group != trace::kNone;
    facts.origin = facts.range->begin;
    if (ofRecord) {
      // Records need not start where the allocation does: a pool holds several arrays. The first
      // access to an allocation tells the phase.
      const auto [phase, isNew] = phase_.try_emplace(std::pair(facts.group, facts.origin), 0);
      if (isNew) {
        const std::uint64_t within = (address - facts.origin) % facts.recordBytes;
        if (within < facts.fieldOffset || within >= facts.fieldOffset + facts.fieldBytes)
          phase->second = (within + facts.recordBytes - facts.fieldOffset) % facts.recordBytes;
      }
      facts.origin += phase->second;
    }
    const std::uint64_t elements =
        (facts.range->end - facts.origin) / (ofRecord ? facts.recordBytes : kFixedWordBytes);
    facts.array = arrayOf(ofRecord ? facts.group : trace::kNone, facts.origin, elements);
    return true;
  }

  /// Finds the array and the element of every lane.
  bool map(const trace::WarpAccess &access, std::uint32_t site, OpenBundle &bundle) {
    SiteFacts &facts = facts_[site];
    const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
    const std::uint64_t anyAddress = access.addresses[first];
    if (facts.range == nullptr || anyAddress < facts.range->begin || anyAddress >= facts.range->end)
      if (!locate(facts, anyAddress))
        return false;
    bundle.pattern.mask = access.activeMask;
    std::uint32_t lane = 0; // element of the array member
    if (!mapAffine(access, facts, bundle, lane) && !mapLanes(access, facts, bundle, lane))
      return false;
    std::uint64_t leaves = 1;
    if (facts.group == trace::kNone) {
      bundle.set.bytes = access.bytes;
    } else if (lane == kDifferent) {
      bundle.set.bytes = access.bytes;
      bundle.set.arrayField = facts.field;
    } else {
      leaves = facts.leaves;
      if (facts.count > 1) {
        // One access may take several elements, as vector types do.
        const std::uint32_t taken =
            std::clamp(access.bytes / std::max(facts.laneBytes, 1u), 1u, facts.count - lane);
        for (std::uint32_t k = 1; k < taken; ++k)
          leaves |= facts.leaves << k;
        leaves <<= lane;
      }
    }
    switch (facts.kind) {
    case trace::AccessKind::Read:
      bundle.set.reads = leaves;
      break;
    case trace::AccessKind::Write:
      bundle.set.writes = leaves;
      break;
    case trace::AccessKind::Atomic:
      bundle.set.atomics = leaves;
      break;
    }
    bundle.set.array = facts.array;
    bundle.set.registers = facts.kind == trace::AccessKind::Read ? registersFor(access.bytes) : 0;
    bundle.set.addSite(site);
    return true;
  }

  /// Whether a byte of an element belongs to the field that the site accesses.
  static bool inField(const SiteFacts &facts, std::uint64_t within) {
    return facts.group == trace::kNone ||
           (within >= facts.fieldOffset && within < facts.fieldOffset + facts.fieldBytes);
  }

  /// Element of the array member, 0 where the field is none.
  static std::uint32_t laneAt(const SiteFacts &facts, std::uint64_t within) {
    return facts.count == 1
               ? 0
               : static_cast<std::uint32_t>((within - facts.fieldOffset) / facts.laneBytes);
  }

  /// The common case: addresses that rise from lane to lane by whole elements.
  static bool mapAffine(const trace::WarpAccess &access, SiteFacts &facts, OpenBundle &bundle,
                        std::uint32_t &lane) {
    if (!facts.split)
      return false;
    const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
    const std::uint64_t base = access.addresses[first];
    const std::uint32_t others = access.activeMask & (access.activeMask - 1);
    std::int64_t stride = 0;
    if (others != 0) {
      const auto second = static_cast<unsigned>(std::countr_zero(others));
      const auto rise = static_cast<std::int64_t>(access.addresses[second] - base);
      stride = access.isAffine       ? access.stride
               : second == first + 1 ? rise
                                     : rise / static_cast<std::int64_t>(second - first);
      const auto bytes = static_cast<std::int64_t>(facts.elementBytes);
      if (stride != facts.lastStride) {
        if (stride % bytes != 0 || stride / bytes != static_cast<std::int32_t>(stride / bytes))
          return false;
        facts.lastStride = stride;
        facts.lastElementStride = static_cast<std::int32_t>(stride / bytes);
      }
      bool follows = true;
      if (access.isAffine) {
        // The trace says so.
      } else if (access.activeMask == 0xffffffffu) {
        for (unsigned i = 0; i < trace::kWarpLanes; ++i)
          follows &=
              access.addresses[i] == base + static_cast<std::uint64_t>(stride) * std::uint64_t{i};
      } else {
        for (std::uint32_t left = others; left != 0; left &= left - 1) {
          const auto i = static_cast<unsigned>(std::countr_zero(left));
          follows &= access.addresses[i] == base + static_cast<std::uint64_t>(stride) * (i - first);
        }
      }
      if (!follows)
        return false;
    }
    const auto last = kWarpThreads - 1 - static_cast<unsigned>(std::countl_zero(access.activeMask));
    for (const std::uint64_t end : {base, access.addresses[last]})
      if (end < facts.origin || end >= facts.range->end)
        return false;
    const std::uint64_t element = facts.elementAt(base - facts.origin);
    const std::uint64_t within = base - facts.origin - element * facts.elementBytes;
    if (!inField(facts, within))
      return false;
    lane = laneAt(facts, within);
    bundle.pattern.base = element;
    bundle.pattern.stride = others == 0 ? 0 : facts.lastElementStride;
    return true;
  }

  /// Lane by lane. Elements that rise evenly though their addresses do not are affine as well, so
  /// that equal elements always make equal patterns.
  /// \param lane  of the array member, or kDifferent: the pattern is then in its elements
  static bool mapLanes(const trace::WarpAccess &access, const SiteFacts &facts, OpenBundle &bundle,
                       std::uint32_t &lane) {
    std::array<std::uint64_t, trace::kWarpLanes> elements{};
    std::array<std::uint32_t, trace::kWarpLanes> lanes{};
    bool oneLane = facts.split;
    const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
    for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t address = access.addresses[i];
      if (address < facts.origin || address >= facts.range->end)
        return false;
      const std::uint64_t offset = address - facts.origin;
      elements[i] = facts.elementAt(offset);
      const std::uint64_t within = offset - elements[i] * facts.elementBytes;
      if (!inField(facts, within))
        return false;
      lanes[i] = laneAt(facts, within);
      oneLane = oneLane && lanes[i] == lanes[first];
    }
    lane = oneLane ? lanes[first] : kDifferent;
    std::uint64_t lowest = ~std::uint64_t{0};
    std::uint64_t highest = 0;
    for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      if (!oneLane)
        elements[i] = elements[i] * facts.count + lanes[i];
      lowest = std::min(lowest, elements[i]);
      highest = std::max(highest, elements[i]);
    }
    if (highest - lowest > 0xffffffffu)
      return false;

    const std::uint32_t others = access.activeMask & (access.activeMask - 1);
    if (others != 0) {
      const auto second = static_cast<unsigned>(std::countr_zero(others));
      const auto rise = static_cast<std::int64_t>(elements[second] - elements[first]);
      const auto lanesApart = static_cast<std::int64_t>(second - first);
      const std::int64_t stride = rise / lanesApart;
      bool affine = rise % lanesApart == 0 && stride == static_cast<std::int32_t>(stride);
      for (std::uint32_t left = others; affine && left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(left));
        affine = elements[i] == elements[first] + static_cast<std::uint64_t>(stride) * (i - first);
      }
      if (affine) {
        bundle.pattern.base = elements[first];
        bundle.pattern.stride = static_cast<std::int32_t>(stride);
        return true;
      }
    } else {
      bundle.pattern.base = elements[first];
      return true;
    }
    bundle.pattern.base = lowest;
    bundle.pattern.offsets = 0;
    bundle.offsets.fill(0);
    for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      bundle.offsets[i] = static_cast<std::uint32_t>(elements[i] - lowest);
    }
    return true;
  }

  /// See mapLanes.
  static constexpr std::uint32_t kDifferent = ~std::uint32_t{0};

  static bool sameElements(const OpenBundle &a, const OpenBundle &b) {
    return a.set.array == b.set.array && a.set.arrayField == b.set.arrayField &&
           a.pattern == b.pattern &&
           (a.pattern.offsets == LanePattern::kAffine || a.offsets == b.offsets);
  }

  /// Joins the access to an open bundle of the same elements, or opens one. A store may alias what
  /// other bundles read, so it closes them; fields of one element are known to be apart.
  void place(const OpenBundle &access, trace::AccessKind kind) {
    std::size_t same = open_.size();
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (sameElements(open_[i], access) && open_[i].set.bytes == access.set.bytes &&
          open_[i].set.atomics == 0 && kind != trace::AccessKind::Atomic)
        same = i;
    // A store left its bundle alone, so what stands beside it came after the store.
    const bool strangers = kind != trace::AccessKind::Read && open_.size() > 1;
    if (kind != trace::AccessKind::Read && !open_.empty()) {
      for (std::size_t i = 0; i < open_.size(); ++i)
        if (i != same)
          emit(open_[i]);
      if (same < open_.size()) {
        std::swap(open_.front(), open_[same]);
        open_.resize(1);
        same = 0;
      } else {
        open_.clear();
      }
    }
    if (same < open_.size()) {
      OpenSet &set = open_[same].set;
      const std::uint64_t loaded = access.set.reads & ~(set.reads | set.writes | open_[same].held);
      if (loaded == 0 && access.set.writes == 0 && set.isEmpty())
        return; // in a register, of a region before
      if (loaded != 0 && set.registers + access.set.registers > nvcc13::kRegistersInFlight) {
        emit(open_[same]);
        open_[same] = access;
        return;
      }
      if (loaded != 0)
        set.registers += access.set.registers;
      if (set.writes != 0)
        set.lateReads |= loaded;
      set.storesApart = set.storesApart || (set.writes != 0 && strangers);
      if (set.isEmpty())
        open_[same].startsRegion = std::exchange(startsRegion_, false);
      // A value just stored is still in a register.
      set.reads |= loaded;
      set.writes |= access.set.writes;
      set.addSite(access.set.sites.front());
      return;
    }
    if (open_.size() == nvcc13::kOpenBundles) {
      emit(open_.front());
      open_.erase(open_.begin());
    }
    open_.push_back(access);
    open_.back().startsRegion = std::exchange(startsRegion_, false);
  }

  static bool isSame(const AccessSet &known, const OpenSet &set) {
    return known.array == set.array && known.bytes == set.bytes &&
           known.arrayField == set.arrayField && known.storesApart == set.storesApart &&
           known.reads == set.reads && known.writes == set.writes && known.atomics == set.atomics &&
           known.lateReads == set.lateReads &&
           std::equal(known.sites.begin(), known.sites.end(), set.sites.begin(),
                      set.sites.begin() + set.siteCount);
  }

  std::uint32_t intern(KernelStream &kernel, const OpenSet &set) {
    // What begins at a site mostly becomes the same set as the last time.
    std::uint32_t &last = facts_[set.sites.front()].lastSet;
    if (last < kernel.accessSets.size() && isSame(kernel.accessSets[last], set))
      return last;
    std::vector<std::uint32_t> &known = setIndex_[wave_.kernel][set.hash()];
    const auto found = std::ranges::find_if(
        known, [&](std::uint32_t index) { return isSame(kernel.accessSets[index], set); });
    if (found != known.end())
      return last = *found;
    known.push_back(static_cast<std::uint32_t>(kernel.accessSets.size()));
    kernel.accessSets.push_back(set.closed());
    kernel.bundles.push_back(0);
    return last = known.back();
  }

  void emit(const OpenBundle &bundle) {
    if (bundle.set.isEmpty())
      return;
    KernelStream &kernel = stream_.kernels[wave_.kernel];
    const std::uint32_t set = intern(kernel, bundle.set);
    ++kernel.bundles[set];
    Bundle &closed =
        wave_.warps.back().bundles.emplace_back(Bundle{bundle.pattern, set, bundle.startsRegion});
    waveBytes_ += sizeof closed;
    if (bundle.pattern.offsets == LanePattern::kAffine)
      return;
    closed.pattern.offsets = static_cast<std::uint32_t>(wave_.offsets.size());
    wave_.offsets.push_back(bundle.offsets);
    waveBytes_ += sizeof bundle.offsets;
  }

  void closeBundles() {
    for (const OpenBundle &bundle : open_)
      emit(bundle);
    open_.clear();
  }

  void closeWave() {
    if (!inWave_)
      return;
    closeBundles();
    take_(std::move(wave_), stream_);
    wave_ = {};
    waveBytes_ = 0;
    inWave_ = false;
  }

  const trace::Trace &trace_;
  const DecodeOptions &options_;
  const WaveSink &take_;
  AllocationMap allocations_;
  std::vector<SiteFacts> facts_;
  std::unordered_map<std::uint32_t, std::uint32_t> siteIndex_;
  std::map<std::pair<trace::Index, std::uint64_t>, std::uint32_t> arrayIndex_;
  std::map<std::pair<trace::Index, std::uint64_t>, std::uint64_t> phase_;
  /// By kernel: access sets by their hash.
  std::vector<std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>> setIndex_;
  std::vector<std::vector<std::uint64_t>> recorded_; ///< by kernel and site
  WarpStream stream_;
  Wave wave_;
  std::uint64_t waveBytes_ = 0;
  bool inWave_ = false;
  std::vector<OpenBundle> open_;
  std::uint32_t region_ = 0; ///< that is being executed; 0: not known
  std::uint64_t epoch_ = 1;  ///< regions entered so far
  bool startsRegion_ = false;
  OpenBundle next_;          ///< the access that is being decoded
  std::uint32_t lastId_ = 0; ///< the site that was looked up last
  std::uint32_t lastSite_ = trace::kNone;
};

} // namespace

std::uint64_t Wave::bytes() const {
  std::uint64_t total = offsets.size() * sizeof(offsets.front());
  for (const WarpRun &run : warps)
    total += sizeof run + run.bundles.size() * sizeof(Bundle);
  return total;
}

Result<WarpStream> forEachWave(const trace::Trace &trace, const trace::AccessSource &accesses,
                               const DecodeOptions &options, const WaveSink &take) {
  Decoder decoder(trace, options, take);
  const Result<void> read = accesses([&decoder](const trace::WarpAccess &access) {
    decoder.add(access);
    return true;
  });
  if (!read)
    return tl::unexpected(read.error());
  return decoder.finish();
}

} // namespace relayout::analysis
