// Thrust's vectors that one function fills, hands to kernels and reads.
// clang-format off
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <vector>

struct Particle {
  float x, y;
  char kind;
  double mass;
};
#include "particle_layout.h"

__global__ void move(ParticleView particles, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles.x(i) += dt * particles.y(i) * particles.mass(i);
}

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Particle>.
class ParticleDeviceVector {
public:
  ParticleDeviceVector() = default;
  explicit ParticleDeviceVector(std::size_t size) : ParticleDeviceVector() {
    makeRoom(size);
    check(particleMemset(elements_, 0, size_ * sizeof(Particle)));
  }
  ParticleDeviceVector(const thrust::host_vector<Particle> &host) : ParticleDeviceVector() {
    *this = host;
  }
  ParticleDeviceVector(const ParticleDeviceVector &) = delete;
  ParticleDeviceVector(ParticleDeviceVector &&other) noexcept { swap(other); }
  ~ParticleDeviceVector() { particleFree(elements_); }

  ParticleDeviceVector &operator=(const ParticleDeviceVector &) = delete;
  ParticleDeviceVector &operator=(ParticleDeviceVector &&other) noexcept {
    ParticleDeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  ParticleDeviceVector &operator=(const thrust::host_vector<Particle> &host) {
    assign(host.data(), host.data() + host.size());
    return *this;
  }
  void assign(const Particle *begin, const Particle *end) {
    makeRoom(static_cast<std::size_t>(end - begin));
    check(particleMemcpy(elements_, begin, size_ * sizeof(Particle), cudaMemcpyHostToDevice));
  }

  void copyTo(thrust::host_vector<Particle> &host) const {
    host.resize(size_);
    copyTo(host.data());
  }
  void copyTo(Particle *host) const {
    check(particleMemcpy(host, elements_, size_ * sizeof(Particle), cudaMemcpyDeviceToHost));
  }
  void copyFrom(const Particle *begin, const Particle *end) {
    check(particleMemcpy(elements_, begin, (end - begin) * sizeof(Particle), cudaMemcpyHostToDevice));
  }

  ParticleView data() { return elements_; }

  std::size_t size() const { return size_; }
  void swap(ParticleDeviceVector &other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  static void check(cudaError_t status) {
    if (status != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(status));
  }
  /// Keeps no elements.
  void makeRoom(std::size_t size) {
    if (size > capacity_) {
      ParticleDeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (particleMalloc(&elements_, capacity * sizeof(Particle)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  ParticleView elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

int main() {
  const int n = 100;
  thrust::host_vector<Particle> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = {float(i), 1.0f / (i + 1), char(i % 3), 2.0};
  ParticleDeviceVector d = h;
  for (int step = 0; step < 3; ++step)
    move<<<(n + 31) / 32, 32>>>(d.data(), n, 0.5f);
  d.copyTo(h);
  std::printf("%g\n", h[7].x);

  ParticleDeviceVector zeros(n);
  move<<<(n + 31) / 32, 32>>>(zeros.data(), n, 0.5f);
  std::vector<Particle> back(n);
  zeros.copyTo(back.data());
  zeros.copyFrom(h.data(), h.data() + h.size());
  particleMemcpy(back.data(), zeros.data(), n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", back[7].x, back[n - 1].mass);
}
