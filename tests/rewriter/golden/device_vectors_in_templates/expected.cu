// Templates take Thrust vectors of records and of numbers.
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

template <typename T> T *raw(thrust::device_vector<T> &v) {
  return thrust::raw_pointer_cast(v.data());
}

struct Particle {
  float x, v;
  int cell;
};
#include "particle_layout.h"

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Particle>.
class ParticleDeviceVector {
public:
  ParticleDeviceVector() = default;
  ParticleDeviceVector(const thrust::host_vector<Particle> &host) : ParticleDeviceVector() {
    *this = host;
  }
  ParticleDeviceVector(const ParticleDeviceVector &other) : ParticleDeviceVector() {
    *this = other;
  }
  ParticleDeviceVector(ParticleDeviceVector &&other) noexcept { swap(other); }
  ~ParticleDeviceVector() { particleFree(elements_); }

  ParticleDeviceVector &operator=(const ParticleDeviceVector &other) {
    if (this != &other) {
      makeRoom(other.size_);
      check(particleMemcpy(elements_, other.elements_, size_ * sizeof(Particle),
                       cudaMemcpyDeviceToDevice));
    }
    return *this;
  }
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

  ParticleView data() { return elements_; }
  ConstParticleView data() const { return elements_; }

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

inline ParticleView raw(ParticleDeviceVector &v) {
  return v.data();
}

// The pointer that a kernel reads by.
template <class T, class Allocator>
const T *raw(const thrust::device_vector<T, Allocator> &v) {
  const T *pointer = thrust::raw_pointer_cast(v.data());
  return pointer;
}

inline ConstParticleView raw(const ParticleDeviceVector &v) {
  ConstParticleView pointer = v.data();
  return pointer;
}

__global__ void move(ParticleView particles, const int *steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles.x(i) += particles.v(i) * steps[particles.cell(i)];
}

__global__ void sum(ConstParticleView particles, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sums[i] = particles.x(i) + particles.v(i);
}

class Swarm {
public:
  explicit Swarm(const thrust::host_vector<Particle> &host)
      : particles_(host), steps_(4, 3), sums_(host.size()) {}

  void advance() {
    const int n = size(particles_);
    move<<<(n + 31) / 32, 32>>>(raw(particles_), raw(steps_), n);
    const ParticleDeviceVector &read = particles_;
    sum<<<(n + 31) / 32, 32>>>(raw(read), raw(sums_), n);
  }

  thrust::host_vector<float> sums() const { return sums_; }

private:
  template <class Vector> static int size(const Vector &v) { return static_cast<int>(v.size()); }

  static int size(const ParticleDeviceVector &v) { return static_cast<int>(v.size()); }

  ParticleDeviceVector particles_;
  thrust::device_vector<int> steps_;
  thrust::device_vector<float> sums_;
};

int main() {
  const int n = 100;
  thrust::host_vector<Particle> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f, i % 4};
  Swarm swarm(host);
  swarm.advance();
  std::printf("%g\n", swarm.sums()[9]);
}
