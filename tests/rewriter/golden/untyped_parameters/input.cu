// Parameters without a type that are cast to one record alone, as in the oldest n-body kernels.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

struct Body {
  float x, y, mass;
  int hits;
};

static __device__ float pull(const void *of, int i, float x) {
  const Body *bodies = (const Body *)of;
  return bodies[i].mass * (bodies[i].x - x);
}

template <bool Twice> __global__ void step(void *from, void *to, int n) {
  Body *in = (Body *)from;
  Body *out = static_cast<Body *>(to);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += pull(in, k, in[i].x);
  out[i] = in[i];
  out[i].y += Twice ? 2 * sum : sum;
  ++out[i].hits;
}

int compare(const void *a, const void *b) {
  const Body *one = (const Body *)a, *other = (const Body *)b;
  return (one->y > other->y) - (one->y < other->y);
}

int main() {
  const int n = 200;
  Body host[n], *in, *out;
  for (int i = 0; i < n; ++i)
    host[i] = {0.25f * i, 1, 1.0f + i % 3, i};
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  step<true><<<2, 128>>>(in, out, n);
  step<false><<<2, 128>>>(out, in, n);
  cudaMemcpy(host, in, sizeof host, cudaMemcpyDeviceToHost);
  std::qsort(host, n, sizeof(Body), compare);
  std::printf("%.7g %d\n", host[7].y, host[8].hits);
}
