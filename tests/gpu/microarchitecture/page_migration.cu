// SPDX-License-Identifier: Apache-2.0
// What a kernel waits for the pages of managed memory that it is the first to touch on the GPU.
//   page_migration > migration.json
// `written by`: who touched the array before. Lanes stand side by side, or each walks a row.
#include "../check.h"

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace {

constexpr int kRepeats = 5;
constexpr unsigned kRow = 1024; // elements
constexpr unsigned kThreads = 256;

enum class Before { Host, Nobody, Gpu };

__global__ void sideBySide(float *array, unsigned elements) {
  const unsigned e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < elements)
    array[e] = array[e] * 0.5f + 1;
}

__global__ void alongRows(float *array, unsigned elements) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; row < elements / kRow && i < kRow; ++i)
    array[row * kRow + i] = array[row * kRow + i] * 0.5f + 1;
}

float millisecondsOf(bool alongRow, float *array, unsigned elements) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  if (alongRow)
    alongRows<<<(elements / kRow + kThreads - 1) / kThreads, kThreads>>>(array, elements);
  else
    sideBySide<<<(elements + kThreads - 1) / kThreads, kThreads>>>(array, elements);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

const char *separator = "[";

void measure(Before before, const char *by, bool alongRow, unsigned mebibytes) {
  const unsigned elements = mebibytes << 18;
  for (int i = 0; i < kRepeats; ++i) {
    float *array = nullptr;
    CHECK(cudaMallocManaged(&array, std::size_t{elements} * sizeof *array));
    if (before == Before::Host)
      std::memset(array, 0, std::size_t{elements} * sizeof *array);
    if (before == Before::Gpu)
      millisecondsOf(alongRow, array, elements);
    const float ms = millisecondsOf(alongRow, array, elements);
    std::printf("%s\n{\"written_by\": \"%s\", \"lanes\": \"%s\", \"mebibytes\": %u, \"ms\": %.4f, "
                "\"gb_per_s\": %.2f}",
                separator, by, alongRow ? "rows" : "side by side", mebibytes, ms,
                elements * sizeof *array * 1e-6 / ms);
    separator = ",";
    CHECK(cudaFree(array));
  }
}

} // namespace

int main() {
  float *first = nullptr; // whatever the first fault of a process costs is in none of them
  CHECK(cudaMallocManaged(&first, 1 << 20));
  std::memset(first, 0, 1 << 20);
  millisecondsOf(false, first, 1 << 18);
  millisecondsOf(true, first, 1 << 18);
  for (const unsigned mebibytes : {1u, 8u, 64u, 256u})
    for (const bool alongRow : {false, true}) {
      measure(Before::Host, "host", alongRow, mebibytes);
      measure(Before::Nobody, "nobody", alongRow, mebibytes);
      measure(Before::Gpu, "gpu", alongRow, mebibytes);
    }
  std::printf("\n]\n");
}
