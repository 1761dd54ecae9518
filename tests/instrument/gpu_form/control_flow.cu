// SPDX-License-Identifier: Apache-2.0
// Programs for gpu_form_test: jumps, exits, and loops of all kinds.
#include "records.h"

namespace jumps {
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int j = 0;
  if (i >= N)
    goto end;
again:
  s += p[(i + j) % N].x;
  if (++j < (i & 7))
    goto again;
  for (int a = 0; a < m; ++a) {
    if (a == 5)
      goto out;
    s += q[a].y;
  }
out:
  for (int a = 0; a < m; ++a)
    s += q[a].x;
  out[i] = s;
end:;
}
} // namespace jumps

namespace cases {
__device__ float pick(const P &a, int c) {
  switch (c & 7) {
    float t;
  case 0:
    t = a.x;
    return t;
  case 1:
  case 2:
    t = a.y;
  case 3:
    t = a.n;
    [[fallthrough]];
  case 4: {
    t = a.x + a.y;
    break;
  }
  default:
    if (c > 6) {
    case 5:
      t = a.n * 2;
      break;
    }
    t = a.d;
  }
  return a.x * 2;
}
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (i < N)
    for (int j = 0; j < m; ++j)
      switch ((i + j) % 4) {
      case 0:
        s += p[i].x;
        if (j > 3)
          break;
      case 1:
        s += p[i].y;
        continue;
      default:
        s += pick(p[j], i);
      }
  if (i < N)
    out[i] = s;
}
} // namespace cases

namespace exits {
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < N; ++j) {
    if (p[j].n == i % 11)
      break;
    s += p[j].x;
    if (s > 1000) {
      out[i] = s;
      return;
    }
    if (j & 1)
      continue;
    s += p[j].y;
    for (int l = 0;; ++l) {
      if (l > j % 3)
        break;
      s += q[l].x;
      if (q[l].n > 100)
        return;
    }
  }
  int w = 0;
  while (true) {
    if (q[w].n > 8)
      break;
    ++w;
    s += q[w].x;
  }
  do {
    s -= q[w].y;
    if (w == 3)
      continue;
    --w;
  } while (w-- > 0 && q[w].n);
  out[i] = s;
}
} // namespace exits

namespace commas {
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int a, b;
  for (a = 0, b = m; a < b; ++a, --b)
    s += p[a].x, s += p[b].y;
  for (int c = 0, e = m; c < e; c += 2, e -= 1)
    s += (p[c].x, p[e].n);
  for (int c = 0; s += 1, c < m; ++c, s += q[c].x)
    ;
  int t = 0;
  while (t += p[i].n, t < 30) {
    s += q[i].x;
    ++t;
  }
  (q[i].y = s, q[i].n) += 2;
  out[i] = (i & 1 ? p[i].x : p[i].y) + ((i & 2) ? p[i] : q[i]).x;
}
} // namespace commas

namespace conditions {
__device__ int next(int &c) { return c++; }
__device__ bool less(const P *p, int a, int b) { return p[a].x < p[b].x; }
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int c = 0;
  while (next(c) < m && (p[c].n || less(p, c, c + 1)))
    s += p[c].x;
  for (int j = next(c); next(c) < 40; j = next(c))
    s += q[j].y;
  if (int t = p[i].n; t > 3 && q[t].n > 2)
    s += t;
  else if (P *z = q + i; z->n)
    s += z->x;
  while (const int t = p[c % N].n) {
    s += t;
    ++c;
    if (c > 80)
      break;
  }
  for (int j = 0; const int t = m - j; ++j)
    s += t * p[j].x;
  s += p[i].n ? p[i].x : q[i].n ? q[i].x : p[i].y;
  s += (p[i].n > 2) & (q[i].n > 3) | (p[0].n < 3 || q[0].n < 2);
  out[i] = s;
}
} // namespace conditions

namespace nested {
__global__ void k(P *p, P *q, float *out, int m, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int a = 0; a < m; ++a)
    for (int b = 0; b < a; ++b) {
      for (int c = b; c < a; ++c)
        s += p[c].x;
      if ((i + a) & 1)
        s += p[b].y;
      else
        for (int c = 0; c < 2; ++c)
          s += q[c].n;
      s += q[a].x;
    }
  for (int a = 0; a < m; ++a) {
    if (a & 1)
      s += p[a].x;
    else if (a & 2)
      s += p[a].y;
    for (int b = 0; b < i % 3; ++b) {
      s += p[b].n;
      for (int c = 0; c < b; ++c)
        s += q[c].d;
    }
  }
  if (m > 3)
    for (int a = 0; a < m; ++a)
      s += p[a].x;
  else
    for (int a = 0; a < m; ++a)
      s += p[a].y;
  if (i & 1)
    for (int a = 0; a < m; ++a)
      s += p[a].x;
  else if (i & 2)
    for (int a = 0; a < m + 2; ++a)
      s += p[a].y;
  else
    while (s < 3)
      s += p[i].x + 1;
  _Pragma("unroll 2") for (int a = 0; a < m; ++a) s += q[a].y;
#pragma unroll
  for (int a = 0; a < 8; ++a) {
    s += q[a].y;
    if (s > 1e8f)
      break;
  }
  for (;;) {
    s += p[i].x + 1;
    if (s > 100)
      break;
  }
  int t = 0;
  for (; t < m;) {
    s += p[t].x;
    t += 1 + (i & 1);
  }
  for (int a = 0; a < m; ++a) {
    int m = i % 3;
    for (int b = 0; b < m; ++b)
      s += p[b].x;
  }
  out[i] = s;
}
} // namespace nested

int main() {
  Arrays arrays;
  jumps::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("jumps");
  cases::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("cases");
  exits::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("exits");
  commas::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("commas");
  conditions::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("conditions");
  nested::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("nested");
  return cudaDeviceSynchronize();
}
