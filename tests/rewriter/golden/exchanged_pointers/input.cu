// Pointers that change hands by std::exchange, which CUDA's header brings, and loops over arrays and
// lists of them.
// clang-format off
#include <cstdio>

struct Particle {
  float x, v;
  int id;
};

class Buffer {
public:
  explicit Buffer(int n) { cudaMalloc(&items_, n * sizeof(Particle)); }
  Buffer(Buffer &&other) noexcept : items_(std::exchange(other.items_, nullptr)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    cudaFree(std::exchange(items_, std::exchange(other.items_, nullptr)));
    return *this;
  }
  ~Buffer() { cudaFree(items_); }
  Particle *get() const { return items_; }

private:
  Particle *items_ = nullptr;
};

__global__ void step(const Particle *from, Particle *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    to[i].x = from[i].x + from[i].v;
    to[i].v = from[i].v;
    to[i].id = from[i].id;
  }
}

int main() {
  const int n = 100;
  Particle host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 0.5f, i};
  Buffer buffer(n);
  Buffer moved(std::move(buffer));
  moved = Buffer(n);
  Particle *parts[2];
  for (int k = 0; k < 2; ++k)
    cudaMalloc(&parts[k], sizeof(host));
  for (auto part : parts)
    cudaMemcpy(part, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(moved.get(), host, sizeof(host), cudaMemcpyHostToDevice);
  for (const Particle *part : {parts[0], parts[1], moved.get()})
    if (!part)
      return 1;
  Particle *from = parts[0], *to = parts[1];
  for (int t = 0; t < 3; ++t) {
    step<<<1, 128>>>(from, to, n);
    Particle *old = std::exchange(from, to);
    to = old;
  }
  std::exchange(to, moved.get());
  step<<<1, 128>>>(from, to, n);
  cudaMemcpy(host, to, sizeof(host), cudaMemcpyDeviceToHost);
  for (auto *part : {parts[0], parts[1]})
    cudaFree(part);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x * host[i].id;
  std::printf("%.9g\n", sum);
}
