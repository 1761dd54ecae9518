// Class templates that own arrays of their argument's type, or point to them.
// clang-format off
#include <cstdio>
#include <utility>
#include <vector>

namespace device {
template <typename T, int kAlign = 1>
class Buffer {
public:
  using value_type = T;
  explicit Buffer(std::size_t n) : size_(n) {
    cudaMalloc(&items_, n * sizeof(T));
  }
  explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) { upload(values); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  Buffer(Buffer &&other) noexcept
      : items_(other.items_), size_{other.size_} {
    other.items_ = nullptr;
  }
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { cudaFree(items_); }

  T *get() { return items_; }
  const T *get() const { return items_; }
  T *end() { return items_ + size_; }
  std::size_t size() const { return size_; }
  void upload(const std::vector<T> &values) {
    cudaMemcpy(items_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    cudaMemcpy(values.data(), items_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

private:
  T *items_ = nullptr;
  std::size_t size_ = 0;
};
} // namespace device

struct Particle {
  float x, v;
  int id;
};

template <typename Real> struct Body {
  Real at, mass;
};

template <class T> struct Span {
  T *begin;
  int size;
  __device__ T *at(int i) const { return begin + i; }
  __device__ T &operator[](int i) const { return begin[i]; }
  __device__ float energy(int i) const { return begin[i].v * kHalf; }
  static constexpr float kHalf = 0.5f;
  static constexpr auto kBytes = sizeof(T);
};

__device__ const Particle &next(const Particle *particles, int i) { return particles[i + 1]; }
__device__ float speed(const Particle &particle) { return particle.v; }
__device__ Particle at(float x) { return {x, 0, 1}; }

extern "C" __global__ void advance(Span<Particle> particles, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.size)
    return;
  particles.at(i)->x += particles[i].v * dt;
  Particle &particle = particles[i];
  particle.id += particles[i].id > 9 ? 1 : 0;
  if (i + 1 < particles.size)
    particle.x += speed(next(particles.begin, i));
  const Particle copy = particles[i];
  particles[i] = copy;
  if (copy.id < 0)
    particles[i + 1] = at(copy.x);
}

template <typename Real> __global__ void move(const Body<Real> *in, Body<Real> *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i].at = in[i].at + in[i].mass;
}

template <typename Real> class Solver {
public:
  Solver(int n) : n_(n), current_(n), next_(std::vector<Body<Real>>(n, {1, 2})) {
    cudaMalloc((void **)&scratch_, n * sizeof(Body<Real>));
  }
  ~Solver() { cudaFree(scratch_); }
  Real run(int steps) {
    for (int k = 0; k < steps; ++k) {
      move<Real><<<(n_ + 63) / 64, 64>>>(next_.get(), scratch_, n_);
      move<<<(n_ + 63) / 64, 64>>>(scratch_, current_.get(), n_);
      std::swap(current_, next_);
    }
    return next_.download().front().at;
  }

private:
  int n_;
  device::Buffer<Body<Real>> current_, next_;
  Body<Real> *scratch_;
};

int main() {
  const int n = 300;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {float(i), float(i % 7), i};
  device::Buffer<Particle> particles(host);
  device::Buffer<int> plain(n);
  for (int k = 0; k < 3; ++k)
    advance<<<(n + 63) / 64, 64>>>(Span<Particle>{particles.get(), n}, 0.5f);
  double sum = plain.size();
  for (const Particle &particle : particles.download())
    sum += particle.x;
  Solver<float> solver(n);
  std::printf("%.9g %g\n", sum, solver.run(3));
}
