// SPDX-License-Identifier: Apache-2.0
// Tests on a GPU: what layouts are worth, as times of access patterns × fields × layouts. Output:
// JSON on stdout.
//   layout_bench time       every case, median of several runs
//   layout_bench once       every case once, in the same order, for a profiler
// The patterns are rebuilt on the CPU by tests/bench/layout_cases.h: keep both alike.
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kFields = 8;
constexpr std::uint32_t kElements = 1u << 26;
constexpr std::uint32_t kGatherThreads = 1u << 24;
constexpr std::uint32_t kLocalWindow = 4096; // elements around a thread's own
constexpr std::uint32_t kTableThreads = 1u << 20;
constexpr std::uint32_t kTableElements = 1024;
constexpr std::uint32_t kVectors = 1u << 25;
constexpr int kBlock = 256;
constexpr int kStridedBlocks = 132 * 8;
constexpr std::uint32_t kStridedElements = 248 * kStridedBlocks * kBlock; // nearly all
constexpr std::uint32_t kRow = 256, kPlane = kRow * 256;                  // of a grid of cells

__host__ __device__ std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// A reference that a function returns carries the alignment of a float, not that of the record it
// is in; without this nvcc merges no loads of adjacent fields.
template <class T> __device__ T *aligned16(T *pointer) {
  return static_cast<T *>(__builtin_assume_aligned(pointer, 16));
}

// Each layout knows where field F of element i lies.
struct Aos {
  struct Record {
    float f[kFields];
  };
  Record *base;
  explicit Aos(float *memory) : base(reinterpret_cast<Record *>(memory)) {}
  template <int F> __device__ float &at(std::uint32_t i) const { return base[i].f[F]; }
};
struct AlignedAos {
  struct alignas(16) Record {
    float f[kFields];
  };
  Record *base;
  explicit AlignedAos(float *memory) : base(reinterpret_cast<Record *>(memory)) {}
  template <int F> __device__ float &at(std::uint32_t i) const { return aligned16(base + i)->f[F]; }
};
struct Soa {
  float *base[kFields];
  explicit Soa(float *memory) {
    for (int f = 0; f < kFields; ++f)
      base[f] = memory + std::size_t{kElements} * f;
  }
  template <int F> __device__ float &at(std::uint32_t i) const { return base[F][i]; }
};
struct Aosoa32 {
  struct Tile {
    float f[kFields][32];
  };
  Tile *base;
  explicit Aosoa32(float *memory) : base(reinterpret_cast<Tile *>(memory)) {}
  template <int F> __device__ float &at(std::uint32_t i) const { return base[i / 32].f[F][i % 32]; }
};
// {0 1 2 3} {4 5 6 7}
struct Clusters4 {
  struct alignas(16) Part {
    float f[4];
  };
  Part *base[2];
  explicit Clusters4(float *memory) {
    for (int c = 0; c < 2; ++c)
      base[c] = reinterpret_cast<Part *>(memory) + std::size_t{kElements} * c;
  }
  template <int F> __device__ float &at(std::uint32_t i) const {
    return aligned16(base[F / 4] + i)->f[F % 4];
  }
};
// {0 1 2 3} {4} {5} {6} {7}
struct HeadCluster {
  Clusters4::Part *head;
  float *rest;
  explicit HeadCluster(float *memory)
      : head(reinterpret_cast<Clusters4::Part *>(memory)),
        rest(memory + std::size_t{kElements} * 4) {}
  template <int F> __device__ float &at(std::uint32_t i) const {
    if constexpr (F < 4)
      return aligned16(head + i)->f[F];
    else
      return rest[std::size_t{kElements} * (F - 4) + i];
  }
};

// Scalars, as generated headers have them: nvcc merges them across others that are not read, which
// it does not with elements of an array.
template <int Size, int Alignment> struct alignas(Alignment) SmallPart {
  float first, second, third, fourth;
};
template <int Alignment> struct alignas(Alignment) SmallPart<3, Alignment> {
  float first, second, third;
};
template <int Alignment> struct alignas(Alignment) SmallPart<2, Alignment> { float first, second; };
template <int Alignment> struct alignas(Alignment) SmallPart<1, Alignment> { float first; };
// Four fields, each in the cluster that the template says, in the order a, b, c, d; clusters of two
// or four are aligned as far as that takes no room.
template <int A, int B, int C, int D> struct Small {
  float *base[4];
  explicit Small(float *memory) {
    for (int c = 0, before = 0; c < 4; before += sizeOf(c++))
      base[c] = memory + std::size_t{kElements} * before;
  }
  __host__ __device__ static constexpr int clusterOf(int field) {
    return field == 0 ? A : field == 1 ? B : field == 2 ? C : D;
  }
  __host__ __device__ static constexpr int sizeOf(int cluster) {
    return (A == cluster) + (B == cluster) + (C == cluster) + (D == cluster);
  }
  __host__ __device__ static constexpr int offsetOf(int field) {
    int offset = 0;
    for (int before = 0; before < field; ++before)
      offset += clusterOf(before) == clusterOf(field);
    return offset;
  }
  template <int F> __device__ float &at(std::uint32_t i) const {
    constexpr int cluster = clusterOf(F), size = sizeOf(cluster), offset = offsetOf(F);
    constexpr int alignment = size == 3 ? 4 : 4 * size;
    using Part = SmallPart<size, alignment>;
    Part *part = reinterpret_cast<Part *>(base[cluster]) + i;
    part = static_cast<Part *>(__builtin_assume_aligned(part, alignment));
    if constexpr (offset == 0)
      return part->first;
    else if constexpr (offset == 1)
      return part->second;
    else if constexpr (offset == 2)
      return part->third;
    else
      return part->fourth;
  }
};
struct SmallAos {
  float *base;
  explicit SmallAos(float *memory) : base(memory) {}
  template <int F> __device__ float &at(std::uint32_t i) const { return base[4 * i + F]; }
};

template <int Mask, int F = 0, class L> __device__ float sum(const L &layout, std::uint32_t i) {
  float value = 0;
  if constexpr ((Mask >> F & 1) != 0)
    value = layout.template at<F>(i);
  if constexpr (F + 1 < kFields)
    value += sum<Mask, F + 1>(layout, i);
  return value;
}

template <int Mask, class L> __global__ void streamed(L layout, float *out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum<Mask>(layout, i);
}
template <int Mask, class L>
__global__ void gathered(L layout, const std::uint32_t *index, float *out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum<Mask>(layout, index[i]);
}
template <int Mask, class L> __global__ void broadcast(L layout, float *out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
  for (std::uint32_t j = 0; j < kTableElements; ++j)
    value += sum<Mask>(layout, j);
  out[i] = value;
}
// Gathers fields 0..3 of another element, streams 4 and 5 of its own.
template <class L> __global__ void mixed(L layout, const std::uint32_t *index, float *out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum<0x0f>(layout, index[i]) + sum<0x30>(layout, i);
}
// Few blocks, each of many elements.
template <int Mask, class L> __global__ void strided(L layout, float *out) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kStridedElements;
       i += gridDim.x * blockDim.x)
    out[i] = sum<Mask>(layout, i);
}
// One field of a cell's six adjacent cells in a grid, four others of its own.
template <class L> __global__ void relaxed(L layout, float *out) {
  const std::uint32_t i = kPlane + blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum<0x1e>(layout, i) + layout.template at<0>(i - 1) + layout.template at<0>(i + 1) +
           layout.template at<0>(i - kRow) + layout.template at<0>(i + kRow) +
           layout.template at<0>(i - kPlane) + layout.template at<0>(i + kPlane);
}
// Gathers a and b of another element, streams c of its own.
template <class L> __global__ void smallMixed(L layout, const std::uint32_t *index, float *out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum<0x3>(layout, index[i]) + sum<0x4>(layout, i);
}
template <class L> __global__ void smallUpdate(L layout) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  layout.template at<0>(i) += layout.template at<2>(i);
}
template <class L> __global__ void updateOne(L layout) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  layout.template at<0>(i) += 1.0f;
}
template <class L> __global__ void updateAll(L layout) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  layout.template at<0>(i) += 1.0f;
  layout.template at<1>(i) += 1.0f;
  layout.template at<2>(i) += 1.0f;
  layout.template at<3>(i) += 1.0f;
  layout.template at<4>(i) += 1.0f;
  layout.template at<5>(i) += 1.0f;
  layout.template at<6>(i) += 1.0f;
  layout.template at<7>(i) += 1.0f;
}

struct Vector3 {
  double x, y, z;
};
__global__ void addToVectorsAos(Vector3 *v, double constant) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  v[i].x += constant;
  v[i].y += constant;
  v[i].z += constant;
}
__global__ void addToVectorsSoa(double *x, double *y, double *z, double constant) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += constant;
  y[i] += constant;
  z[i] += constant;
}

__global__ void fillFloats(float *memory, std::uint64_t count) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    memory[i] = hash(static_cast<std::uint32_t>(i)) * 0x1p-32f;
}
__global__ void fillIndices(std::uint32_t *random, std::uint32_t *local) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  random[i] = hash(i) % kElements;
  local[i] = (i + hash(i) % kLocalWindow) % kElements;
}

struct Memory {
  float *records;
  float *out;
  std::uint32_t *random;
  std::uint32_t *local;
};

enum class Mode { Time, Once };
Mode mode;
bool first = true;

struct Timing {
  double medianMs;
  double lowestMs;
  double highestMs;
};

template <class Run> Timing timeOf(Run run, int repeats = 9) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> times;
  run();
  run();
  for (int i = 0; i < repeats; ++i) {
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

template <class Run>
void report(const char *pattern, const char *fields, const char *layout, Run run) {
  std::printf("%s\n  {\"pattern\": \"%s\", \"fields\": \"%s\", \"layout\": \"%s\"",
              first ? "" : ",", pattern, fields, layout);
  first = false;
  if (mode == Mode::Time) {
    const Timing timing = timeOf(run);
    std::printf(", \"median_ms\": %.5f, \"lowest_ms\": %.5f, \"highest_ms\": %.5f", timing.medianMs,
                timing.lowestMs, timing.highestMs);
  } else {
    run();
    CHECK(cudaDeviceSynchronize());
  }
  std::printf("}");
  std::fflush(stdout);
}

template <int Mask, class L>
void readCases(const char *fields, const char *name, const Memory &memory) {
  const L layout(memory.records);
  report("stream", fields, name,
         [&] { streamed<Mask><<<kElements / kBlock, kBlock>>>(layout, memory.out); });
  report("gather", fields, name, [&] {
    gathered<Mask><<<kGatherThreads / kBlock, kBlock>>>(layout, memory.random, memory.out);
  });
  report("local", fields, name, [&] {
    gathered<Mask><<<kGatherThreads / kBlock, kBlock>>>(layout, memory.local, memory.out);
  });
  report("broadcast", fields, name,
         [&] { broadcast<Mask><<<kTableThreads / kBlock, kBlock>>>(layout, memory.out); });
}

template <class L> void smallCases(const char *name, const Memory &memory) {
  const L layout(memory.records);
  report("small stream", "2", name,
         [&] { streamed<0x5><<<kElements / kBlock, kBlock>>>(layout, memory.out); });
  report("small gather", "2", name, [&] {
    gathered<0x3><<<kGatherThreads / kBlock, kBlock>>>(layout, memory.random, memory.out);
  });
  report("small gather", "4", name, [&] {
    gathered<0xf><<<kGatherThreads / kBlock, kBlock>>>(layout, memory.random, memory.out);
  });
  report("small local", "3", name, [&] {
    gathered<0x7><<<kGatherThreads / kBlock, kBlock>>>(layout, memory.local, memory.out);
  });
  report("small mixed", "3", name, [&] {
    smallMixed<<<kGatherThreads / kBlock, kBlock>>>(layout, memory.random, memory.out);
  });
  report("small update", "2", name, [&] { smallUpdate<<<kElements / kBlock, kBlock>>>(layout); });
}

template <class L> void allCases(const char *name, const Memory &memory) {
  readCases<0x01, L>("1", name, memory);
  readCases<0x42, L>("2", name, memory);
  readCases<0x0f, L>("4", name, memory);
  readCases<0xff, L>("8", name, memory);
  const L layout(memory.records);
  report("mixed", "6", name,
         [&] { mixed<<<kGatherThreads / kBlock, kBlock>>>(layout, memory.random, memory.out); });
  report("strided", "1", name,
         [&] { strided<0x01><<<kStridedBlocks, kBlock>>>(layout, memory.out); });
  report("strided", "4", name,
         [&] { strided<0x0f><<<kStridedBlocks, kBlock>>>(layout, memory.out); });
  report("strided", "8", name,
         [&] { strided<0xff><<<kStridedBlocks, kBlock>>>(layout, memory.out); });
  report("grid", "5", name,
         [&] { relaxed<<<(kElements - 2 * kPlane) / kBlock, kBlock>>>(layout, memory.out); });
  report("update", "1", name, [&] { updateOne<<<kElements / kBlock, kBlock>>>(layout); });
  report("update", "8", name, [&] { updateAll<<<kElements / kBlock, kBlock>>>(layout); });
}

void cases() {
  Memory memory{};
  const std::uint64_t floats = std::uint64_t{kElements} * kFields;
  CHECK(cudaMalloc(&memory.records, floats * sizeof(float)));
  CHECK(cudaMalloc(&memory.out, kElements * sizeof(float)));
  CHECK(cudaMalloc(&memory.random, kGatherThreads * sizeof(std::uint32_t)));
  CHECK(cudaMalloc(&memory.local, kGatherThreads * sizeof(std::uint32_t)));
  fillFloats<<<1024, 256>>>(memory.records, floats);
  fillIndices<<<kGatherThreads / kBlock, kBlock>>>(memory.random, memory.local);
  CHECK(cudaDeviceSynchronize());
  std::printf("[");
  allCases<Aos>("aos", memory);
  allCases<AlignedAos>("aligned-aos", memory);
  allCases<Soa>("soa", memory);
  allCases<Aosoa32>("aosoa-32", memory);
  allCases<Clusters4>("clusters-4", memory);
  allCases<HeadCluster>("head-cluster", memory);
  // All partitions of four fields.
  smallCases<SmallAos>("aos", memory);
  smallCases<Small<0, 0, 0, 0>>("abcd", memory);
  smallCases<Small<0, 0, 0, 1>>("abc|d", memory);
  smallCases<Small<0, 0, 1, 0>>("abd|c", memory);
  smallCases<Small<0, 0, 1, 1>>("ab|cd", memory);
  smallCases<Small<0, 0, 1, 2>>("ab|c|d", memory);
  smallCases<Small<0, 1, 0, 0>>("acd|b", memory);
  smallCases<Small<0, 1, 0, 1>>("ac|bd", memory);
  smallCases<Small<0, 1, 0, 2>>("ac|b|d", memory);
  smallCases<Small<0, 1, 1, 0>>("ad|bc", memory);
  smallCases<Small<0, 1, 1, 1>>("a|bcd", memory);
  smallCases<Small<0, 1, 1, 2>>("a|bc|d", memory);
  smallCases<Small<0, 1, 2, 0>>("ad|b|c", memory);
  smallCases<Small<0, 1, 2, 1>>("a|bd|c", memory);
  smallCases<Small<0, 1, 2, 2>>("a|b|cd", memory);
  smallCases<Small<0, 1, 2, 3>>("a|b|c|d", memory);
  auto *vectors = reinterpret_cast<double *>(memory.records);
  report("vectors", "3", "aos", [&] {
    addToVectorsAos<<<kVectors / kBlock, kBlock>>>(reinterpret_cast<Vector3 *>(vectors), 1.0);
  });
  report("vectors", "3", "soa", [&] {
    addToVectorsSoa<<<kVectors / kBlock, kBlock>>>(vectors, vectors + kVectors,
                                                   vectors + 2 * std::size_t{kVectors}, 1.0);
  });
  std::printf("\n]\n");
}

} // namespace

int main(int argc, char **argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "time" || command == "once") {
    mode = command == "time" ? Mode::Time : Mode::Once;
    cases();
  } else {
    std::fprintf(stderr, "usage: layout_bench time|once\n");
    return 2;
  }
  return 0;
}
