// SPDX-License-Identifier: Apache-2.0
// Follows the outlines of functions, step by step.
#include "compiler_model/straight_line.h"

#include "compiler_model/slow_paths.h"
#include "relayout/analysis/compiler_model/nvcc13.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace relayout::analysis {
namespace {

namespace code = trace::code;

struct Unrolling {
  std::uint32_t iterations = 1;
  bool isWhole = false; ///< all there are: nothing is left of the loop
};

/// \param isStraight  no iteration has a branch in it
Unrolling unrollingOf(const code::Loop &loop, bool isStraight) {
  if (!isStraight || loop.pragma == 1u)
    return {};
  if (loop.trips && (loop.pragma ? *loop.pragma >= *loop.trips : *loop.trips <= nvcc13::kMostWhole))
    return {std::max(*loop.trips, 1u), true};
  const bool hasNumber = loop.pragma && *loop.pragma != code::kUnrollAll;
  return {hasNumber ? *loop.pragma : nvcc13::kUnrolled, false};
}

/// Follows one outline. Each step has an overload.
class OutlineFollower {
public:
  /// \param isStraight  by outline, of those before this one
  OutlineFollower(const trace::CodeOutline &outline, const std::vector<bool> &isStraight,
                  std::uint32_t &regions, ProgramCode &program)
      : outline_(outline), isStraight_(isStraight), regions_(regions), program_(program),
        region_(++regions) {}

  /// \returns whether there is no branch in it
  bool follow() {
    for (const code::Step &step : outline_.steps)
      std::visit(*this, step);
    const bool isStraight = boundaries_ == 0;
    // A function without branches is inlined into its callers' regions.
    for (const auto &[site, region] : walkedIn_)
      program_.regions[site] = isStraight && !outline_.isKernel ? 0 : wholeOf(region);
    return isStraight;
  }

  void operator()(const code::Access &access) { walkedIn_.emplace_back(access.site, region_); }
  void operator()(const code::Loop &loop) {
    const Place around = here();
    endRegion();
    open_.push_back({around, here(), &loop});
  }
  void operator()(const code::LoopEnd &) {
    const Open opened = open_.back();
    open_.pop_back();
    const Unrolling unrolling = unrollingOf(*opened.loop, boundaries_ == opened.inside.boundaries);
    set(opened.loop->loop, unrolling);
    if (!unrolling.isWhole)
      return endRegion();
    partOf_[opened.inside.region] = opened.around.region;
    goBackTo(opened.around);
  }
  void operator()(const code::SingleTrip &loop) { set(loop.loop, {1, true}); }
  void operator()(const code::Branch &branch) {
    const bool isPredicated =
        !branch.readsMemory && !branch.jumps && branch.nodes <= nvcc13::kMostPredicated;
    endIf(!isPredicated);
  }
  void operator()(const code::Jump &) { endRegion(); }
  void operator()(const code::Divide &division) { endIf(hasSlowPath(division, outline_.math)); }
  void operator()(const code::LibraryCall &call) { endIf(hasSlowPath(call, outline_.math)); }
  void operator()(const code::Call &call) {
    endIf(call.outline == trace::kNone || !isStraight_[call.outline]);
  }
  // Of the regions that begin in what never runs nothing is left behind it.
  void operator()(const code::Unreachable &) { open_.push_back({here(), here(), nullptr}); }
  void operator()(const code::UnreachableEnd &) {
    goBackTo(open_.back().around);
    open_.pop_back();
  }

private:
  struct Place {
    std::uint32_t region = 0;
    std::uint32_t boundaries = 0; ///< between regions so far
  };
  struct Open {
    Place around;
    Place inside;
    const code::Loop *loop = nullptr; ///< null: what never runs
  };

  [[nodiscard]] Place here() const { return {region_, boundaries_}; }
  void goBackTo(const Place &place) {
    region_ = place.region;
    boundaries_ = place.boundaries;
  }

  /// What comes is not scheduled together with what was.
  void endRegion() {
    region_ = ++regions_;
    ++boundaries_;
  }
  void endIf(bool ends) {
    if (ends)
      endRegion();
  }

  void set(trace::Index loop, const Unrolling &unrolling) {
    if (loop == trace::kNone)
      return;
    program_.loops[loop].unrolled = unrolling.iterations;
    program_.loops[loop].isUnrolledWhole = unrolling.isWhole;
  }

  [[nodiscard]] std::uint32_t wholeOf(std::uint32_t region) const {
    for (auto whole = partOf_.find(region); whole != partOf_.end(); whole = partOf_.find(region))
      region = whole->second;
    return region;
  }

  const trace::CodeOutline &outline_;
  const std::vector<bool> &isStraight_;
  std::uint32_t &regions_;
  ProgramCode &program_;
  std::uint32_t region_ = 0;
  std::uint32_t boundaries_ = 0;
  std::vector<Open> open_;
  std::map<std::uint32_t, std::uint32_t> partOf_; ///< regions that turned out to be part of others
  std::vector<std::pair<trace::Index, std::uint32_t>> walkedIn_;
};

} // namespace

void findStraightLineCode(const std::vector<trace::CodeOutline> &outlines, ProgramCode &code) {
  std::uint32_t regions = 0;
  std::vector<bool> isStraight;
  isStraight.reserve(outlines.size());
  for (const trace::CodeOutline &outline : outlines)
    isStraight.push_back(OutlineFollower(outline, isStraight, regions, code).follow());
}

} // namespace relayout::analysis
