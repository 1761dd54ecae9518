// SPDX-License-Identifier: Apache-2.0
// cuRAND on the CPU executor: in which order the host API takes draws from a generator's sequences.
// Seen in cuRAND 10.4 on a GPU.
#pragma once

#include "relayout/random/distributions.h"

#include <cstddef>
#include <vector>

namespace relayout::random {

/// XORWOW and MRG32k3a: each value, or pair of normals, comes from the next of `count` sequences,
/// every one of which keeps its own state.
template <class State, std::size_t count> class InterleavedSequences {
public:
  static constexpr bool kNormalsComeInPairs = true;

  /// \param offset  draws of 32 bits to leave out
  InterleavedSequences(unsigned long long seed, unsigned long long offset)
      : states_(count), next_(offset % count) {
    curand_init(seed, 0, 0, &states_[0]);
    for (std::size_t i = 1; i < count; ++i) {
      states_[i] = states_[i - 1];
      skipToNextSequence(states_[i]);
    }
    if (offset > 0)
      for (std::size_t i = 0; i < count; ++i)
        skipahead(offset / count + (i < next_ ? 1 : 0), &states_[i]);
  }

  unsigned int bits() { return curand(take()); }
  float uniform() { return curand_uniform(take()); }
  double uniformDouble() { return curand_uniform_double(take()); }
  float2 normals() { return curand_normal2(take()); }
  double2 normalsDouble() { return curand_normal2_double(take()); }

private:
  State *take() {
    State *const state = &states_[next_];
    next_ = next_ + 1 == count ? 0 : next_ + 1;
    return state;
  }
  static void skipToNextSequence(curandStateXORWOW_t &state) { skipahead_sequence(1, &state); }
  static void skipToNextSequence(curandStateMRG32k3a_t &state) { skipahead_subsequence(1, &state); }

  std::vector<State> states_;
  std::size_t next_;
};
using XorwowSequences = InterleavedSequences<curandStateXORWOW_t, 4096>;
using MrgSequences = InterleavedSequences<curandStateMRG32k3a_t, 81920>;

/// Philox: four values from each of 65,536 sequences in turn. Four 32-bit values take one block of
/// the sequence, four doubles take two; the last of the four says how many.
class PhiloxSequences {
public:
  static constexpr bool kNormalsComeInPairs = false;

  /// \param offset  values to leave out
  PhiloxSequences(unsigned long long seed, unsigned long long offset)
      : key_{static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32)}, next_(offset),
        taken_(kSequences, offset / 4 / kSequences) {
    for (std::size_t i = 0; i < offset / 4 % kSequences; ++i)
      ++taken_[i];
  }

  unsigned int bits() {
    const unsigned int word = wordOf(block(0), next_ % 4);
    countOne(1);
    return word;
  }
  float uniform() { return random::uniform(bits()); }
  double uniformDouble() {
    const uint4 words = block(next_ % 4 / 2);
    const double value = next_ % 2 == 0 ? random::uniformDouble(words.x, words.y)
                                        : random::uniformDouble(words.z, words.w);
    countOne(2);
    return value;
  }
  float normal() {
    const uint4 words = block(0);
    const float2 pair = next_ % 4 < 2 ? normalPair(words.x, words.y) : normalPair(words.z, words.w);
    const float value = next_ % 2 == 0 ? pair.x : pair.y;
    countOne(1);
    return value;
  }
  double normalDouble() {
    const uint4 words = block(next_ % 4 / 2);
    const double2 pair = normalPairDouble(words.x, words.y, words.z, words.w);
    const double value = next_ % 2 == 0 ? pair.x : pair.y;
    countOne(2);
    return value;
  }

private:
  static constexpr std::size_t kSequences = 65536;

  [[nodiscard]] std::size_t sequence() const { return next_ / 4 % kSequences; }

  /// Of the next value's sequence, `index` blocks after what is taken.
  const uint4 &block(unsigned long long index) {
    uint4 counter{};
    advance(counter, taken_[sequence()] + index, sequence());
    if (!isLoaded_ || counter.x != counter_.x || counter.y != counter_.y ||
        counter.z != counter_.z || counter.w != counter_.w) {
      block_ = philoxBlock(counter, key_);
      counter_ = counter;
      isLoaded_ = true;
    }
    return block_;
  }

  void countOne(unsigned int blocksOfFour) {
    if (next_ % 4 == 3)
      taken_[sequence()] += blocksOfFour;
    ++next_;
  }

  uint2 key_;
  unsigned long long next_;
  std::vector<unsigned long long> taken_; ///< blocks of each sequence
  uint4 counter_{};
  uint4 block_{};
  bool isLoaded_ = false;
};

} // namespace relayout::random
