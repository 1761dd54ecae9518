// Parameters without a type that are cast to one record alone, as in the oldest n-body kernels.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

struct Body {
  float x, y, mass;
  int hits;
};
#include "body_layout.h"

static __device__ float pull(ConstBodyView of, int i, float x) {
  ConstBodyView bodies = of;
  return bodies.mass(i) * (bodies.x(i) - x);
}

template <bool Twice> __global__ void step(BodyView from, BodyView to, int n) {
  BodyView in = from;
  BodyView out = to;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += pull(in, k, in.x(i));
  out.store(i, in.load(i));
  out.y(i) += Twice ? 2 * sum : sum;
  ++out.hits(i);
}

int compare(const void *a, const void *b) {
  const Body *one = (const Body *)a, *other = (const Body *)b;
  return (one->y > other->y) - (one->y < other->y);
}

int main() {
  const int n = 200;
  Body host[n];
  BodyView in;
  BodyView out;
  for (int i = 0; i < n; ++i)
    host[i] = {0.25f * i, 1, 1.0f + i % 3, i};
  bodyMalloc(&in, sizeof host);
  bodyMalloc(&out, sizeof host);
  bodyMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  step<true><<<2, 128>>>(in, out, n);
  step<false><<<2, 128>>>(out, in, n);
  bodyMemcpy(host, in, sizeof host, cudaMemcpyDeviceToHost);
  std::qsort(host, n, sizeof(Body), compare);
  std::printf("%.7g %d\n", host[7].y, host[8].hits);
}
