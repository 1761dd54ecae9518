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

// The pointer that a kernel reads by.
template <class T, class Allocator>
const T *raw(const thrust::device_vector<T, Allocator> &v) {
  const T *pointer = thrust::raw_pointer_cast(v.data());
  return pointer;
}

__global__ void move(Particle *particles, const int *steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles[i].x += particles[i].v * steps[particles[i].cell];
}

__global__ void sum(const Particle *particles, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sums[i] = particles[i].x + particles[i].v;
}

class Swarm {
public:
  explicit Swarm(const thrust::host_vector<Particle> &host)
      : particles_(host), steps_(4, 3), sums_(host.size()) {}

  void advance() {
    const int n = size(particles_);
    move<<<(n + 31) / 32, 32>>>(raw(particles_), raw(steps_), n);
    const thrust::device_vector<Particle> &read = particles_;
    sum<<<(n + 31) / 32, 32>>>(raw(read), raw(sums_), n);
  }

  thrust::host_vector<float> sums() const { return sums_; }

private:
  template <class Vector> static int size(const Vector &v) { return static_cast<int>(v.size()); }

  thrust::device_vector<Particle> particles_;
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
