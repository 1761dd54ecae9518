// SPDX-License-Identifier: Apache-2.0
// Programs for gpu_form_test: pointers that come to point elsewhere, and memory that is not
// counted.
#include "records.h"

namespace repointed {
__device__ void point(const P *&p, const P *to) { p = to; }
struct Holder {
  const P *p;
  int n;
  __device__ void set(const P *o) { p = o; }
};
__device__ void fill(Holder *h, const P *o) {
  h->p = o;
  h->n = 3;
}
__global__ void k(P *p, P *q, float *out, int m, int N) {
  __shared__ P tile[50];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  tile[threadIdx.x] = q[i];
  __syncthreads();
  const P *z = q;
  point(z, tile);
  s += z[threadIdx.x].x + q[i].x;
  const P *alt = (i & 1) ? q : tile;
  s += alt[threadIdx.x].y + p[i].y;
  const P *w = p;
  const P *&rw = w;
  rw = tile;
  s += w[1].x + p[1].x;
  s += w[2].y;
  auto set = [&] { p = tile; };
  s += p[i].x + q[i].y;
  set();
  s += p[3].x;
  Holder h{q, 2};
  h.set(tile);
  s += h.p[1].x + q[2].x;
  Holder g{q, 2};
  fill(&g, tile);
  for (int j = 0; j < g.n; ++j)
    s += g.p[j].d;
  const P *arr[2] = {tile, q};
  s += arr[i & 1][2].x + q[0].x;
  for (int j = 0; j < m; ++j)
    s += z[j].x + tile[j].y;
  out[i] = s;
}
} // namespace repointed

namespace swapped {
template <class T> __device__ void sw(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}
__device__ void chase(const P **pp) { *pp += 2; }
__global__ void k(const P *p, const P *q, float *out, int m, int N, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int t = 0; t < 4; ++t) {
    sw(p, q);
    s += p[i].x + q[i].y;
  }
  int lo = 0, hi = m;
  if (i & 1)
    sw(lo, hi);
  for (int j = lo; j < hi; ++j)
    s += p[j].x;
  chase(&p);
  s += p[1].x;
  for (int j = 0; j < n; ++j) {
    s += p[j].y;
    sw(n, m);
  }
  int &alias = m;
  alias = i % 5;
  for (int j = 0; j < m; ++j)
    s += q[j].d;
  int c = 0;
  for (int j = 0; j < 3; j += ++c)
    s += p[j].x;
  for (int j = 0; j < 9; j += (i & 1) + 1)
    s += p[j].y;
  for (int j = 0, b = 4; j < b; ++j) {
    s += p[j].n;
    if (i == j)
      b = 6;
  }
  out[i] = s;
}
} // namespace swapped

namespace spaces {
__constant__ P cp[4];
__device__ P gp[8];
__managed__ P mp[8];
__device__ P one;
__constant__ int cn;
__global__ void k(P *p, P *q, float *out, int m, int N) {
  __shared__ P tile[50];
  extern __shared__ P dyn[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  tile[threadIdx.x] = p[i];
  dyn[threadIdx.x] = q[i];
  __syncthreads();
  for (int j = 0; j < cn; ++j)
    s += cp[j].x + gp[j].y + mp[j].n + tile[j].x + dyn[j].y;
  for (int j = 0; j < cp[1].n; ++j)
    s += p[j].x;
  for (int j = 0; j < gp[1].n; ++j)
    s += p[j].y;
  if (i == 0) {
    one.x = s;
    one.n++;
    mp[2].d += 1;
  }
  out[i] = s;
}
} // namespace spaces

int main() {
  Arrays arrays;
  repointed::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("repointed");
  swapped::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords, 4);
  arrays.print("swapped");
  {
    std::vector<P> first(8);
    cudaMemcpy(first.data(), arrays.p, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    const int three = 3;
    cudaMemcpyToSymbol(spaces::cp, first.data(), 4 * sizeof(P));
    cudaMemcpyToSymbol(spaces::gp, first.data(), 8 * sizeof(P));
    cudaMemcpyToSymbol(spaces::cn, &three, sizeof three);
    for (int i = 0; i < 8; ++i)
      spaces::mp[i] = first[i];
    spaces::k<<<4, 50, 50 * sizeof(P)>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  }
  arrays.print("spaces");
  return cudaDeviceSynchronize();
}
