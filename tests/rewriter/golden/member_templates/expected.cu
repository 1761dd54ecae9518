// Member function templates over a record: of a class in front of it, as in a header of utilities,
// and of one behind it.
// clang-format off
#include <cstdio>
#include <vector>

namespace sim {
struct Wave;
class WaveView;
class ConstWaveView;
}

namespace tools {
class Buffers {
public:
  template <typename T> T *create(size_t n, bool isCleared = true) {
    T *p = nullptr;
    check(cudaMalloc(&p, n * sizeof(T)));
    if (isCleared)
      check(cudaMemset(p, 0, n * sizeof(T)));
    bytes_ += n * sizeof(T);
    return p;
  }

  sim::WaveView waveCreate(size_t n, bool isCleared = true);
  template <typename T> void upload(T *to, const std::vector<T> &from) const {
    check(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

  void upload(sim::WaveView to, const std::vector<sim::Wave> &from) const;
  template <typename T> static std::vector<T> download(const T *from, size_t n) {
    std::vector<T> to(n);
    check(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

  static std::vector<sim::Wave> download(sim::ConstWaveView from, size_t n);
  size_t bytes() const { return bytes_; }

private:
  static void check(cudaError_t error) {
    if (error != cudaSuccess)
      printf("%s\n", cudaGetErrorString(error));
  }

  size_t bytes_ = 0;
};
} // namespace tools

namespace sim {
struct Wave {
  float height, speed;
  int mark;
};
} // namespace sim
#include "wave_layout.h"

namespace tools {
inline sim::WaveView Buffers::waveCreate(size_t n, bool isCleared) {
  sim::WaveView p = nullptr;
  check(waveMalloc(&p, n * sizeof(sim::Wave)));
  if (isCleared)
    check(waveMemset(p, 0, n * sizeof(sim::Wave)));
  bytes_ += n * sizeof(sim::Wave);
  return p;
}

inline void Buffers::upload(sim::WaveView to, const std::vector<sim::Wave> &from) const {
  check(waveMemcpy(to, from.data(), from.size() * sizeof(sim::Wave), cudaMemcpyHostToDevice));
}

inline std::vector<sim::Wave> Buffers::download(sim::ConstWaveView from, size_t n) {
  std::vector<sim::Wave> to(n);
  check(waveMemcpy(to.data(), from, n * sizeof(sim::Wave), cudaMemcpyDeviceToHost));
  return to;
}
}

namespace sim {

class Run {
public:
  explicit Run(tools::Buffers &buffers) : buffers_(buffers) {}

  template <class T> void release(T *&p) {
    cudaFree(p);
    p = nullptr;
    ++released_;
  }

  void release(WaveView &p) {
    waveFree(p);
    p = nullptr;
    ++released_;
  }

  template <class T> T *fill(const std::vector<T> &from) {
    T *p = buffers_.template create<T>(from.size(), false);
    buffers_.upload(p, from);
    return p;
  }

  WaveView fill(const std::vector<sim::Wave> &from) {
    WaveView p = buffers_.waveCreate(from.size(), false);
    buffers_.upload(p, from);
    return p;
  }

  int released() const { return released_; }

private:
  tools::Buffers &buffers_;
  int released_ = 0;
};

__global__ void step(WaveView a, ConstWaveView b, float *sums, int n) {
  int i = threadIdx.x;
  if (i < n) {
    a.height(i) += b.speed(i);
    a.mark(i) = i;
    sums[i] = a.height(i);
  }
}
} // namespace sim

int main() {
  const int n = 64;
  std::vector<sim::Wave> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, i + 1.0f, 0};
  tools::Buffers buffers;
  sim::Run run(buffers);
  sim::WaveView a = buffers.waveCreate(n), b = run.fill(host);
  float *sums = buffers.create<float>(n);
  sim::step<<<1, n>>>(a, b, sums, n);
  host = tools::Buffers::download(a, n);
  std::vector<float> all = buffers.download<float>(sums, n);
  run.release(a);
  run.release(b);
  run.release(sums);
  printf("%g %d %g %d %zu\n", host[9].height, host[9].mark, all[9], run.released(), buffers.bytes());
}
