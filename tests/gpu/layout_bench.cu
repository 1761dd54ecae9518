// SPDX-License-Identifier: Apache-2.0
// Tests on a GPU: what layouts are worth (times of access patterns × fields × layouts) and the
// constants of the machine that the cost model of policy replay needs. Output: JSON on stdout.
//   layout_bench time       every case, median of several runs
//   layout_bench once       every case once, in the same order, for a profiler
//   layout_bench calibrate  the machine's constants
// The patterns are rebuilt on the CPU by tests/bench/layout_cases.h: keep both alike.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, int line) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "layout_bench.cu:%d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check((call), __LINE__)

constexpr int kFields = 8;
constexpr std::uint32_t kElements = 1u << 26;
constexpr std::uint32_t kGatherThreads = 1u << 24;
constexpr std::uint32_t kLocalWindow = 4096; // elements around a thread's own
constexpr std::uint32_t kTableThreads = 1u << 20;
constexpr std::uint32_t kTableElements = 1024;
constexpr std::uint32_t kVectors = 1u << 25;
constexpr int kBlock = 256;

__host__ __device__ std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// A reference that a function returns carries the alignment of a float, not that of the record it
// lies in; without this nvcc merges no loads of neighbouring fields.
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

template <class L> void allCases(const char *name, const Memory &memory) {
  readCases<0x01, L>("1", name, memory);
  readCases<0x42, L>("2", name, memory);
  readCases<0x0f, L>("4", name, memory);
  readCases<0xff, L>("8", name, memory);
  const L layout(memory.records);
  report("mixed", "6", name,
         [&] { mixed<<<kGatherThreads / kBlock, kBlock>>>(layout, memory.random, memory.out); });
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

// ---- constants of the machine ----

__global__ void empty() {}

__global__ void readStream(const float4 *memory, float *out, std::uint64_t count) {
  float value = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  for (; i + 3 * stride < count; i += 4 * stride) {
    const float4 a = memory[i], b = memory[i + stride], c = memory[i + 2 * stride],
                 d = memory[i + 3 * stride];
    value += a.x + a.y + a.z + a.w + b.x + c.x + d.x;
  }
  if (value == 1.25f)
    *out = value;
}
__global__ void writeStream(float4 *memory, float value) {
  memory[blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x] = {value, value, value, value};
}
__global__ void copyStream(const float4 *from, float4 *to) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  to[i] = from[i];
}
// One sector of a random 64-byte granule a load; kLoads independent ones a thread.
template <int kLoads>
__global__ void readScattered(const float *memory, float *out, std::uint32_t granules,
                              std::uint32_t unitFloats) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    const std::uint64_t unit = hash(thread * kLoads + k) % granules;
    value += __ldcg(memory + unit * unitFloats);
  }
  if (value == 1.25f)
    *out = value;
}
__global__ void writeScattered(float *memory, std::uint32_t granules, std::uint32_t unitFloats) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint64_t unit = hash(thread) % granules;
  memory[unit * unitFloats] = 1.0f;
}
// The same small buffer again and again, past L1: L2 bandwidth.
__global__ void readCached(const float4 *memory, float *out, std::uint32_t mask, int rounds) {
  float value = 0;
  std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    const float4 a = __ldcg(memory + (i & mask));
    value += a.x + a.y + a.z + a.w;
    i += gridDim.x * blockDim.x + 8 * 1024;
  }
  if (value == 1.25f)
    *out = value;
}
// Loads that hit in L1, a warp's lanes `stride` words apart: cycles an instruction on one SM.
// Volatile assembly, as the compiler otherwise keeps what an earlier round loaded.
template <int kBytes> __device__ float loadHere(const float *from) {
  float a, b, c, d;
  if constexpr (kBytes == 4)
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(a) : "l"(from));
  else if constexpr (kBytes == 8)
    asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(from));
  else
    asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(from));
  return a;
}
template <int kBytes>
__global__ void hitL1(const float *memory, float *out, std::uint32_t stride, int rounds) {
  float value = 0;
  const float *from = memory + threadIdx.x % 32 * stride;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < 8; ++u)
      value += loadHere<kBytes>(from + u * 32);
  }
  if (value == 1.25f)
    *out = value;
}
// Stores into a small buffer: `stride` words from lane to lane, so that L2 is what limits.
__global__ void writeCached(float *memory, std::uint32_t mask, std::uint32_t stride, int rounds) {
  std::uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  for (int r = 0; r < rounds; ++r) {
    memory[i & mask] = 1.0f;
    i += gridDim.x * blockDim.x * stride + 32 * 1024;
  }
}
__global__ void multiply(float *out, int rounds) {
  float a = threadIdx.x, b = 1.0f, c = 2.0f, d = 3.0f;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < 16; ++u) {
      a = a * 1.5f + 1.0f;
      b = b * 1.5f + 1.0f;
      c = c * 1.5f + 1.0f;
      d = d * 1.5f + 1.0f;
    }
  }
  if (a + b + c + d == 1.25f)
    *out = a;
}
__global__ void linkChain(std::uint32_t *chain, std::uint32_t units, std::uint32_t unitWords) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < units) // an odd multiplier modulo a power of two visits every unit
    chain[std::uint64_t{i} * unitWords] = (i * 1664525u + 1013904223u) % units;
}
template <bool kPastL1>
__global__ void chase(const std::uint32_t *chain, std::uint32_t *out, std::uint32_t unitWords,
                      int steps) {
  std::uint32_t i = *out; // goes on where the last run ended, at units no cache has seen
  for (int s = 0; s < steps; ++s) {
    const std::uint32_t *next = chain + std::uint64_t{i} * unitWords;
    i = kPastL1 ? __ldcg(next) : __ldca(next);
  }
  *out = i;
}

void constant(const char *name, double value) {
  std::printf("%s\n  \"%s\": %.6g", first ? "" : ",", name, value);
  first = false;
}

double latencyNs(std::uint32_t *memory, std::uint32_t *out, std::uint32_t units,
                 std::uint32_t unitWords, bool pastL1) {
  linkChain<<<(units + 255) / 256, 256>>>(memory, units, unitWords);
  CHECK(cudaMemset(out, 0, sizeof *out));
  const int steps = 20000;
  const Timing timing = timeOf(
      [&] {
        if (pastL1)
          chase<true><<<1, 1>>>(memory, out, unitWords, steps);
        else
          chase<false><<<1, 1>>>(memory, out, unitWords, steps);
      },
      3);
  return timing.medianMs * 1e6 / steps;
}

template <int kBytes>
void l1Constant(const char *name, const float *memory, float *out, std::uint32_t strideWords,
                int sms, double ghz) {
  const int rounds = 256;
  const Timing timing =
      timeOf([&] { hitL1<kBytes><<<sms * 2, 1024>>>(memory, out, strideWords, rounds); });
  const double instructionsPerSm = 2.0 * 32 * rounds * 8;
  constant(name, timing.medianMs * 1e6 * ghz / instructionsPerSm);
}

void calibrate() {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  int clockKhz = 0;
  CHECK(cudaDeviceGetAttribute(&clockKhz, cudaDevAttrClockRate, 0));
  const int sms = device.multiProcessorCount;
  const double ghz = clockKhz * 1e-6;
  const std::uint64_t bytes = 2ull << 30;
  float *memory = nullptr, *other = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMalloc(&other, bytes));
  CHECK(cudaMalloc(&out, 256));
  fillFloats<<<1024, 256>>>(memory, bytes / 4);
  fillFloats<<<1024, 256>>>(other, bytes / 4);
  auto *memory4 = reinterpret_cast<float4 *>(memory);
  auto *other4 = reinterpret_cast<float4 *>(other);

  std::printf("{\n  \"name\": \"%s\"", device.name);
  first = false;
  constant("sms", sms);
  constant("clock_ghz", ghz);
  constant("l2_bytes", device.l2CacheSize);
  constant("shared_bytes_per_sm", device.sharedMemPerMultiprocessor);
  constant("threads_per_sm", device.maxThreadsPerMultiProcessor);
  constant("blocks_per_sm", device.maxBlocksPerMultiProcessor);
  const auto rate = [](double amount, double ms) { return amount / (ms * 1e6); };

  Timing timing = timeOf([&] {
    for (int i = 0; i < 100; ++i)
      empty<<<1, 32>>>();
  });
  constant("launch_ns", timing.medianMs * 1e6 / 100);
  timing = timeOf([&] { empty<<<1 << 18, 256>>>(); });
  constant("block_start_ns_per_sm", timing.medianMs * 1e6 / ((1 << 18) / sms));
  timing = timeOf([&] { readStream<<<sms * 8, 256>>>(memory4, out, bytes / 16); });
  constant("dram_read_gb_s", rate(bytes, timing.medianMs));
  timing = timeOf([&] { writeStream<<<bytes / 16 / 256, 256>>>(other4, 1.0f); });
  constant("dram_write_gb_s", rate(bytes, timing.medianMs));
  timing = timeOf([&] { copyStream<<<bytes / 16 / 256, 256>>>(memory4, other4); });
  constant("dram_copy_gb_s", rate(2.0 * bytes, timing.medianMs));
  const std::uint32_t threads = 1u << 24;
  timing = timeOf([&] { readScattered<1><<<threads / 256, 256>>>(memory, out, bytes / 64, 16); });
  constant("dram_scattered_granules_per_ns_1", rate(threads, timing.medianMs));
  timing = timeOf([&] { readScattered<4><<<threads / 256, 256>>>(memory, out, bytes / 64, 16); });
  constant("dram_scattered_granules_per_ns", rate(4.0 * threads, timing.medianMs));
  timing = timeOf([&] { writeScattered<<<threads / 256, 256>>>(memory, bytes / 64, 16); });
  constant("dram_scattered_writes_per_ns", rate(threads, timing.medianMs));
  timing = timeOf([&] { readScattered<4><<<threads / 256, 256>>>(memory, out, 1u << 18, 8); });
  constant("l2_scattered_sectors_per_ns", rate(4.0 * threads, timing.medianMs));
  timing = timeOf([&] { writeScattered<<<threads / 256, 256>>>(memory, 1u << 18, 8); });
  constant("l2_scattered_writes_per_ns", rate(threads, timing.medianMs));
  for (const std::uint32_t stride : {1u, 4u, 8u, 32u}) {
    timing = timeOf([&] { writeCached<<<sms * 8, 256>>>(memory, (8u << 20) / 4 - 1, stride, 64); });
    const std::string name = "l2_writes_per_ns_stride_" + std::to_string(stride * 4);
    const double sectors = stride == 1 ? 4 : stride == 4 ? 16 : 32; // a warp
    constant(name.c_str(), rate(sms * 8.0 * 8 * 64 * sectors, timing.medianMs));
  }
  // How much of L2 a random working set can use: hit rates fall past it.
  for (const std::uint32_t megabytes : {16u, 24u, 32u, 40u, 48u, 64u, 96u, 128u}) {
    timing =
        timeOf([&] { readScattered<4><<<threads / 256, 256>>>(memory, out, megabytes << 14, 16); });
    const std::string name = "scattered_granules_per_ns_in_" + std::to_string(megabytes) + "_mib";
    constant(name.c_str(), rate(4.0 * threads, timing.medianMs));
  }
  timing = timeOf([&] { readCached<<<sms * 8, 256>>>(memory4, out, (8u << 20) / 16 - 1, 256); });
  constant("l2_stream_sectors_per_ns", rate(sms * 8.0 * 256 * 256 * 16 / 32, timing.medianMs));

  l1Constant<4>("l1_cycles_4_bytes_stride_0", memory, out, 0, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_4", memory, out, 1, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_8", memory, out, 2, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_16", memory, out, 4, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_32", memory, out, 8, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_36", memory, out, 9, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_64", memory, out, 16, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_128", memory, out, 32, sms, ghz);
  l1Constant<4>("l1_cycles_4_bytes_stride_132", memory, out, 33, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_0", memory, out, 0, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_8", memory, out, 2, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_16", memory, out, 4, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_32", memory, out, 8, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_64", memory, out, 16, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_128", memory, out, 32, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_0", memory, out, 0, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_16", memory, out, 4, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_32", memory, out, 8, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_64", memory, out, 16, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_128", memory, out, 32, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_48", memory, out, 12, sms, ghz);
  l1Constant<16>("l1_cycles_16_bytes_stride_144", memory, out, 36, sms, ghz);
  l1Constant<8>("l1_cycles_8_bytes_stride_24", memory, out, 6, sms, ghz);
  timing = timeOf([&] { multiply<<<sms * 2, 1024>>>(out, 256); });
  constant("cycles_per_instruction", timing.medianMs * 1e6 * ghz / (2.0 * 32 * 256 * 64));
  timing = timeOf([&] { readScattered<1><<<threads / 256, 256>>>(memory, out, 1u << 22, 16); });
  constant("scattered_granules_per_ns_in_256_mib", rate(threads, timing.medianMs));

  auto *chain = reinterpret_cast<std::uint32_t *>(other);
  auto *chainOut = reinterpret_cast<std::uint32_t *>(out);
  constant("l1_latency_ns", latencyNs(chain, chainOut, 256, 8, false));
  constant("l2_latency_ns", latencyNs(chain, chainOut, 1u << 16, 16, true));
  constant("dram_latency_ns", latencyNs(chain, chainOut, 1u << 24, 32, true));
  std::printf("\n}\n");
}

} // namespace

int main(int argc, char **argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "time" || command == "once") {
    mode = command == "time" ? Mode::Time : Mode::Once;
    cases();
  } else if (command == "calibrate") {
    calibrate();
  } else {
    std::fprintf(stderr, "usage: layout_bench time|once|calibrate\n");
    return 2;
  }
  return 0;
}
