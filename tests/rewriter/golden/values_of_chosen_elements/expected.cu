// Elements chosen beside other objects and arrays, assigned in chains, and captured by lambdas.
// clang-format off
#include <cstdio>

struct Leaf { float area, angle; int age; };
#include "leaf_layout.h"

constexpr Leaf kSeed = {0.0f, 0.5f, 0};

__device__ Leaf bud() { return {0.1f, 0.0f, 0}; }

__global__ void grow(LeafView leaves, LeafView fallen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Leaf young = {0.5f, 0.25f, 1};
  __shared__ Leaf near[32];
  near[threadIdx.x] = (i % 5 ? leaves + i : fallen + i).load();
  Leaf kept = i % 3 ? near[threadIdx.x] : i % 4 ? young : leaves.load(i);
  (i & 1 ? leaves + i : fallen + i).age() += 2;
  if (kept.age > 40)
    fallen.store(i, leaves.store(i, bud()));
  else
    leaves.store(i, fallen.age(i) > 3 ? kept : (fallen.store(i, young)));
  LeafView own = leaves + i;
  auto turn = [own](float by) { own.angle() += by; };
  turn(0.5f);
  Leaf last = fallen.store(i, leaves.load(i));
  leaves.area(i) += last.area;
  if (leaves.age(i) > 60) leaves.store(i, Leaf(kSeed));
}

int main() {
  const int n = 96;
  Leaf leaves[n], fallen[n];
  for (int i = 0; i < n; ++i) {
    leaves[i] = {i * 0.5f, 1.0f, i};
    fallen[i] = {0.0f, 2.0f, i % 5};
  }
  LeafView a, b;
  leafMalloc(&a, n * sizeof(Leaf));
  leafMalloc(&b, n * sizeof(Leaf));
  leafMemcpy(a, leaves, n * sizeof(Leaf), cudaMemcpyHostToDevice);
  leafMemcpy(b, fallen, n * sizeof(Leaf), cudaMemcpyHostToDevice);
  grow<<<3, 32>>>(a, b, n);
  leafMemcpy(leaves, a, n * sizeof(Leaf), cudaMemcpyDeviceToHost);
  leafMemcpy(fallen, b, n * sizeof(Leaf), cudaMemcpyDeviceToHost);
  printf("%g %d %g\n", leaves[7].area, fallen[9].age, leaves[8].angle);
}
