// SPDX-License-Identifier: Apache-2.0
// Bundles by element, region and aliasing store.
#include "replay/stream/bundle_builder.h"

#include "relayout/analysis/compiler_model/nvcc13.h"

#include <algorithm>
#include <utility>

namespace relayout::analysis {
namespace {

bool sameElements(const OpenBundle &a, const OpenBundle &b) {
  return a.set.array == b.set.array && a.set.arrayField == b.set.arrayField &&
         a.pattern == b.pattern &&
         (a.pattern.offsets == LanePattern::kAffine || a.offsets == b.offsets);
}

} // namespace

void BundleBuilder::beginWarp() {
  closeBundles();
  region_ = 0;
  startsRegion_ = false;
  ++epoch_;
}

void BundleBuilder::add(const OpenBundle &access, SiteFacts &site) {
  follow(site);
  place(access, site.kind);
}

/// Ends the region that is being executed where the access is of another one, or of another
/// iteration.
void BundleBuilder::follow(SiteFacts &facts) {
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
void BundleBuilder::endRegion() {
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

/// Joins the access to an open bundle of the same elements, or opens one. A store may alias what
/// other bundles read, so it closes them; fields of one element are known to be apart.
void BundleBuilder::place(const OpenBundle &access, trace::AccessKind kind) {
  std::size_t same = findSame(access, kind);
  // A store left its bundle alone, so what stands beside it came after the store.
  const bool strangers = kind != trace::AccessKind::Read && open_.size() > 1;
  if (kind != trace::AccessKind::Read)
    same = closeOthers(same);
  if (same < open_.size())
    join(open_[same], access, strangers);
  else
    open(access);
}

/// \returns  the last open bundle of the same elements; open_.size() where there is none
std::size_t BundleBuilder::findSame(const OpenBundle &access, trace::AccessKind kind) const {
  std::size_t same = open_.size();
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (sameElements(open_[i], access) && open_[i].set.bytes == access.set.bytes &&
        open_[i].set.atomics == 0 && kind != trace::AccessKind::Atomic)
      same = i;
  return same;
}

/// \returns  where the bundle is now
std::size_t BundleBuilder::closeOthers(std::size_t same) {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (i != same)
      emit(open_[i]);
  if (same >= open_.size()) {
    open_.clear();
    return 0;
  }
  std::swap(open_.front(), open_[same]);
  open_.resize(1);
  return 0;
}

void BundleBuilder::join(OpenBundle &open, const OpenBundle &access, bool strangers) {
  OpenSet &set = open.set;
  const std::uint64_t loaded = access.set.reads & ~(set.reads | set.writes | open.held);
  if (loaded == 0 && access.set.writes == 0 && set.isEmpty())
    return; // in a register, of a region before
  if (loaded != 0 && set.registers + access.set.registers > nvcc13::kRegistersInFlight) {
    emit(open);
    open = access;
    return;
  }
  if (loaded != 0)
    set.registers += access.set.registers;
  if (set.writes != 0 && loaded != 0) {
    set.lateWaits += set.lateReads == 0 || set.hasStored ? 1 : 0;
    set.lateReads |= loaded;
    set.hasStored = false;
  }
  set.hasStored |= access.set.writes != 0;
  set.storesApart = set.storesApart || (set.writes != 0 && strangers);
  if (set.isEmpty())
    open.startsRegion = std::exchange(startsRegion_, false);
  // A value just stored is still in a register.
  set.reads |= loaded;
  set.writes |= access.set.writes;
  set.addSite(access.set.sites.front());
}

void BundleBuilder::open(const OpenBundle &access) {
  if (open_.size() == nvcc13::kOpenBundles) {
    emit(open_.front());
    open_.erase(open_.begin());
  }
  open_.push_back(access);
  open_.back().startsRegion = std::exchange(startsRegion_, false);
}

void BundleBuilder::emit(const OpenBundle &bundle) {
  if (bundle.set.isEmpty())
    return;
  Wave &wave = growing_.wave;
  KernelStream &kernel = kernels_[wave.kernel];
  const std::uint32_t set = sets_.intern(wave.kernel, bundle.set, facts_[bundle.set.sites.front()]);
  ++kernel.bundles[set];
  Bundle &closed =
      wave.warps.back().bundles.emplace_back(Bundle{bundle.pattern, set, bundle.startsRegion});
  growing_.bytes += sizeof closed;
  if (bundle.pattern.offsets == LanePattern::kAffine)
    return;
  closed.pattern.offsets = static_cast<std::uint32_t>(wave.offsets.size());
  wave.offsets.push_back(bundle.offsets);
  growing_.bytes += sizeof bundle.offsets;
}

void BundleBuilder::closeBundles() {
  for (const OpenBundle &bundle : open_)
    emit(bundle);
  open_.clear();
}

} // namespace relayout::analysis
