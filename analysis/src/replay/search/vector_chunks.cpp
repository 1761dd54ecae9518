// SPDX-License-Identifier: Apache-2.0
// Packs fields into chunks, those of one use first.
#include "replay/search/vector_chunks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace relayout::analysis {
namespace {

class ChunkPacking {
public:
  ChunkPacking(const SearchSpace &space, std::uint32_t bytes)
      : fields_(space.fields), uses_(space.mainUses), bytes_(bytes) {}

  Partition pack(bool isDense) {
    for (const std::vector<std::uint32_t> &alike : usedAlike())
      cut(alike);
    // The largest rests first, as each needs the most room.
    std::ranges::stable_sort(rests_, std::ranges::greater{},
                             [this](const Part &part) { return bytesOf(part); });
    for (Part &rest : rests_)
      fillUp(std::move(rest));
    while (isDense && open_.size() > 1 && spreadSmallest()) {
    }
    chunks_.insert(chunks_.end(), open_.begin(), open_.end());
    return std::move(chunks_);
  }

private:
  /// Fields by the main uses that they are of, the most frequent first.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> usedAlike() const {
    std::map<std::vector<bool>, std::vector<std::uint32_t>, std::greater<>> alike;
    for (std::uint32_t f = 0; f < fields_.size(); ++f) {
      std::vector<bool> usedBy;
      for (const std::uint64_t use : uses_)
        usedBy.push_back((use >> f & 1) != 0);
      alike[usedBy].push_back(f);
    }
    std::vector<std::vector<std::uint32_t>> sets;
    for (auto &[usedBy, set] : alike)
      sets.push_back(std::move(set));
    return sets;
  }

  /// The widest fields first, so that none is across two vectors.
  void cut(std::vector<std::uint32_t> set) {
    std::ranges::stable_sort(set, std::ranges::greater{},
                             [this](std::uint32_t f) { return fields_[f].alignment; });
    Part chunk;
    for (const std::uint32_t f : set) {
      if (fields_[f].count > 1 || fields_[f].bytes > bytes_) {
        chunks_.push_back({{f}, false});
        continue;
      }
      if (bytesOf(chunk) + fields_[f].bytes > bytes_)
        chunks_.push_back(std::exchange(chunk, {}));
      chunk.fields.push_back(f);
    }
    if (!chunk.fields.empty())
      (bytesOf(chunk) == bytes_ ? chunks_ : rests_).push_back(std::move(chunk));
  }

  void fillUp(Part rest) {
    const auto room = std::ranges::find_if(open_, [&](const Part &other) {
      return bytesOf(other) + bytesOf(rest) <= bytes_ && areUsedTogether(other, rest);
    });
    if (room == open_.end())
      open_.push_back(std::move(rest));
    else
      room->fields.insert(room->fields.end(), rest.fields.begin(), rest.fields.end());
  }

  /// Gives the fields of the smallest chunk to others that have room.
  /// \returns  false, and changes nothing, where they have not
  bool spreadSmallest() {
    Partition others = open_;
    const auto smallest = std::ranges::min_element(
        others, {}, [this](const Part &part) { return isUsed(part) ? bytesOf(part) : bytes_; });
    const Part given = std::move(*smallest);
    if (!isUsed(given))
      return false;
    others.erase(smallest);
    for (const std::uint32_t f : given.fields) {
      const auto room = std::ranges::find_if(others, [&](const Part &part) {
        return isUsed(part) && bytesOf(part) + fields_[f].bytes <= bytes_;
      });
      if (room == others.end())
        return false;
      room->fields.push_back(f);
    }
    open_ = std::move(others);
    return true;
  }

  [[nodiscard]] bool isUsed(const Part &part) const {
    return std::ranges::any_of(
        uses_, [&part](std::uint64_t use) { return (use >> part.fields.front() & 1) != 0; });
  }

  [[nodiscard]] bool areUsedTogether(const Part &a, const Part &b) const {
    return std::ranges::any_of(uses_, [&](std::uint64_t use) {
      const auto isUsed = [use](std::uint32_t f) { return (use >> f & 1) != 0; };
      return std::ranges::any_of(a.fields, isUsed) && std::ranges::any_of(b.fields, isUsed);
    });
  }

  [[nodiscard]] std::uint32_t bytesOf(const Part &part) const {
    std::uint32_t bytes = 0;
    for (const std::uint32_t f : part.fields)
      bytes += fields_[f].bytes;
    return bytes;
  }

  const std::vector<LayoutField> &fields_;
  const std::vector<std::uint64_t> &uses_;
  std::uint32_t bytes_;
  Partition chunks_; ///< full, or of a field that is no part of a vector
  Partition rests_;
  Partition open_; ///< made of rests
};

} // namespace

Partition vectorChunks(const SearchSpace &space, std::uint32_t bytes, bool isDense) {
  Partition chunks = ChunkPacking(space, bytes).pack(isDense);
  const bool isWorthTrying = chunks.size() > 1 && chunks.size() < space.fields.size();
  return isWorthTrying ? chunks : Partition{};
}

} // namespace relayout::analysis
