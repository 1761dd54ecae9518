// SPDX-License-Identifier: Apache-2.0
// Programs for gpu_form_test: references to fields, addresses, and overloads that tell lvalues from
// values.
#include "records.h"

namespace bound {
template <class T> __device__ const T &mx(const T &a, const T &b) { return a < b ? b : a; }
__device__ float hold(const float &v, P *p, int i) {
  p[i].x += 5;
  return v;
}
struct View {
  const float &x;
  const int &n;
  __device__ View(const P &p) : x(p.x), n(p.n) {}
};
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  const float &y = p[i].y;
  p[i].y += 3;
  s += y;
  const float &z = mx(p[i].x, q[i].x);
  p[i].x += 100;
  q[i].x += 200;
  s += z;
  s += hold(p[i].x, p, i);
  View v(p[i]);
  p[i].x = 7;
  p[i].n = 70;
  s += v.x + v.n;
  const int &n = i & 1 ? p[i].n : q[i].n;
  p[i].n = 5;
  q[i].n = 6;
  for (int j = 0; j < n; ++j)
    s += 1;
  const float *a = &p[i].x;
  s += *a;
  const float &r = *&p[i].y;
  p[i].y = 1;
  s += r;
  auto l = [&w = p[i].x](float d) { return w * d; };
  p[i].x = 9;
  s += l(2);
  const auto [c0, c1, c2, c3] = p[i];
  const auto &[d0, d1, d2, d3] = p[i];
  p[i].d = 3;
  s += c3 + d3;
  out[i] = s;
}
} // namespace bound

namespace overloads {
__device__ int f(int &) { return 1; }
__device__ int f(const int &) { return 2; }
__device__ int f(int &&) { return 4; }
template <class T> __device__ int g(T &&) {
  return __is_same(T, float &) ? 1 : __is_same(T, const float &) ? 2 : 3;
}
__device__ int h(const float &) { return 1; }
__device__ int h(float &&) { return 2; }
__global__ void k(P *p, const P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto &&r = p[i].x;
  auto &&c = q[i].x;
  r += 1;
  out[i] = f(p[i].n) + 10 * f(q[i].n) + 100 * g(p[i].x) + 1000 * g(q[i].x) + 10000 * h(p[i].x) + c +
           f(static_cast<int &&>(p[i].n)) + f(p[i].n + 0);
}
} // namespace overloads

namespace cached {
__global__ void k(const P *__restrict__ p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = __ldg(&p[i].x) + __ldg(&(p + i)->n);
  for (int j = 0; j < m; ++j)
    s += __ldg(&p[j].y) + __ldcg(&p[j].d);
  __stcs(&q[i].x, s);
  __stcg(&q[i].n, 3);
  s += __ldg(&p[i].x + 1);
  out[i] = s;
}
} // namespace cached

namespace either {
__device__ float &pickx(P &a, P &b, bool c) { return c ? a.x : b.x; }
__device__ const P &best(const P &a, const P &b) { return a.x < b.x ? b : a; }
template <class T> __device__ const T &mx(const T &a, const T &b) { return a < b ? b : a; }
__device__ void swp(P &a, P &b) {
  P t = a;
  a = b;
  b = t;
}
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  pickx(p[i], q[i], i & 1) += 2;
  s += best(p[i], q[i]).y + mx(p[i].x, q[i].x) + max(p[i].n, q[i].n);
  if (i & 8)
    swp(p[i], q[i]);
  (i & 1 ? p : q)[i].y = 3;
  (i & 2 ? p[i].x : q[i].y) = 1;
  float *fp = &p[i].x;
  fp[1] += 2;
  *fp = *fp + 1;
  fp += 1;
  s += *fp++;
  P *pp[2] = {p, q};
  s += pp[i & 1][i].x;
  s += pp[1]->d;
  float2 f2 = *reinterpret_cast<float2 *>(&p[i]);
  s += f2.x;
  float P::*mem = i & 1 ? &P::x : &P::y;
  s += p[i].*mem + (q + i)->*mem;
  P tmp{p[i].x, p[i].y, p[i].n, p[i].d};
  P arr[2] = {p[i], q[i]};
  s += tmp.x + arr[1].y;
  P z = i & 1 ? p[i] : q[i];
  q[i] = z;
  P w;
  w = p[i] = q[i];
  s += w.x;
  sizeof(p[i].x);
  s += sizeof(p[i].d) + alignof(decltype(p[i].n));
  s = s + (float)p[i].n * p[i].x - (bool)p[i].n + !p[i].n + ~p[i].n + -p[i].x + p[i].n++ + --p[i].n;
  p[i].n <<= 1;
  p[i].x = p[i].y = s;
  out[i] = s;
}
} // namespace either

namespace bindings {
struct Two {
  const P &a;
  const P *b;
};
__device__ Two both(const P *p, int i) { return {p[i], p + i + 1}; }
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  auto [x, y, n, d] = p[i];
  auto &[rx, ry, rn, rd] = q[i];
  const auto &[cx, cy, cn, cd] = p[i];
  s += x + y + n + d + rx + rn + cx * cy;
  rx += 2;
  ry = s;
  for (int j = 0; j < n; ++j) {
    auto [a, b, c, e] = p[j];
    s += a + e;
  }
  auto [a, b] = both(p, 1);
  for (int j = 0; j < m; ++j)
    s += a.x + b->y;
  out[i] = s + q[i].x;
}
} // namespace bindings

int main() {
  Arrays arrays;
  bound::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("bound");
  overloads::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("overloads");
  cached::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("cached");
  either::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("either");
  bindings::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("bindings");
  return cudaDeviceSynchronize();
}
