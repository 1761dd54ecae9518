// SPDX-License-Identifier: Apache-2.0
// Decodes recorded warp accesses into waves of bundles of fields of elements.
#include "relayout/analysis/replay/stream/warp_stream.h"

#include "replay/stream/array_finder.h"
#include "replay/stream/bundle_builder.h"
#include "replay/stream/lane_mapping.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace relayout::analysis {
namespace {

WarpStream emptyStream(const trace::Trace &trace) {
  WarpStream stream;
  stream.code = codeOf(trace.sites);
  stream.kernels.resize(trace.kernels.size());
  for (const trace::Record &record : trace.sites.records)
    stream.leaves.push_back(leavesOf(record));
  return stream;
}

class Decoder {
public:
  Decoder(const trace::Trace &trace, const DecodeOptions &options, const WaveSink &take)
      : trace_(trace), options_(options), take_(take), stream_(emptyStream(trace)),
        facts_(siteFacts(trace.sites, stream_.code, stream_.leaves)),
        arrays_(trace.allocations, stream_.arrays), bundles_(stream_.kernels, facts_, growing_),
        recorded_(trace.kernels.size(), std::vector<std::uint64_t>(trace.sites.sites.size())) {
    for (trace::Index i = 0; i < trace.sites.sites.size(); ++i)
      siteIndex_.emplace(trace.sites.sites[i].id, i);
  }

  void add(const trace::WarpAccess &access) {
    const std::uint32_t site = siteOf(access.site);
    if (site == trace::kNone || access.activeMask == 0 || access.launch >= trace_.launches.size()) {
      ++stream_.unmapped;
      return;
    }
    enter(access);
    if (!addLanes(access, site) && !addByArray(access, site)) {
      ++stream_.unmapped;
      return;
    }
    ++stream_.mapped;
    ++growing_.wave.warpAccesses;
    ++recorded_[growing_.wave.kernel][site];
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
  /// \returns  false where they are not in one array
  bool addLanes(const trace::WarpAccess &access, std::uint32_t site) {
    next_.pattern = {};
    next_.set = {};
    next_.held = 0;
    next_.startsRegion = false;
    SiteFacts *facts = &factsOf(site, access);
    if (!isMapped(access, site, *facts)) {
      facts = factsByAddress(site, access);
      if (facts == nullptr || !isMapped(access, site, *facts))
        return false;
    }
    bundles_.add(next_, *facts);
    return true;
  }

  /// Lanes that choose between arrays, `(isNear ? a : b)[i].x`, access each of them.
  /// \returns  false where no lane is in an array
  bool addByArray(trace::WarpAccess access, std::uint32_t site) {
    std::uint32_t left = access.activeMask;
    if (arrays_.inOneAllocation(access.addresses, left) == left)
      return false;
    access.isAffine = false;
    bool isMapped = false;
    for (; left != 0; left &= ~access.activeMask) {
      access.activeMask = arrays_.inOneAllocation(access.addresses, left);
      isMapped |= addLanes(access, site);
    }
    return isMapped;
  }

  [[nodiscard]] std::uint32_t siteOf(std::uint32_t id) {
    if (id != lastId_) {
      const auto found = siteIndex_.find(id);
      lastId_ = id;
      lastSite_ = found == siteIndex_.end() ? trace::kNone : found->second;
    }
    return lastSite_;
  }

  static std::uint64_t anyAddressOf(const trace::WarpAccess &access) {
    return access.addresses[static_cast<unsigned>(std::countr_zero(access.activeMask))];
  }

  /// The site's, or where the allocation says that the access is to another group: what they are
  /// there.
  SiteFacts &factsOf(std::uint32_t index, const trace::WarpAccess &access) {
    SiteFacts &facts = facts_[index];
    if (!facts.isOfSeveralGroups && isInRange(access, facts))
      return facts;
    const trace::SiteTable &table = trace_.sites;
    const trace::Index group = arrays_.groupAt(anyAddressOf(access));
    if (group >= table.groups.size())
      return facts;
    if (table.groups[group].record == facts.record)
      return facts.isOfSeveralGroups ? factsIn(index, group, table.sites[index].field) : facts;
    SiteFacts *const ofField = factsByAddress(index, access);
    return ofField == nullptr ? facts : *ofField;
  }

  SiteFacts &factsIn(std::uint32_t index, trace::Index group, trace::Index field) {
    const auto [known, isNew] = factsInGroup_.try_emplace({index, group, field});
    if (isNew) {
      const trace::Index record = trace_.sites.groups[group].record;
      known->second = inGroup(facts_[index], trace_.sites, group, field, stream_.leaves[record]);
    }
    return known->second;
  }

  /// A function that is given the address of a field, or a reference to it, or that returns one,
  /// does not say whose field is accessed; where it lies in its element does. Nor does a template
  /// that is instantiated for arrays of several types.
  SiteFacts *factsByAddress(std::uint32_t index, const trace::WarpAccess &access) {
    const trace::SiteTable &table = trace_.sites;
    const std::uint64_t address = anyAddressOf(access);
    const trace::Index group = arrays_.groupAt(address);
    if (group >= table.groups.size())
      return nullptr;
    const trace::Record &record = table.records[table.groups[group].record];
    const bool isPlain = record.fields.size() < 2 && record.place.file.empty();
    const bool isOfTemplate =
        table.sites[index].record != trace::kNone && access.bytes == record.bytes;
    if ((isPlain && !isOfTemplate) || stream_.leaves[table.groups[group].record].leaves.empty())
      return nullptr;
    const std::uint64_t within = arrays_.withinRecord(group, record.bytes, address);
    const auto field = std::ranges::find_if(record.fields, [&](const trace::Field &candidate) {
      return within >= candidate.offset &&
             within + access.bytes <= candidate.offset + candidate.bytes;
    });
    return field == record.fields.end()
               ? nullptr
               : &factsIn(index, group, static_cast<trace::Index>(field - record.fields.begin()));
  }

  bool isMapped(const trace::WarpAccess &access, std::uint32_t site, SiteFacts &facts) {
    return locate(access, facts) && mapLanes(access, site, facts, next_);
  }

  static bool isInRange(const trace::WarpAccess &access, const SiteFacts &facts) {
    const std::uint64_t anyAddress = anyAddressOf(access);
    return facts.range != nullptr && anyAddress >= facts.range->begin &&
           anyAddress < facts.range->end;
  }

  /// The site's last array, or another one if the access is not there.
  bool locate(const trace::WarpAccess &access, SiteFacts &facts) {
    return isInRange(access, facts) || arrays_.locate(facts, anyAddressOf(access));
  }

  /// Makes the access's launch, block and warp the current ones.
  void enter(const trace::WarpAccess &access) {
    Wave &wave = growing_.wave;
    if (!growing_.isOpen || access.launch != wave.launch ||
        growing_.bytes > options_.maxWaveBytes) {
      closeWave();
      wave.launch = access.launch;
      wave.kernel = trace_.launches[access.launch].kernel;
      growing_.isOpen = true;
    }
    if (wave.warps.empty() || wave.warps.back().block != access.block ||
        wave.warps.back().warp != access.warp) {
      bundles_.beginWarp();
      wave.warps.push_back({access.block, access.warp, {}});
      growing_.bytes += sizeof(WarpRun);
    }
  }

  void closeWave() {
    if (!growing_.isOpen)
      return;
    bundles_.closeBundles();
    take_(std::move(growing_.wave), stream_);
    growing_ = {};
  }

  const trace::Trace &trace_;
  const DecodeOptions &options_;
  const WaveSink &take_;
  WarpStream stream_;
  std::vector<SiteFacts> facts_; ///< by site
  /// By site, group and field.
  std::map<std::tuple<std::uint32_t, trace::Index, trace::Index>, SiteFacts> factsInGroup_;
  ArrayFinder arrays_;
  GrowingWave growing_;
  BundleBuilder bundles_;
  std::vector<std::vector<std::uint64_t>> recorded_; ///< by kernel and site
  std::unordered_map<std::uint32_t, std::uint32_t> siteIndex_;
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
