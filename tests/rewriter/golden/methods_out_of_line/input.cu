// Methods that are defined outside of their class.
// clang-format off
#include <cstdio>
#include <vector>
class Ball {
public:
  float x, v;
  int bounces;
  __device__ bool bounce(float low, float keep = 0.5f);
  __host__ __device__ void reset();
  __device__ void step(float dt) { x += v * dt; if (bounce(0)) reset(); }
};
__host__ __device__ inline void Ball::reset() { if (bounces > 100) bounces = 0; }
__device__ bool Ball::bounce(float low, float keep)
{
  if (x >= low) return false;
  x = 2 * low - x;
  v = -v * keep;
  ++this->bounces;
  return true;
}
__global__ void run(Ball *balls, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { balls[i].step(0.1f); if (balls[i].bounce(-1.0f)) balls[i].v += 1; }
}
int main() {
  const int n = 500;
  std::vector<Ball> h(n);
  for (int i = 0; i < n; ++i) { h[i].x = i % 7; h[i].v = -(i % 5); h[i].bounces = 0; }
  Ball *d; cudaMalloc(&d, n * sizeof(Ball));
  cudaMemcpy(d, h.data(), n * sizeof(Ball), cudaMemcpyHostToDevice);
  for (int t = 0; t < 30; ++t) run<<<8, 64>>>(d, n);
  cudaMemcpy(h.data(), d, n * sizeof(Ball), cudaMemcpyDeviceToHost);
  std::printf("%f %d\n", h[8].x, h[9].bounces);
}
