// SPDX-License-Identifier: Apache-2.0
// What it takes to convert records to planes and back, thread by thread, and through shared memory
// as the headers of rewritten programs do it, over what the same bytes take to be copied within
// device memory.
//   conversions > conversions.json
#include "../check.h"

#include <cstddef>
#include <cstdio>

namespace {

constexpr int kRepeats = 7;
constexpr unsigned kThreads = 256;
constexpr std::size_t kBytes = std::size_t{512} << 20; // of an array, far beyond L2

template <class Word, int Words> struct Record { Word words[Words]; };

template <class Word, int Words>
__global__ void toPlanes(Word *planes, const Record<Word, Words> *records, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    for (int w = 0; w < Words; ++w)
      planes[w * count + i] = records[i].words[w];
}

template <class Word, int Words>
__global__ void toRecords(Record<Word, Words> *records, const Word *planes, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i >= count)
    return;
  Record<Word, Words> record;
  for (int w = 0; w < Words; ++w)
    record.words[w] = planes[w * count + i];
  records[i] = record;
}

/// Records of a block, of words of 32 bits.
template <class R> struct Tile {
  static constexpr unsigned kWords = sizeof(R) / 4;
  static constexpr unsigned kPitch = (sizeof(R) / alignof(R) | 1) * (alignof(R) / 4);

  __device__ R &own() { return reinterpret_cast<R &>(words[threadIdx.x * kPitch]); }
  __device__ static unsigned wordsOf(std::size_t first, std::size_t count) {
    return (count - first < kThreads ? unsigned(count - first) : kThreads) * kWords;
  }
  __device__ unsigned &word(unsigned w) { return words[w / kWords * kPitch + w % kWords]; }

  alignas(R) unsigned words[kThreads * kPitch];
};

template <class Word, int Words>
__global__ void toPlanesInTiles(Word *planes, const Record<Word, Words> *records,
                                std::size_t count) {
  using R = Record<Word, Words>;
  __shared__ Tile<R> tile;
  const std::size_t first = blockIdx.x * std::size_t(kThreads), i = first + threadIdx.x;
  for (unsigned w = threadIdx.x; w < Tile<R>::wordsOf(first, count); w += kThreads)
    tile.word(w) = reinterpret_cast<const unsigned *>(records + first)[w];
  __syncthreads();
  if (i < count)
    for (int w = 0; w < Words; ++w)
      planes[w * count + i] = tile.own().words[w];
}

template <class Word, int Words>
__global__ void toRecordsInTiles(Record<Word, Words> *records, const Word *planes,
                                 std::size_t count) {
  using R = Record<Word, Words>;
  __shared__ Tile<R> tile;
  const std::size_t first = blockIdx.x * std::size_t(kThreads), i = first + threadIdx.x;
  if (i < count)
    for (int w = 0; w < Words; ++w)
      tile.own().words[w] = planes[w * count + i];
  __syncthreads();
  for (unsigned w = threadIdx.x; w < Tile<R>::wordsOf(first, count); w += kThreads)
    reinterpret_cast<unsigned *>(records + first)[w] = tile.word(w);
}

template <class Work> float milliseconds(const Work &work) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  work();
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

const char *separator = "[";

template <class Word, int Words> void measure(void *a, void *b) {
  using R = Record<Word, Words>;
  const std::size_t count = kBytes / sizeof(R);
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  for (int i = 0; i < kRepeats; ++i) {
    const float copied = milliseconds(
        [&] { CHECK(cudaMemcpyAsync(a, b, count * sizeof(R), cudaMemcpyDeviceToDevice)); });
    Word *const planesTo = static_cast<Word *>(a);
    const Word *const planesFrom = static_cast<const Word *>(b);
    R *const recordsTo = static_cast<R *>(a);
    const R *const recordsFrom = static_cast<const R *>(b);
    const float split = milliseconds(
        [&] { toPlanes<Word, Words><<<blocks, kThreads>>>(planesTo, recordsFrom, count); });
    const float joined = milliseconds(
        [&] { toRecords<Word, Words><<<blocks, kThreads>>>(recordsTo, planesFrom, count); });
    const float splitInTiles = milliseconds(
        [&] { toPlanesInTiles<Word, Words><<<blocks, kThreads>>>(planesTo, recordsFrom, count); });
    const float joinedInTiles = milliseconds(
        [&] { toRecordsInTiles<Word, Words><<<blocks, kThreads>>>(recordsTo, planesFrom, count); });
    if (i == 0)
      continue; // warms up
    std::printf("%s\n{\"record_bytes\": %zu, \"word_bytes\": %zu, \"copy_ms\": %.4f, "
                "\"to_planes_ms\": %.4f, \"to_records_ms\": %.4f, "
                "\"to_planes_in_tiles_ms\": %.4f, \"to_records_in_tiles_ms\": %.4f}",
                separator, sizeof(R), sizeof(Word), copied, split, joined, splitInTiles,
                joinedInTiles);
    separator = ",";
  }
}

} // namespace

int main() {
  void *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, kBytes));
  CHECK(cudaMalloc(&b, kBytes));
  CHECK(cudaMemset(b, 0, kBytes));
  measure<float, 2>(a, b);
  measure<float, 3>(a, b);
  measure<float, 4>(a, b);
  measure<float, 6>(a, b);
  measure<float, 8>(a, b);
  measure<float, 10>(a, b);
  measure<float, 16>(a, b);
  measure<float, 32>(a, b);
  measure<double, 2>(a, b);
  measure<double, 3>(a, b);
  measure<double, 5>(a, b);
  measure<double, 8>(a, b);
  measure<double, 16>(a, b);
  std::printf("\n]\n");
}
