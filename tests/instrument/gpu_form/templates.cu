// SPDX-License-Identifier: Apache-2.0
// Programs for gpu_form_test: templates: packs, deduced types, text that means something else in
// each instantiation.
#include "records.h"

namespace plain {
template <int B> struct Tr { static constexpr int n = B * 2; };
template <class T, int B, bool L> __device__ float f(const T *p, int i) {
  float s = 0;
  for (int j = 0; j < Tr<B>::n; ++j)
    s += p[j].x;
  if constexpr (L) {
    for (int j = 0; j < i % B; ++j)
      s += p[j].y;
    if (i == 3)
      return s;
  } else
    s += p[B].n;
  s += p[i].x;
  return s;
}
template <class T> __device__ auto g(T &&p, int i) -> decltype(p[i].x) { return p[i].x; }
template <class... I> __device__ float sum(const P *p, I... is) { return (p[is].x + ... + p[0].y); }
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  s += f<P, 2, true>(p, i) + f<P, 3, false>(q, i) + g(p, i) + sum(p, i, 1, 2);
  out[i] = s;
}
} // namespace plain

namespace packs {
template <class... I> __device__ float sum(const P *p, I... is) { return (p[is].x + ... + p[0].y); }
template <class... I> __device__ float none(const P *p, I... is) {
  float s = 0;
  ((s += p[is].x), ...);
  return s + p[0].y;
}
template <int... I> __device__ float list(const P *p) {
  float v[] = {p[I].x..., p[0].y};
  float s = 0;
  for (float f : v)
    s += f;
  return s;
}
__device__ float add(float a) { return a; }
template <class... F> __device__ float add(float a, F... f) { return a + add(f...); }
template <class... I> __device__ float call(const P *p, I... i) { return add(p[3].d, p[i].x...); }
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum(p, i, 1, 2) + none(p) + list<1, 2, 3>(q) + call(p, 1, 2);
}
} // namespace packs

namespace mixed {
struct Acc {
  const P *p;
  __device__ P operator[](int i) const { return p[i]; }
};
struct Bits {
  int x : 5;
  int n;
};
template <class A> __device__ float sum(const A &a, int i) {
  float s = a[i].x;
  for (int j = 0; j < 3; ++j)
    s += a[j].x;
  return s;
}
template <class T> __device__ float both(const T *t, int i) { return t[i].x + t[i].n; }
template <class T> __device__ float loc(int i) {
  T t{};
  t.n = i;
  return t.n;
}
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum(p, i) + sum(Acc{q}, i) + both(p, i) + loc<P>(i);
}
__global__ void kb(Bits *b, float *out) { out[threadIdx.x] += both(b, threadIdx.x); }
} // namespace mixed

namespace deduced {
__device__ decltype(auto) get(P *p, int i) { return p[i].x; }
__device__ decltype(auto) getd(const P &p) { return p.d; }
__device__ decltype(auto) ref(P *p, int i) { return (p[i].x); }
struct Q {
  long long a;
  char c;
  short s;
};
__device__ decltype(auto) geta(Q *p) { return p->a; }
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  decltype(auto) v = p[i].x;
  p[i].x += 1;
  s += v;
  ref(p, i) += 3;
  Q *z = reinterpret_cast<Q *>(q + i);
  auto old = geta(z);
  decltype(auto) w = z->a;
  z->a = 5;
  s += (float)(w & 15) + (old & 15);
  out[i] = s + get(p, i) + getd(q[i]);
}
} // namespace deduced

namespace bounds {
struct Par {
  int n;
  float w;
  int lim[3];
};
__device__ bool z_(int i, int j) { return (i + j) % 3 == 0; }
template <int K> __global__ void kt(P *p, float *out, const Par par, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  const int half = par.n / 2;
  int quarter = half / 2;
  int odd = threadIdx.x & 1 ? half : quarter;
  int late;
  late = i % 3;
  for (int j = 0; j < half; ++j)
    s += p[j].x;
  for (int j = quarter; j < par.n + K; j += quarter + 1)
    s += p[j].y;
  for (int j = 0; j < odd; ++j)
    s += p[j].x;
  for (int j = 0; j < late; ++j)
    s += p[j].x;
  for (int j = 0; j < m; ++j) {
    s += p[j].x;
    if (j == i)
      ++j;
  }
  for (int j = 0; j < m; ++j) {
    int l = j;
    if (i & 1)
      for (int z = 0; z < l; ++z)
        s += p[z].x;
    else
      for (int z = 0; z < j; ++z)
        s += p[z].y;
  }
  int bound = m;
  for (int j = 0; j < bound; ++j) {
    s += p[j].x;
    if (i == 2)
      bound = 5;
  }
  if (i & 4)
    m += 2;
  for (int j = 0; j < m; ++j)
    s += p[j].d;
  for (int j = 0, l = i; j < 4 && l < 100; ++j, ++l)
    s += p[j].x;
  for (int j = 0; j < par.lim[1]; ++j)
    s += p[j].y;
  int acc = 3;
  acc += i & 1;
  for (int j = 0; j < acc; ++j)
    s += p[j].n;
  int *ptr = &quarter;
  *ptr += 1;
  for (int j = 0; j < 6; ++j) {
    if (s > 1e9f)
      continue;
    for (int z = 0; z <= j; ++z)
      s += p[z].x;
    if (z_(i, j))
      continue;
    for (int z = 0; z < j; ++z)
      s += p[z].d;
  }
  out[i] = s;
}

} // namespace bounds

int main() {
  Arrays arrays;
  plain::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("plain");
  packs::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("packs");
  mixed::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  {
    mixed::Bits *bits = nullptr;
    cudaMalloc(&bits, kRecords * sizeof(mixed::Bits));
    cudaMemset(bits, 0, kRecords * sizeof(mixed::Bits));
    mixed::kb<<<1, 50>>>(bits, arrays.out);
    cudaFree(bits);
  }
  arrays.print("mixed");
  deduced::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("deduced");
  bounds::kt<3><<<4, 50>>>(arrays.p, arrays.out, bounds::Par{8, 1, {1, 2, 3}}, 4);
  arrays.print("bounds");
  return cudaDeviceSynchronize();
}
