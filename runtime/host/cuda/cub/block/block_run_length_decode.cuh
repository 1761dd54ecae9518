// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: writes out runs of a block's items.
#pragma once

#include "../thread/thread_operators.cuh"
#include "../thread/thread_search.cuh"

namespace cub {

template <class Item, int X, int Runs, int DecodedItems, class DecodedOffset = std::uint32_t,
          int Y = 1, int Z = 1>
class BlockRunLengthDecode {
  static constexpr int kRuns = X * Y * Z * Runs;

public:
  struct TempStorage {
    detail::Storage<Item, kRuns> values;
    DecodedOffset first[kRuns + 1];
  };

  template <class Length, class Total>
  __device__ BlockRunLengthDecode(TempStorage &storage, Item (&values)[Runs],
                                  Length (&lengths)[Runs], Total &total)
      : storage_(storage) {
    init(values, lengths, total);
  }
  template <class Length, class Total>
  __device__ BlockRunLengthDecode(Item (&values)[Runs], Length (&lengths)[Runs], Total &total)
      : storage_(detail::blockStorage<TempStorage>()) {
    init(values, lengths, total);
  }
  /// Of runs whose first places are known.
  template <class Offset>
  __device__ BlockRunLengthDecode(TempStorage &storage, Item (&values)[Runs],
                                  Offset (&offsets)[Runs])
      : storage_(storage) {
    share(values, offsets);
    __syncthreads();
  }
  template <class Offset>
  __device__ BlockRunLengthDecode(Item (&values)[Runs], Offset (&offsets)[Runs])
      : storage_(detail::blockStorage<TempStorage>()) {
    share(values, offsets);
    __syncthreads();
  }

  /// A window of the decoded items, and the place of each in its run.
  template <class Offset>
  __device__ void RunLengthDecode(Item (&items)[DecodedItems], Offset (&offsets)[DecodedItems],
                                  DecodedOffset from = 0) {
    for (int i = 0; i < DecodedItems; ++i) {
      const auto place = static_cast<DecodedOffset>(from + detail::threadRank() * DecodedItems + i);
      const int run = UpperBound(storage_.first, kRuns, place) - 1;
      items[i] = storage_.values.values()[run];
      offsets[i] = static_cast<Offset>(place - storage_.first[run]);
    }
  }
  __device__ void RunLengthDecode(Item (&items)[DecodedItems], DecodedOffset from = 0) {
    DecodedOffset offsets[DecodedItems];
    RunLengthDecode(items, offsets, from);
  }

private:
  template <class Offset> __device__ void share(Item (&values)[Runs], Offset (&offsets)[Runs]) {
    for (int i = 0; i < Runs; ++i) {
      storage_.values.values()[detail::threadRank() * Runs + i] = values[i];
      storage_.first[detail::threadRank() * Runs + i] = static_cast<DecodedOffset>(offsets[i]);
    }
  }
  template <class Length, class Total>
  __device__ void init(Item (&values)[Runs], Length (&lengths)[Runs], Total &total) {
    share(values, lengths);
    __syncthreads();
    if (detail::threadRank() == 0) {
      DecodedOffset sum = 0;
      for (int i = 0; i < kRuns; ++i) {
        const DecodedOffset length = storage_.first[i];
        storage_.first[i] = sum;
        sum = static_cast<DecodedOffset>(sum + length);
      }
      storage_.first[kRuns] = sum;
    }
    __syncthreads();
    total = static_cast<Total>(storage_.first[kRuns]);
  }

  TempStorage &storage_;
};

} // namespace cub
