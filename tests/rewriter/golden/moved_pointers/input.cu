// A class that owns an array hands its pointer on by std::move.
#include <cstdio>
#include <utility>
#include <vector>

struct Particle {
  float x, y, vx, vy;
  int id;
};

class Particles {
public:
  explicit Particles(int count) : count_(count) { cudaMalloc(&data_, count * sizeof(Particle)); }
  Particles(const Particles &) = delete;
  Particles &operator=(const Particles &) = delete;
  Particles(Particles &&other) noexcept
      : data_(std::move(other.data_)), count_(std::move(other.count_)) {
    other.data_ = nullptr;
    other.count_ = 0;
  }
  Particles &operator=(Particles &&other) noexcept {
    if (this != &other) {
      cudaFree(data_);
      data_ = std::move(other.data_);
      count_ = other.count_;
      other.data_ = nullptr;
    }
    return *this;
  }
  ~Particles() { cudaFree(data_); }

  Particle *data() { return data_; }
  int count() const { return count_; }

private:
  Particle *data_ = nullptr;
  int count_ = 0;
};

__global__ void move(Particle *particles, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    particles[i].x += dt * particles[i].vx;
    particles[i].y += dt * particles[i].vy;
  }
}

int main() {
  const int n = 300;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 2.0f * i, 1, 2, i};
  Particles first(n), second(n);
  cudaMemcpy(first.data(), host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  second = std::move(first);
  Particles third = std::move(second);
  move<<<(n + 127) / 128, 128>>>(third.data(), third.count(), 0.5f);
  cudaMemcpy(host.data(), third.data(), n * sizeof(Particle), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Particle &particle : host)
    sum += particle.x - particle.y;
  std::printf("%f\n", sum);
}
