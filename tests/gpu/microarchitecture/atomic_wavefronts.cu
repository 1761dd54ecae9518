// SPDX-License-Identifier: Apache-2.0
// One-warp reductions and atomics on chosen words, for counters of the sectors that L1 passes on:
//   ncu --csv --metrics … --log-file counters.csv ./atomic_wavefronts > launches.json
// `bits`: three lanes. Lane 0 has the first word of a line, lane 1 the second word of the line
// whose address differs in these bits, lane 2 the second word of the first line. Two sectors pass
// where the lines lie in different tag banks, three where they share one and lane 2 has to wait for
// lane 1. `words`: 1 to 32 lanes on random words of a range, or on words a distance apart.
#include "../check.h"

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr unsigned kFirstBit = 7, kLastBit = 23;        // of addresses
constexpr std::uint64_t kRegion = 1u << (kLastBit + 1); // bytes that the bits can reach
using Words = std::vector<std::uint32_t>;

__global__ void reduce(std::uint32_t *memory, const std::uint32_t *words, unsigned lanes) {
  if (threadIdx.x < lanes)
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(memory + words[threadIdx.x]) : "memory");
}

__global__ void fetch(std::uint32_t *memory, const std::uint32_t *words, unsigned lanes,
                      std::uint32_t *sink) {
  if (threadIdx.x >= lanes)
    return;
  std::uint32_t before;
  asm volatile("atom.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(memory + words[threadIdx.x])
               : "memory");
  if (before == ~0u)
    *sink = before;
}

Words differingIn(std::uint32_t addressBits) { return {0, addressBits / 4 + 1, 1}; }

std::vector<Words> chosenWords() {
  std::vector<Words> all;
  for (unsigned lanes : {1u, 3u, 8u, 32u})
    all.push_back(Words(lanes, 0));
  for (unsigned apart : {1u, 2u, 8u, 16u, 32u, 33u, 64u, 1024u}) {
    Words words;
    for (unsigned lane = 0; lane < 32; ++lane)
      words.push_back(lane * apart);
    all.push_back(words);
  }
  std::mt19937 random(1);
  for (unsigned range : {16u, 32u, 64u, 128u, 512u, 2048u, 1u << 14, 1u << 19})
    for (unsigned lanes : {5u, 12u, 20u, 32u, 32u, 32u, 32u, 32u}) {
      Words words;
      for (unsigned lane = 0; lane < lanes; ++lane)
        words.push_back(random() % range);
      all.push_back(words);
    }
  return all;
}

class Launcher {
public:
  Launcher() {
    char *allocated = nullptr;
    CHECK(cudaMalloc(&allocated, 2 * kRegion)); // so that a whole region is aligned to its size
    const auto address = reinterpret_cast<std::uintptr_t>(allocated);
    memory_ = reinterpret_cast<std::uint32_t *>((address + kRegion - 1) / kRegion * kRegion);
    CHECK(cudaMemset(memory_, 0, kRegion));
    CHECK(cudaMalloc(&words_, 32 * sizeof(std::uint32_t)));
    CHECK(cudaMalloc(&sink_, sizeof(std::uint32_t)));
  }

  /// Launches both kernels and prints a row for each, in the order of the launches.
  void run(const std::string &what, const Words &words) {
    CHECK(cudaMemcpy(words_, words.data(), words.size() * sizeof words[0], cudaMemcpyHostToDevice));
    const auto lanes = static_cast<unsigned>(words.size());
    reduce<<<1, 32>>>(memory_, words_, lanes);
    print("reduce", what);
    fetch<<<1, 32>>>(memory_, words_, lanes, sink_);
    print("fetch", what);
    CHECK(cudaDeviceSynchronize());
  }

private:
  void print(const char *kernel, const std::string &what) {
    std::printf("%s{\"kernel\": \"%s\", %s}", comma_, kernel, what.c_str());
    comma_ = ",\n";
  }

  std::uint32_t *memory_ = nullptr, *words_ = nullptr, *sink_ = nullptr;
  const char *comma_ = "";
};

std::string listOf(const Words &values) {
  std::string text = "[";
  for (const std::uint32_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

} // namespace

int main() {
  Launcher launcher;
  std::printf("[");
  for (unsigned one = kFirstBit; one <= kLastBit; ++one)
    for (unsigned other = one; other <= kLastBit; ++other) {
      const Words bits = one == other ? Words{one} : Words{one, other};
      launcher.run("\"bits\": " + listOf(bits), differingIn((1u << one) | (1u << other)));
    }
  for (const Words &words : chosenWords())
    launcher.run("\"words\": " + listOf(words), words);
  std::printf("]\n");
  return 0;
}
