// SPDX-License-Identifier: Apache-2.0
// Compares two texts line by line: see the header.
#include "relayout/instrument/text_changes.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace relayout::instrument {
namespace {

using LineSpan = std::span<const std::string_view>;
using EditScript = std::vector<LineOp>;

/// Edits up to which the shortest script is looked for.
constexpr long kMostEdits = 1024;

/// A shortest edit script (Myers 1986, the greedy form, with its trace kept for the way back), or
/// nothing if it has more than kMostEdits edits.
class ShortestScript {
public:
  ShortestScript(LineSpan before, LineSpan after)
      : before_(before), after_(after), most_(std::min(size(before) + size(after), kMostEdits)),
        reach_(2 * most_ + 2, 0) {}

  std::optional<EditScript> find() {
    for (long d = 0; d <= most_; ++d) {
      // Row d holds diagonals -d..d as they stand before round d.
      trace_.emplace_back(reach_.begin() + (most_ - d), reach_.begin() + (most_ + d + 1));
      if (reachesEnd(d))
        return wayBack();
    }
    return std::nullopt;
  }

private:
  static long size(LineSpan lines) { return static_cast<long>(lines.size()); }
  long &reach(long diagonal) { return reach_[diagonal + most_]; }

  bool reachesEnd(long d) {
    for (long k = -d; k <= d; k += 2) {
      const bool isAdded = k == -d || (k != d && reach(k - 1) < reach(k + 1));
      long x = isAdded ? reach(k + 1) : reach(k - 1) + 1;
      while (x < size(before_) && x - k < size(after_) && before_[x] == after_[x - k])
        ++x;
      reach(k) = x;
      if (x >= size(before_) && x - k >= size(after_))
        return true;
    }
    return false;
  }

  [[nodiscard]] EditScript wayBack() const {
    EditScript script;
    long x = size(before_);
    long y = size(after_);
    for (long d = static_cast<long>(trace_.size()) - 1; d >= 0; --d) {
      const auto past = [&](long k) { return trace_[d][k + d]; };
      const long k = x - y;
      long fromK = k;
      if (d > 0)
        fromK = k == -d || (k != d && past(k - 1) < past(k + 1)) ? k + 1 : k - 1;
      const long fromX = d > 0 ? past(fromK) : 0;
      const long fromY = d > 0 ? fromX - fromK : 0;
      while (x > fromX && y > fromY) {
        script.push_back(LineOp::Keep);
        --x, --y;
      }
      if (d > 0) {
        script.push_back(x == fromX ? LineOp::Add : LineOp::Remove);
        x = fromX;
        y = fromY;
      }
    }
    std::ranges::reverse(script);
    return script;
  }

  LineSpan before_, after_;
  long most_;
  std::vector<long> reach_;
  std::vector<std::vector<long>> trace_;
};

using Anchor = std::pair<std::size_t, std::size_t>; // index before, index after

/// LineSpan that occur once on either side, as many as keep their order.
std::vector<Anchor> anchors(LineSpan before, LineSpan after) {
  struct Occurrences {
    std::size_t countBefore = 0, countAfter = 0, indexBefore = 0;
  };
  std::unordered_map<std::string_view, Occurrences> seen;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Occurrences &line = seen[before[i]];
    ++line.countBefore;
    line.indexBefore = i;
  }
  for (const std::string_view line : after)
    ++seen[line].countAfter;
  std::vector<Anchor> common; // in the order of `after`
  for (std::size_t i = 0; i < after.size(); ++i)
    if (const Occurrences &line = seen[after[i]]; line.countBefore == 1 && line.countAfter == 1)
      common.emplace_back(line.indexBefore, i);
  // The longest increasing subsequence of the first indices, by patience sorting.
  std::vector<std::size_t> piles, previous(common.size());
  for (std::size_t i = 0; i < common.size(); ++i) {
    const auto pile = std::ranges::lower_bound(piles, common[i].first, {},
                                               [&](std::size_t top) { return common[top].first; });
    previous[i] = pile == piles.begin() ? i : *(pile - 1);
    if (pile == piles.end())
      piles.push_back(i);
    else
      *pile = i;
  }
  std::vector<Anchor> chain;
  if (!piles.empty())
    for (std::size_t i = piles.back();; i = previous[i]) {
      chain.push_back(common[i]);
      if (previous[i] == i)
        break;
    }
  std::ranges::reverse(chain);
  return chain;
}

void compare(LineSpan before, LineSpan after, EditScript &script) {
  std::size_t tail = 0;
  while (!before.empty() && !after.empty() && before.front() == after.front()) {
    script.push_back(LineOp::Keep);
    before = before.subspan(1);
    after = after.subspan(1);
  }
  while (!before.empty() && !after.empty() && before.back() == after.back()) {
    ++tail;
    before = before.first(before.size() - 1);
    after = after.first(after.size() - 1);
  }
  if (const auto shortest = ShortestScript(before, after).find()) {
    script.insert(script.end(), shortest->begin(), shortest->end());
  } else {
    std::size_t fromBefore = 0, fromAfter = 0;
    for (const auto &[i, j] : anchors(before, after)) {
      compare(before.subspan(fromBefore, i - fromBefore), after.subspan(fromAfter, j - fromAfter),
              script);
      script.push_back(LineOp::Keep);
      fromBefore = i + 1;
      fromAfter = j + 1;
    }
    if (fromBefore == 0) { // nothing to hold on to
      script.insert(script.end(), before.size(), LineOp::Remove);
      script.insert(script.end(), after.size(), LineOp::Add);
    } else {
      compare(before.subspan(fromBefore), after.subspan(fromAfter), script);
    }
  }
  script.insert(script.end(), tail, LineOp::Keep);
}

} // namespace

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::vector<LineOp> editScript(const std::vector<std::string_view> &before,
                               const std::vector<std::string_view> &after) {
  EditScript script;
  compare(before, after, script);
  return script;
}

std::vector<TextChange> textChanges(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> from = splitLines(before);
  const std::vector<std::string_view> to = splitLines(after);
  std::vector<TextChange> changes;
  std::size_t offset = 0, oldLine = 0, newLine = 0;
  bool isOpen = false;
  for (const LineOp op : editScript(from, to)) {
    if (op != LineOp::Keep && !isOpen)
      changes.push_back({offset, 0, {}});
    isOpen = op != LineOp::Keep;
    if (op == LineOp::Add)
      changes.back().text += to[newLine];
    if (op == LineOp::Remove)
      changes.back().length += from[oldLine].size();
    if (op != LineOp::Add)
      offset += from[oldLine++].size();
    if (op != LineOp::Remove)
      ++newLine;
  }
  return changes;
}

} // namespace relayout::instrument
