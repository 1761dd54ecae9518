// SPDX-License-Identifier: Apache-2.0
// Programs for gpu_form_test: lambdas, what they capture, member functions and recursion.
#include "records.h"

namespace lambdas {
template <class F> __device__ void each(int n, F f) {
  for (int j = 0; j < n; ++j)
    f(j);
}
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  each(m, [&](int j) { s += p[j].x; });
  auto g = [&](auto j) {
    for (int l = 0; l < m; ++l)
      s += q[l].x * j;
  };
  g(2);
  g(1.5f);
  auto h = [p, m, i, s]() mutable {
    for (int l = 0; l < i % 4; ++l)
      s += p[l].y;
    return s;
  };
  s += h();
  s += [=] {
    float t = 0;
    for (int l = 0; l < m; ++l) {
      if (l == i)
        return t;
      t += p[l].x;
    }
    return t;
  }();
  for (int j = 0; j < m; ++j)
    s += [&] { return p[j].x + q[j].y; }();
  int n = 2;
  auto bump = [&n] { n += threadIdx.x & 1; };
  bump();
  for (int j = 0; j < n; ++j)
    s += p[j].x;
  out[i] = s;
}
} // namespace lambdas

namespace captures {
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int n = 1;
  if (threadIdx.x & 1)
    n = 7;
  auto f = [=](int b) {
    float t = 0;
    for (int j = 0; j < n; ++j)
      t += p[j].x;
    return t + b;
  };
  int e = 2;
  auto g = [&e, p] {
    float t = 0;
    for (int j = 0; j < e; ++j)
      t += p[j].y;
    return t;
  };
  e += i % 3;
  P *a = p;
  __shared__ P t[50];
  t[threadIdx.x] = q[i];
  __syncthreads();
  if (m)
    a = t;
  auto h = [=] {
    float u = 0;
    for (int j = 0; j < 4; ++j)
      u += a[j].x;
    return u;
  };
  struct Fn {
    P *p;
    int n;
    __device__ float operator()() const {
      float t = 0;
      for (int j = 0; j < n; ++j)
        t += p[j].d;
      return t;
    }
  };
  s = f(3) + g() + h() + Fn{p, i % 4}();
  out[i] = s;
}
} // namespace captures

namespace recursion {
__device__ float walk(const P *p, int i, int depth) {
  float s = p[i].x;
  for (int j = 0; j < 2 && depth > 0; ++j)
    s += walk(p, (i * 2 + j) % 100, depth - 1);
  return s + p[i].y;
}
struct It {
  P *p;
  __device__ It &operator++() {
    ++p;
    return *this;
  }
  __device__ P &operator*() const { return *p; }
  __device__ P *operator->() const { return p; }
  __device__ bool operator!=(const It &o) const { return p != o.p; }
};
struct Acc {
  P *p;
  __device__ P &operator[](int i) const { return p[i]; }
  __device__ float operator()(int i) const { return p[i].x; }
  __device__ ~Acc() { p[0].d += 0; }
};
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = walk(p, i, i % 4);
  for (It a{q}, b{q + m}; a != b; ++a)
    s += a->x + (*a).y;
  Acc acc{q};
  acc[i].n = 3;
  for (int j = 0; j < m; ++j)
    s += acc[j].x + acc(j);
  out[i] = s;
}
} // namespace recursion

namespace ranges {
struct Span {
  P *b, *e_;
  __device__ P *begin() const { return b; }
  __device__ P *end() const { return e_; }
};
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (P &a : Span{p, p + m})
    s += a.x;
  for (P a : Span{q, q + i % 5}) {
    if (a.n == 3)
      continue;
    s += a.y;
  }
  for (const auto &[x, y, n, d] : Span{p, p + 3})
    s += x + d;
  const int w[] = {1, 5, 2};
  for (int j : w)
    s += p[j].x;
  out[i] = s;
}
} // namespace ranges

int main() {
  Arrays arrays;
  lambdas::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("lambdas");
  captures::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("captures");
  recursion::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("recursion");
  ranges::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("ranges");
  return cudaDeviceSynchronize();
}
