// SPDX-License-Identifier: Apache-2.0
// Conversions of a rewritten program's host copies against a plain copy of the same bytes, all in
// device memory. tests/gpu/index_order.py writes what includes this: it includes the rewritten
// source with `main` renamed, and defines, of a generated header, RECORD, VIEW, MALLOC, TILES,
// THREADS, and PACK and UNPACK where there are such kernels; EXTENTS, with a comma in front, that
// the allocation takes; ELEMENTS, a multiple of the product of all extents but the highest.
#undef CHECK // the program's
#include "check.h"

#include <cstdint>
#include <cstring>
#include <vector>

const int kRuns = 20;

template <class Work> double gigabytesPerSecond(std::size_t bytes, Work work) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  work(); // warms up
  CHECK(cudaEventRecord(start));
  for (int run = 0; run < kRuns; ++run)
    work();
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaGetLastError());
  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  return 2e-6 * (double)bytes * kRuns / ms; // read and written
}

int main() {
  const std::size_t count = ELEMENTS, bytes = count * sizeof(RECORD);
  RECORD *from = nullptr, *to = nullptr;
  CHECK(cudaMalloc(&from, bytes));
  CHECK(cudaMalloc(&to, bytes));
  std::vector<unsigned char> before(bytes), after(bytes);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i + 4 <= bytes; i += 4) {
    state = state * 1664525u + 1013904223u;
    const float value = (float)(state >> 8); // padding aside, numbers come back as they were
    std::memcpy(&before[i], &value, 4);
  }
  CHECK(cudaMemcpy(from, before.data(), bytes, cudaMemcpyHostToDevice));
  VIEW view = nullptr;
  CHECK(MALLOC(&view, bytes EXTENTS));
  const auto copy = [=] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); };
  std::printf("%zu elements: copy %.1f GB/s\n", count, gigabytesPerSecond(bytes, copy));
#ifdef UNPACK
  const auto unpack = [=] { UNPACK<<<TILES(view, count).blocks(), THREADS>>>(view, from, count); };
  std::printf("unpack %.1f GB/s\n", gigabytesPerSecond(bytes, unpack));
#endif
#ifdef PACK
  const auto pack = [=] { PACK<<<TILES(view, count).blocks(), THREADS>>>(to, view, count); };
  std::printf("pack %.1f GB/s\n", gigabytesPerSecond(bytes, pack));
#endif
#if defined(PACK) && defined(UNPACK)
  CHECK(cudaMemset(to, 0, bytes));
  pack();
  CHECK(cudaMemcpy(after.data(), to, bytes, cudaMemcpyDeviceToHost));
  return before == after ? 0 : 1;
#else
  return 0;
#endif
}
