// SPDX-License-Identifier: Apache-2.0
// Executor: what shuffles, votes, matches and reductions give each lane.
#include "warp_operations.h"

#include "lanes.h"

#include <algorithm>
#include <bit>

namespace relayout::host {
namespace {

using detail::WarpOperation;

std::uint32_t combine(WarpOperation operation, std::uint32_t a, std::uint32_t b) {
  const auto signedA = static_cast<std::int32_t>(a);
  const auto signedB = static_cast<std::int32_t>(b);
  switch (operation) {
  case WarpOperation::AddSigned:
  case WarpOperation::AddUnsigned:
    return a + b;
  case WarpOperation::MinSigned:
    return static_cast<std::uint32_t>(std::min(signedA, signedB));
  case WarpOperation::MaxSigned:
    return static_cast<std::uint32_t>(std::max(signedA, signedB));
  case WarpOperation::MinUnsigned:
    return std::min(a, b);
  case WarpOperation::MaxUnsigned:
    return std::max(a, b);
  case WarpOperation::And:
    return a & b;
  case WarpOperation::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

} // namespace

void perform(WarpOperation operation, std::uint32_t lanes, LaneExchange *(&exchanges)[32]) {
  const auto giveAll = [&](std::uint64_t result) {
    forEachLane(lanes, [&](std::uint32_t lane) { exchanges[lane]->result = result; });
  };
  const std::uint64_t first = exchanges[std::countr_zero(lanes)]->value;
  std::uint32_t votes = 0;
  bool equal = true;
  forEachLane(lanes, [&](std::uint32_t lane) {
    votes |= exchanges[lane]->value != 0 ? 1u << lane : 0;
    equal = equal && exchanges[lane]->value == first;
  });
  switch (operation) {
  case WarpOperation::Sync:
    return;
  case WarpOperation::Ballot:
    return giveAll(votes);
  case WarpOperation::All:
    return giveAll(votes == lanes);
  case WarpOperation::Any:
    return giveAll(votes != 0);
  case WarpOperation::MatchAll:
    return giveAll(equal ? lanes : 0);
  case WarpOperation::Shuffle:
    // From a lane that takes no part CUDA promises nothing; the lane keeps its own value.
    forEachLane(lanes, [&](std::uint32_t lane) {
      const std::uint32_t source = exchanges[lane]->source & 31;
      exchanges[lane]->result = exchanges[(lanes >> source & 1) != 0 ? source : lane]->value;
    });
    return;
  case WarpOperation::MatchAny:
    forEachLane(lanes, [&](std::uint32_t lane) {
      std::uint32_t same = 0;
      forEachLane(lanes, [&](std::uint32_t other) {
        same |= exchanges[other]->value == exchanges[lane]->value ? 1u << other : 0;
      });
      exchanges[lane]->result = same;
    });
    return;
  default:
    break;
  }
  auto total = static_cast<std::uint32_t>(first);
  forEachLane(lanes & (lanes - 1), [&](std::uint32_t lane) {
    total = combine(operation, total, static_cast<std::uint32_t>(exchanges[lane]->value));
  });
  giveAll(total);
}

const char *operationName(WarpOperation operation) {
  switch (operation) {
  case WarpOperation::Sync:
    return "__syncwarp";
  case WarpOperation::Ballot:
    return "__ballot_sync";
  case WarpOperation::All:
    return "__all_sync";
  case WarpOperation::Any:
    return "__any_sync";
  case WarpOperation::Shuffle:
    return "__shfl_sync";
  case WarpOperation::MatchAny:
    return "__match_any_sync";
  case WarpOperation::MatchAll:
    return "__match_all_sync";
  default:
    return "__reduce_sync";
  }
}

} // namespace relayout::host
