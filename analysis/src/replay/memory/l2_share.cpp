// SPDX-License-Identifier: Apache-2.0
// An SM's part of L2.
#include "replay/memory/l2_share.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace relayout::analysis {
namespace {

unsigned countOf(unsigned sectors) { return static_cast<unsigned>(std::popcount(sectors)); }

unsigned granulesOf(unsigned sectors) {
  unsigned count = 0;
  for (unsigned g = 0; g < kGranulesALine; ++g)
    count += isInGranule(sectors, g) ? 1 : 0;
  return count;
}

} // namespace

L2Share::Known &L2Share::knownOf(std::uint64_t line) {
  Known &known = known_[line * 0xd6e8feb86659fd93u >>
                        (std::numeric_limits<std::uint64_t>::digits - kKnownBits)];
  if (known.line != line || known.launch != launch_) {
    known = {};
    known.line = line;
    known.launch = launch_;
  }
  return known;
}

L2Share::Way &L2Share::touch(std::uint64_t line, RefetchCounts &counts) {
  Set &set = sets_[(mixed(line) >> 36) * sets_.size() >> 28];
  auto way = std::ranges::find(set, line, &Way::line);
  if (way == set.end()) {
    --way;
    evict(*way, counts);
    *way = {};
    way->line = line;
  }
  std::rotate(set.begin(), way, way + 1);
  return set.front();
}

void L2Share::evict(const Way &way, RefetchCounts &counts) {
  unsigned written = 0;
  unsigned filled = 0;
  for (unsigned s = 0; s < kSectorsALine; ++s) {
    written |= (way.written[s] != 0 ? 1u : 0u) << s;
    filled |= (way.written[s] != 0 && way.written[s] < kSectorBytes ? 1u : 0u) << s;
  }
  if (written == 0)
    return;
  knownOf(way.line).writtenBack |= static_cast<std::uint8_t>(written);
  filled &= ~unsigned{way.valid};
  counts.filled += countOf(filled);
  counts.granules += granulesOf(filled);
}

void L2Share::readFollowed(std::uint64_t line, std::uint32_t sectors, RefetchCounts &counts) {
  Way &way = touch(line, counts);
  Known &known = knownOf(line);
  const unsigned first = sectors & ~unsigned{known.read};
  const unsigned fetched = sectors & ~unsigned{way.valid};
  counts.asked += countOf(sectors);
  counts.first += countOf(first);
  counts.fetched += countOf(fetched);
  known.read |= static_cast<std::uint8_t>(sectors);
  way.valid |= static_cast<std::uint8_t>(sectors);
}

void L2Share::writeFollowed(std::uint64_t line, std::uint32_t sectors, std::uint32_t bytes,
                            RefetchCounts &counts) {
  Way &way = touch(line, counts);
  Known &known = knownOf(line);
  const unsigned before = known.written;
  known.written |= static_cast<std::uint8_t>(sectors);
  counts.written += countOf(known.written) - countOf(before);
  counts.writtenGranules += granulesOf(known.written) - granulesOf(before);
  unsigned rewritten = 0;
  for (unsigned s = 0; s < kSectorsALine; ++s) {
    if ((sectors >> s & 1) == 0)
      continue;
    rewritten |= (way.written[s] == 0 ? 1u : 0u) << s;
    way.written[s] =
        static_cast<std::uint8_t>(std::min<std::uint32_t>(way.written[s] + bytes, kSectorBytes));
  }
  rewritten &= known.writtenBack;
  counts.rewritten += countOf(rewritten);
  counts.granules += granulesOf(rewritten);
}

} // namespace relayout::analysis
