// Elements that are given what a call returns that acts: the call comes first.
// clang-format off
#include <cstdio>

struct Particle {
  float x, y;
  int id;

  __host__ __device__ Particle &operator+=(const Particle &b) {
    x += b.x;
    y += b.y;
    id += b.id;
    return *this;
  }
};

struct Counter {
  int next;
};

__device__ int draw(unsigned &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 24 & 15;
}

__device__ Particle born(unsigned &state, Counter *counter) {
  Particle p;
  p.x = draw(state);
  p.y = draw(state);
  p.id = counter->next++;
  return p;
}

__device__ Particle &tenth(Particle *own, unsigned &state) { return own[draw(state) % 10]; }

/// Counts what it passes on.
__device__ Particle counted(int *done, Particle p) {
  *done += 1;
  return p;
}

__device__ void renew(Particle *p, unsigned &at, Counter *counter) { p[at % 8] = born(at, counter); }

__global__ void fill(Particle *p, const Particle *q, Counter *counters, int *done, int n, int kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Counter *counter = &counters[i];
  unsigned state = i;
  Particle *row = p + i * 8;
  row[0] = born(state, counter);
  row[counter->next] = born(state, counter);
  if (draw(state) > 7)
    *(row + 2 * counter->next - 4) = born(state, counter);
  else
    row[4] = counted(&done[i], q[draw(state)]);
  int at = 2;
  for (int k = 0; k < 2; ++k)
    row[at++] = born(state, counter);
  Particle own[10];
  for (int k = 0; k < 10; ++k)
    own[k] = q[k];
  row[draw(state) % 2 + 5] = {1.0f * draw(state), 2, counter->next++};
  switch (kind) {
  case 0:
    row[7] = tenth(own, state);
    break;
  default:
    *row = born(state, counter);
  }
  row[counter->next % 8] += born(state, counter);
  if (kind == 1) {
    row[counter->next % 8] = born(state, counter);
  }
  for (int k = 0; k < 2; ++k) {
    row[k] += row[k + 2];
  }
  renew(row, state, counter);
  Particle *out = row + 6;
  *out++ = born(state, counter);
}

int main() {
  const int n = 16;
  Particle host[8 * n], source[16];
  for (int i = 0; i < 8 * n; ++i)
    host[i] = {0, 0, 0};
  for (int i = 0; i < 16; ++i)
    source[i] = {0.5f * i, 1.0f - i, i};
  Particle *p, *q;
  Counter *counters;
  int *done;
  cudaMalloc(&p, sizeof(host));
  cudaMalloc(&q, sizeof(source));
  cudaMalloc(&counters, n * sizeof(Counter));
  cudaMalloc(&done, n * sizeof(int));
  cudaMemcpy(p, host, 8 * n * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemcpy(q, source, 16 * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemset(done, 0, n * sizeof(int));
  for (int kind = 0; kind < 2; ++kind) {
    cudaMemset(counters, 0, n * sizeof(Counter));
    fill<<<1, 32>>>(p, q, counters, done, n, kind);
  }
  cudaMemcpy(host, p, 8 * n * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < 8 * n; ++i)
    sum += host[i].x * (i + 1) + host[i].y - host[i].id;
  std::printf("%.9g\n", sum);
}
