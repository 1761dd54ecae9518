// SPDX-License-Identifier: Apache-2.0
// Programs for gpu_form_test: loops, statements and halves of them from macros.
#include "records.h"

namespace pieces {
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#define EACH(j, n, body)                                                                           \
  for (int j = 0; j < n; ++j) {                                                                    \
    body                                                                                           \
  }
#define KERNEL __global__ void k(P *p, P *q, float *out, int m, int N) {
#define X(i) p[i].x
#define BEGIN {
#define END }
#define SUM(v)                                                                                     \
  do {                                                                                             \
    for (int z = 0; z < m; ++z)                                                                    \
      s += v[z].y;                                                                                 \
  } while (0)
#define IFX if (s > 3)
KERNEL
int i = blockIdx.x * blockDim.x + threadIdx.x;
float s = 0;
FOR(j, m) s += X(j);
FOR(j, i % 5) BEGIN s += X(j) * q[j].y;
END EACH(j, m, s += X(j); if (j == i) continue; s += q[j].n;) SUM(p);
IFX s += X(i);
else s -= X(i);
FOR(j, 3) FOR(l, 2) s += X(j + l);
out[i] = s;
END
} // namespace pieces

namespace heads {
#define LIMIT 3
#define LOOP for (int j = 0; j < LIMIT; ++j)
#define BODY(f)                                                                                    \
  s += p[j].f;                                                                                     \
  s += q[j].f
#define PROLOG                                                                                     \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
  float s = 0;
#define CHECK(c)                                                                                   \
  if (!(c))                                                                                        \
  return
#define LAUNCH_BOUNDS __launch_bounds__(64)
__global__ void LAUNCH_BOUNDS k(P *p, P *q, float *out, int m, int N) {
  PROLOG
  CHECK(i < N);
  LOOP { BODY(x); }
  LOOP if (j & 1) { BODY(y); }
  else continue;
  for (int j = 0; j < m; ++j) {
#ifdef NOTHING
    s += 1;
#else
    s += p[j].n;
#endif
  }
#if 1
  for (int j = 0; j < i % 3; ++j)
#else
  for (int j = 0; j < 1; ++j)
#endif
    s += q[j].y; /* # not a directive */
  const char *text = R"(
# if not a directive
)";
  s += text[1];
  out[i] = s; // \
  out[i] = 0;
}
} // namespace heads

namespace whole {
#define IN_BOUNDS(i, N) ((i) < (N))
__global__ void LAUNCH_BOUNDS k(P *p, P *q,
#ifdef NOTHING
                                int nothing,
#endif
                                float *out, int m, int N) {
  PROLOG
  if (!IN_BOUNDS(i, N))
    return;
  FOR(j, m) s += X(j);
  SUM(q);
#ifdef NOTHING
  s += 1;
#else
  s += p[i].n;
#endif
  out[i] = s;
}
} // namespace whole

int main() {
  Arrays arrays;
  pieces::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("pieces");
  heads::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("heads");
  whole::k<<<4, 50>>>(arrays.p, arrays.q, arrays.out, 9, kRecords);
  arrays.print("whole");
  return cudaDeviceSynchronize();
}
