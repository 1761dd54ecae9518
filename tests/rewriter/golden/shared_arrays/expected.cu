// Arrays in shared memory whose uses are all known become objects of a class, one for each layout;
// an array that leads to a function keeps its records.
// clang-format off
#include <cstdio>

struct Vec { float x, y; };

struct Particle {
  Vec pos;
  float mass;
  int kind[2];
};
#include "particle_split_layout.h"
#include "particle_soa_layout.h"
#include "particle_padded_layout.h"

constexpr int kTile = 64;

__device__ float massOf(const Particle *all, int i) { return all[i].mass; }

__device__ float weigh(Particle one) { return one.mass + one.pos.x; }

__global__ void stage(ParticleSplitView particles, float *out) {
  __shared__ ParticleSoaArray<kTile> tile;
  __shared__ Particle passed[kTile];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile.store(t, particles.load(i));
  passed[t] = particles.load(i);
  __syncthreads();
  const Particle next = tile.load((t + 1) % kTile);
  float sum = next.mass + massOf(passed, kTile - 1 - t) + weigh(tile.load(t));
  for (int k = 0; k < 2; ++k)
    sum += tile.kind(t ^ 1)[k];
  __syncthreads();
  tile.mass(t) *= 2;
  ++tile.kind(t)[0];
  const Vec at = tile.pos(t);
  sum += at.x + tile.pos(t).y;
  __syncthreads();
  particles.store(i, tile.load(kTile - 1 - t));
  out[i] = sum;
}

template <int kSize> __global__ void reduce(ConstParticleSplitView particles, float *out) {
  __shared__ ParticlePaddedArray<kSize> held;
  const int t = threadIdx.x;
  held.store(t, particles.load(blockIdx.x * kSize + t));
  for (int half = kSize / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      held.mass(t) += held.mass(t + half);
      held.pos(t).x = held.pos(t).x + held.pos(t + half).x;
    }
  }
  if (t == 0)
    out[blockIdx.x] = held.mass(0) + held.pos(0).x;
}

int main() {
  const int n = 256;
  Particle host[n];
  float sums[n], totals[8];
  for (int i = 0; i < n; ++i)
    host[i] = {{0.5f * i, 2.0f * i}, 1.0f + i % 7, {i, 2 * i}};
  ParticleSplitView particles;
  float *out;
  particleSplitMalloc(&particles, sizeof(host));
  cudaMalloc(&out, sizeof(sums));
  particleSplitMemcpy(particles, host, sizeof(host), cudaMemcpyHostToDevice);
  stage<<<n / kTile, kTile>>>(particles, out);
  cudaMemcpy(sums, out, sizeof(sums), cudaMemcpyDeviceToHost);
  reduce<32><<<n / 32, 32>>>(particles, out);
  cudaMemcpy(totals, out, sizeof(totals), cudaMemcpyDeviceToHost);
  reduce<64><<<n / 64, 64>>>(particles, out);
  cudaMemcpy(totals, out, 4 * sizeof(float), cudaMemcpyDeviceToHost);
  particleSplitMemcpy(host, particles, sizeof(host), cudaMemcpyDeviceToHost);
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += sums[i] + host[i].mass + host[i].pos.x * 0.25 + host[i].kind[0];
  for (int i = 0; i < 8; ++i)
    total += totals[i];
  std::printf("%.9g\n", total);
}
