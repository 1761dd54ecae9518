// Elements chosen beside other objects and arrays, assigned in chains, and captured by lambdas.
// clang-format off
#include <cstdio>

struct Leaf { float area, angle; int age; };

constexpr Leaf kSeed = {0.0f, 0.5f, 0};

__device__ Leaf bud() { return {0.1f, 0.0f, 0}; }

__global__ void grow(Leaf *leaves, Leaf *fallen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Leaf young = {0.5f, 0.25f, 1};
  __shared__ Leaf near[32];
  near[threadIdx.x] = i % 5 ? leaves[i] : fallen[i];
  Leaf kept = i % 3 ? near[threadIdx.x] : i % 4 ? young : leaves[i];
  (i & 1 ? leaves[i] : fallen[i]).age += 2;
  if (kept.age > 40)
    fallen[i] = leaves[i] = bud();
  else
    leaves[i] = fallen[i].age > 3 ? kept : (fallen[i] = young);
  Leaf &own = leaves[i];
  auto turn = [&own](float by) { own.angle += by; };
  turn(0.5f);
  Leaf last = fallen[i] = leaves[i];
  leaves[i].area += last.area;
  if (leaves[i].age > 60) leaves[i] = kSeed;
}

int main() {
  const int n = 96;
  Leaf leaves[n], fallen[n];
  for (int i = 0; i < n; ++i) {
    leaves[i] = {i * 0.5f, 1.0f, i};
    fallen[i] = {0.0f, 2.0f, i % 5};
  }
  Leaf *a, *b;
  cudaMalloc(&a, n * sizeof(Leaf));
  cudaMalloc(&b, n * sizeof(Leaf));
  cudaMemcpy(a, leaves, n * sizeof(Leaf), cudaMemcpyHostToDevice);
  cudaMemcpy(b, fallen, n * sizeof(Leaf), cudaMemcpyHostToDevice);
  grow<<<3, 32>>>(a, b, n);
  cudaMemcpy(leaves, a, n * sizeof(Leaf), cudaMemcpyDeviceToHost);
  cudaMemcpy(fallen, b, n * sizeof(Leaf), cudaMemcpyDeviceToHost);
  printf("%g %d %g\n", leaves[7].area, fallen[9].age, leaves[8].angle);
}
