// Methods and functions that change an element and, by reference or pointer, an object of another
// class: a state of random numbers, a tally.
// clang-format off
#include <curand_kernel.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

struct Tally {
  float sum;
  int count;
  __host__ __device__ void add(float v) { sum += v; ++count; }
};
#include "tally_layout.h"

class Photon {
public:
  float x, y, z, weight;
  int bounces;
  __device__ void move(curandState *state, float d) { x += d * curand_uniform(state); y += d; }
  __device__ void turn(curandState &state) { z += curand_uniform(&state); }
  __device__ void walk(curandState &state, int steps) {
    for (int k = 0; k < steps && survives(); ++k) {
      x += curand_uniform(&state);
      absorb(0.1f);
    }
  }

private:
  __device__ bool survives() { return weight > 0.2f; }
  __device__ void absorb(float part) { weight -= part; ++bounces; }
};
#include "photon_layout.h"

inline __device__ void absorbPhoton(PhotonView photon, float part) { photon.weight() -= part; ++photon.bounces(); }

inline __device__ bool survivesPhoton(PhotonView photon) { return photon.weight() > 0.2f; }

inline __device__ void walkPhoton(PhotonView photon, curandState &state, int steps) {
  for (int k = 0; k < steps && survivesPhoton(photon); ++k) {
    photon.x() += curand_uniform(&state);
    absorbPhoton(photon, 0.1f);
  }
}

__device__ void score(PhotonView photon, TallyView tally) {
  {
    Tally element2 = tally.load();
    element2.add(photon.weight());
    tally.store(0, element2);
  }
  tally.count() += 1;
  photon.weight() += 0.01f;
}

__global__ void seed(curandState *states, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) curand_init(7, i, 0, &states[i]);
}

__global__ void step(PhotonView photons, curandState *states, TallyView tallies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandState own = states[i];
  {
    Photon element2 = photons.load(i);
    element2.move(&own, 0.5f);
    photons.x(i) = element2.x;
    photons.y(i) = element2.y;
  }
  {
    Photon element2 = photons.load(i);
    element2.turn(own);
    photons.z(i) = element2.z;
  }
  walkPhoton(photons + i, own, 4);
  score(photons + i, tallies + i);
  states[i] = own;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Photon> host(n);
  for (int i = 0; i < n; ++i) { host[i].x = i; host[i].y = host[i].z = 1; host[i].weight = 1; host[i].bounces = 0; }
  PhotonView photons; curandState *states; TallyView tallies;
  photonMalloc(&photons, n * sizeof(Photon));
  cudaMalloc(&states, n * sizeof(curandState));
  tallyMallocManaged(&tallies, n * sizeof(Tally));
  tallyMemset(tallies, 0, n * sizeof(Tally));
  photonMemcpy(photons, host.data(), n * sizeof(Photon), cudaMemcpyHostToDevice);
  seed<<<(n + 127) / 128, 128>>>(states, n);
  for (int k = 0; k < 5; ++k)
    step<<<(n + 127) / 128, 128>>>(photons, states, tallies, n);
  photonMemcpy(host.data(), photons, n * sizeof(Photon), cudaMemcpyDeviceToHost);
  std::map<int, double> sums;
  for (int i = 0; i < n; ++i)
    sums[tallies.count(i)] += tallies.sum(i);
  for (const auto &[count, sum] : sums) std::printf("%d %g\n", count, sum);
  std::printf("%g %g %d\n", host[3].x, host[n - 1].z, host[5].bounces);
}
