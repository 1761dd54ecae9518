// SPDX-License-Identifier: Apache-2.0
// Measures what the cost model of policy replay knows of a GPU (docs/policy-replay.md) and prints a
// machine file on stdout. A program of its own: `relayout calibrate` compiles it with the nvcc of
// the machine, and so can a person. Each value is the median of several runs; "spread" tells, for
// each measured one, (highest − lowest) / median of their times.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t error, int line) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "calibrate.cu:%d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check((call), __LINE__)

constexpr std::uint32_t kTableElements = 1024;
constexpr std::uint32_t kTableThreads = 1u << 20;
constexpr std::uint32_t kScatteredThreads = 1u << 24;
constexpr int kRuns = 9;

__host__ __device__ std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

__global__ void empty() {}

__global__ void fill(float *memory, std::uint64_t count) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    memory[i] = hash(static_cast<std::uint32_t>(i)) * 0x1p-32f;
}
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
__global__ void copyStream(const float4 *from, float4 *to) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  to[i] = from[i];
}
// Four independent loads a thread, each of one sector of a random unit.
__global__ void readScattered(const float *memory, float *out, std::uint32_t units,
                              std::uint32_t unitFloats) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t unit = hash(thread * 4 + k) % units;
    value += __ldcg(memory + unit * unitFloats);
  }
  if (value == 1.25f)
    *out = value;
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
// Stores into a small buffer: `stride` words from lane to lane, so that L2 is what limits.
__global__ void writeCached(float *memory, std::uint32_t mask, std::uint32_t stride, int rounds) {
  std::uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  for (int r = 0; r < rounds; ++r) {
    memory[i & mask] = 1.0f;
    i += gridDim.x * blockDim.x * stride + 32 * 1024;
  }
}
// All lanes of a warp read the same element, field by field: one wavefront a load.
struct Element {
  float f[8];
};
__global__ void readTable(const Element *table, float *out) {
  float value = 0;
  for (std::uint32_t j = 0; j < kTableElements; ++j)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      value += table[j].f[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
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

struct Timing {
  double medianNs;
  double spread; ///< (highest − lowest) / median
};

template <class Run> Timing timeOf(Run run, int runs = kRuns) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> times;
  run();
  run();
  for (int i = 0; i < runs; ++i) {
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms * 1e6);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {median, (times.back() - times.front()) / median};
}

/// The machine file as it grows.
class MachineFile {
public:
  void constant(const char *name, double value) { constants_.emplace_back(name, value); }
  /// amount / time, the time being that of all the amount
  void rate(const char *name, double amount, const Timing &timing) {
    constant(name, amount / timing.medianNs);
    spreads_[name] = timing.spread;
  }
  /// time / amount
  void time(const char *name, const Timing &timing, double amount) {
    constant(name, timing.medianNs / amount);
    spreads_[name] = timing.spread;
  }
  void print(const cudaDeviceProp &device, const std::map<std::string, std::string> &origin) const {
    std::printf("{\n  \"name\": \"%s\",\n  \"compute_capability\": \"%d.%d\",\n"
                "  \"calibrated\": true",
                device.name, device.major, device.minor);
    for (const auto &[name, value] : constants_)
      std::printf(",\n  \"%s\": %.10g", name.c_str(), value);
    std::printf(",\n  \"measured\": {");
    for (const auto &[name, text] : origin)
      std::printf("\n    \"%s\": \"%s\",", name.c_str(), text.c_str());
    std::printf("\n    \"runs\": %d,\n    \"spread\": {", kRuns);
    const char *comma = "";
    for (const auto &[name, spread] : spreads_) {
      std::printf("%s\n      \"%s\": %.4f", comma, name.c_str(), spread);
      comma = ",";
    }
    std::printf("\n    }\n  }\n}\n");
  }

private:
  std::vector<std::pair<std::string, double>> constants_;
  std::map<std::string, double> spreads_;
};

/// What answers the loads of a chain.
enum class Level { L1, L2, Dram };

struct Chain {
  Level level;
  std::uint32_t units;
  std::uint32_t unitWords;
};

constexpr int kChainSteps = 20000;

Timing chaseTime(std::uint32_t *memory, std::uint32_t *out, const Chain &chain) {
  linkChain<<<(chain.units + 255) / 256, 256>>>(memory, chain.units, chain.unitWords);
  CHECK(cudaMemset(out, 0, sizeof *out));
  if (chain.level != Level::Dram) // once along all of it
    chase<false><<<1, 1>>>(memory, out, chain.unitWords, static_cast<int>(chain.units));
  return timeOf([&] {
    if (chain.level == Level::L1)
      chase<false><<<1, 1>>>(memory, out, chain.unitWords, kChainSteps);
    else
      chase<true><<<1, 1>>>(memory, out, chain.unitWords, kChainSteps);
  });
}

/// The largest random working set whose loads come at nine tenths of the best rate: past it they
/// miss in L2. Looked for in steps of an eighth of L2, up to twice its size.
double scatteredBytes(const float *memory, float *out, std::uint64_t l2Bytes) {
  const std::uint64_t step = std::max<std::uint64_t>(l2Bytes / 8 >> 20, 1) << 20;
  std::vector<double> rates;
  for (std::uint64_t bytes = step; bytes <= 16 * step; bytes += step) {
    const auto granules = static_cast<std::uint32_t>(bytes / 64);
    const Timing timing = timeOf(
        [&] { readScattered<<<kScatteredThreads / 256, 256>>>(memory, out, granules, 16); }, 3);
    rates.push_back(1 / timing.medianNs);
  }
  const double best = *std::max_element(rates.begin(), rates.end());
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (rates[i] > 0.9 * best)
      largest = (i + 1) * step;
  return static_cast<double>(largest);
}

std::string driverVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex("[0-9]+\\.[0-9.]+[0-9]")) ? found.str()
                                                                             : "unknown";
}

std::string cudaVersion(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// Memory that the kernels work on.
struct Buffers {
  std::uint64_t bytes = 0; ///< of each
  float *memory = nullptr, *other = nullptr, *out = nullptr;
  float4 *memory4 = nullptr, *other4 = nullptr;
};

Buffers allocateBuffers() {
  Buffers buffers;
  std::size_t freeBytes = 0, allBytes = 0;
  CHECK(cudaMemGetInfo(&freeBytes, &allBytes));
  // Many times L2, and a power of two for the chains; small GPUs get by with less.
  buffers.bytes = 2ull << 30;
  while (buffers.bytes > 256u << 20 && 2 * buffers.bytes + (256u << 20) > freeBytes)
    buffers.bytes /= 2;
  CHECK(cudaMalloc(&buffers.memory, buffers.bytes));
  CHECK(cudaMalloc(&buffers.other, buffers.bytes));
  CHECK(cudaMalloc(&buffers.out, kTableThreads * sizeof(float)));
  fill<<<1024, 256>>>(buffers.memory, buffers.bytes / 4);
  fill<<<1024, 256>>>(buffers.other, buffers.bytes / 4);
  buffers.memory4 = reinterpret_cast<float4 *>(buffers.memory);
  buffers.other4 = reinterpret_cast<float4 *>(buffers.other);
  return buffers;
}

void measureSizes(const cudaDeviceProp &device, const Buffers &buffers, MachineFile &file) {
  file.constant("sms", device.multiProcessorCount);
  file.constant("threads_per_sm", device.maxThreadsPerMultiProcessor);
  file.constant("blocks_per_sm", device.maxBlocksPerMultiProcessor);
  // The runtime reports shared memory only, and these chips always leave L1 at least 28 KiB of what
  // both share, a multiple of 32 KiB (CUDA C++ Programming Guide, compute capabilities).
  const std::uint64_t unit = 32u << 10;
  file.constant("l1_bytes",
                static_cast<double>((device.sharedMemPerMultiprocessor + (28u << 10) + unit - 1) /
                                    unit * unit));
  const std::uint64_t l2Bytes = device.l2CacheSize;
  file.constant("l2_bytes", static_cast<double>(l2Bytes));
  file.constant("l2_scattered_bytes", scatteredBytes(buffers.memory, buffers.out, l2Bytes));
}

void measureMemoryRates(const cudaDeviceProp &device, const Buffers &buffers, MachineFile &file) {
  const int smCount = device.multiProcessorCount;
  const double sms = smCount;
  const auto granules = static_cast<std::uint32_t>(buffers.bytes / 64);
  const unsigned scattered = kScatteredThreads / 256;
  float *const memory = buffers.memory;
  float *const out = buffers.out;
  file.rate("dram_bytes_per_ns", static_cast<double>(buffers.bytes), timeOf([&] {
              readStream<<<smCount * 8, 256>>>(buffers.memory4, out, buffers.bytes / 16);
            }));
  file.rate("dram_scattered_granules_per_ns", 4.0 * kScatteredThreads,
            timeOf([&] { readScattered<<<scattered, 256>>>(memory, out, granules, 16); }));
  file.rate("l2_read_sectors_per_ns", sms * 8 * 256 * 256 * 16 / 32, timeOf([&] {
              readCached<<<smCount * 8, 256>>>(buffers.memory4, out, (8u << 20) / 16 - 1, 256);
            }));
  file.rate("l2_scattered_read_sectors_per_ns", 4.0 * kScatteredThreads,
            timeOf([&] { readScattered<<<scattered, 256>>>(memory, out, 1u << 18, 8); }));
  // 64 stores a thread; a warp's touch a sector each lane, whether 32 or 128 bytes apart.
  const auto writes = [&](const char *name, std::uint32_t stride) {
    file.rate(name, sms * 8 * 8 * 64 * 32, timeOf([&] {
                writeCached<<<smCount * 8, 256>>>(memory, (8u << 20) / 4 - 1, stride, 64);
              }));
  };
  writes("l2_write_sectors_per_ns", 8);
  writes("l2_scattered_write_sectors_per_ns", 32);
}

void measureExecution(const cudaDeviceProp &device, const Buffers &buffers, MachineFile &file) {
  const int smCount = device.multiProcessorCount;
  const double sms = smCount;
  float *const out = buffers.out;
  file.rate(
      "wavefronts_per_ns_per_sm", kTableThreads / 32.0 * kTableElements * 8 / sms, timeOf([&] {
        readTable<<<kTableThreads / 256, 256>>>(reinterpret_cast<Element *>(buffers.memory), out);
      }));
  file.rate("instructions_per_ns_per_sm", 2.0 * 32 * 256 * 64,
            timeOf([&] { multiply<<<smCount * 2, 1024>>>(out, 256); }));
  file.time("launch_ns", timeOf([&] {
              for (int i = 0; i < 100; ++i)
                empty<<<1, 32>>>();
            }),
            100);
  file.time("block_start_ns", timeOf([&] { empty<<<1 << 18, 256>>>(); }), (1 << 18) / sms);
}

void measureLatencies(const Buffers &buffers, MachineFile &file) {
  auto *chain = reinterpret_cast<std::uint32_t *>(buffers.other);
  auto *chainEnd = reinterpret_cast<std::uint32_t *>(buffers.out);
  const auto lines = static_cast<std::uint32_t>(buffers.bytes / 128);
  const auto measure = [&](const char *name, const Chain &what) {
    file.time(name, chaseTime(chain, chainEnd, what), kChainSteps);
  };
  measure("l1_latency_ns", {Level::L1, 256, 8});
  measure("l2_latency_ns", {Level::L2, 1u << 16, 16});
  measure("dram_latency_ns", {Level::Dram, lines, 32});
}

} // namespace

int main() {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  const Buffers buffers = allocateBuffers();
  MachineFile file;
  measureSizes(device, buffers, file);
  measureMemoryRates(device, buffers, file);
  measureExecution(device, buffers, file);
  measureLatencies(buffers, file);
  const auto blocks = static_cast<unsigned>(buffers.bytes / 16 / 256);
  file.rate("copy_bytes_per_ns", 2.0 * static_cast<double>(buffers.bytes),
            timeOf([&] { copyStream<<<blocks, 256>>>(buffers.memory4, buffers.other4); }));
  int runtime = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  file.print(device,
             {{"cuda", cudaVersion(runtime)}, {"date", today()}, {"driver", driverVersion()}});
  return 0;
}
