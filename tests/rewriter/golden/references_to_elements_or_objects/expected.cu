// Functions that are given elements of an array by reference, and other objects, and do more than
// to change them.
// clang-format off
#include <cstdio>

struct Body {
  float x, y, mass;
  int hits;
};
#include "body_layout.h"

struct Counter {
  int changes;
};

/// Counts, so that an element cannot be loaded before the call and stored behind it.
__device__ void hit(BodyView b, Counter *counter) {
  b.hits()++;
  atomicAdd(&counter->changes, 1);
}

__device__ void hit(Body &b, Counter *counter) {
  b.hits++;
  atomicAdd(&counter->changes, 1);
}

/// Given to another.
__device__ void push(BodyView b, float by, Counter *counter) {
  b.x() += by;
  if (b.x() > 20)
    hit(b, counter);
}

__device__ void push(Body &b, float by, Counter *counter) {
  b.x += by;
  if (b.x > 20)
    hit(b, counter);
}

/// Called in a condition.
__device__ bool move(BodyView b, float by) {
  b.y() += by;
  return b.y() > 4;
}

__device__ bool move(Body &b, float by) {
  b.y += by;
  return b.y > 4;
}

/// Loaded before and stored behind its calls.
__device__ void scale(Body &b, float by) { b.mass *= by; }

__host__ __device__ void settle(BodyView b, float *sums, int at) {
  b.mass() += 0.5f;
  sums[at] += b.mass();
}

__host__ __device__ void settle(Body &b, float *sums, int at) {
  b.mass += 0.5f;
  sums[at] += b.mass;
}

void settle_host(Body &b, float *sums, int at) {
  b.mass += 0.5f;
  sums[at] += b.mass;
}

template <class T> __device__ void exchange(T &a, T &b) {
  T c = a;
  a = b;
  b = c;
}

__device__ void exchange(BodyView a, BodyView b) {
  Body c = a.load();
  a.store(0, b.load());
  b.store(0, c);
}

template <class T> __device__ void exchange_local(T &a, T &b) {
  T c = a;
  a = b;
  b = c;
}

struct Mover {
  Counter *counter;
  __device__ void visit(BodyView a, const Body &b) {
    a.x() += b.mass;
    atomicAdd(&counter->changes, 2);
  }

  __device__ void visit(Body &a, const Body &b) {
    a.x += b.mass;
    atomicAdd(&counter->changes, 2);
  }
};

__global__ void step(BodyView p, float *sums, Counter *counter, int n) {
  __shared__ Body tile[32];
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  if (i >= n)
    return;
  Body own = p.load(i);
  tile[t] = own;
  BodyView mine = p + i;
  push(own, 3, counter);
  push(tile[t], 2, counter);
  push(mine, 1, counter);
  hit(own, counter);
  if (move(own, 1) || move(p + i, 2))
    hit(p + i, counter);
  scale(own, 2);
  {
    Body element2 = p.load(i);
    scale(element2, 3);
    p.mass(i) = element2.mass;
  }
  settle(p + i, sums, i);
  settle(own, sums, i);
  exchange_local(own, tile[t]);
  exchange(p + i, p + ((i & ~1) + (i & 1)));
  Mover mover{counter};
  mover.visit(mine, own);
  mover.visit(own, tile[t]);
  p.x(i) += own.x + tile[t].x + tile[t].hits;
}

int main() {
  const int n = 50;
  Body host[n];
  float total[n] = {};
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f + i % 3, 2, i};
  settle_host(host[3], total, 3);
  BodyView p;
  float *sums;
  Counter *counter, counted;
  bodyMalloc(&p, n * sizeof(Body));
  cudaMalloc(&sums, n * sizeof(float));
  cudaMalloc(&counter, sizeof(Counter));
  bodyMemcpy(p, host, n * sizeof(Body), cudaMemcpyHostToDevice);
  cudaMemcpy(sums, total, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(counter, 0, sizeof(Counter));
  step<<<2, 32>>>(p, sums, counter, n);
  bodyMemcpy(host, p, n * sizeof(Body), cudaMemcpyDeviceToHost);
  cudaMemcpy(total, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(&counted, counter, sizeof(Counter), cudaMemcpyDeviceToHost);
  double sum = counted.changes;
  for (int i = 0; i < n; ++i)
    sum += host[i].x + host[i].y * 2 + host[i].mass + host[i].hits + total[i];
  std::printf("%.9g\n", sum);
}
