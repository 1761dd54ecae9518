// Methods that change some private members of an element: these are stored, and no others.
// clang-format off
#include <cstdio>

struct Pair {
  float a, b;
  __host__ __device__ Pair operator+(const Pair &o) const { return {a + o.a, b + o.b}; }
};

class Particle {
public:
  __host__ __device__ Particle() : at_{0, 0}, v_{1, 2}, age_(0), kind(3) {}
  __host__ __device__ void move() { at_ = at_ + v_; }
  __host__ __device__ void turn(float by) { v_ = {v_.b * by, v_.a}; age_++; }
  __host__ __device__ float where() const { return at_.a + at_.b; }
  int kind;

private:
  Pair at_, v_;
  int age_;
};

__global__ void step(Particle *particles, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  particles[i].move();
  if (i % 2 == 0)
    particles[i].turn(0.5f);
  Particle &mine = particles[i];
  mine.move();
  sums[i] = mine.where();
}

int main() {
  const int n = 128;
  static Particle host[n];
  Particle *particles;
  float *sums;
  cudaMalloc(&particles, sizeof host);
  cudaMalloc(&sums, n * sizeof(float));
  cudaMemcpy(particles, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, n>>>(particles, sums, n);
  step<<<1, n>>>(particles, sums, n);
  static float result[n];
  cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, particles, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", result[6], host[7].where());
  cudaFree(particles);
  cudaFree(sums);
}
