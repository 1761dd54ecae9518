// Methods that return what they assign: `return *this = *this * by;`.
#include <cstdio>

struct Vec {
  float x, y, z;
  __host__ __device__ Vec operator*(float by) const { return {x * by, y * by, z * by}; }
  __host__ __device__ Vec &scale(float by) { return *this = *this * by; }
  __host__ __device__ float sum() const { return x + y + z; }
};

__global__ void step(Vec *vectors, const Vec *other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Vec own = other[i];
  Vec &same = own = vectors[i];
  own.scale(2).scale(0.25f);
  vectors[i] = own;
  vectors[i].x += same.sum();
}

int main() {
  const int n = 100;
  Vec host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {float(i), 1, 2};
  Vec *vectors, *other;
  cudaMalloc(&vectors, sizeof host);
  cudaMalloc(&other, sizeof host);
  cudaMemcpy(vectors, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(other, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, 128>>>(vectors, other, n);
  cudaMemcpy(host, vectors, sizeof host, cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Vec &vec : host)
    sum += vec.sum();
  std::printf("%g\n", sum);
  cudaFree(vectors);
  cudaFree(other);
}
