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

__device__ void score(Photon &photon, Tally *tally) {
  tally->add(photon.weight);
  tally->count += 1;
  photon.weight += 0.01f;
}

__global__ void seed(curandState *states, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) curand_init(7, i, 0, &states[i]);
}

__global__ void step(Photon *photons, curandState *states, Tally *tallies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandState own = states[i];
  photons[i].move(&own, 0.5f);
  photons[i].turn(own);
  photons[i].walk(own, 4);
  score(photons[i], &tallies[i]);
  states[i] = own;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Photon> host(n);
  for (int i = 0; i < n; ++i) { host[i].x = i; host[i].y = host[i].z = 1; host[i].weight = 1; host[i].bounces = 0; }
  Photon *photons; curandState *states; Tally *tallies;
  cudaMalloc(&photons, n * sizeof(Photon));
  cudaMalloc(&states, n * sizeof(curandState));
  cudaMallocManaged(&tallies, n * sizeof(Tally));
  cudaMemset(tallies, 0, n * sizeof(Tally));
  cudaMemcpy(photons, host.data(), n * sizeof(Photon), cudaMemcpyHostToDevice);
  seed<<<(n + 127) / 128, 128>>>(states, n);
  for (int k = 0; k < 5; ++k)
    step<<<(n + 127) / 128, 128>>>(photons, states, tallies, n);
  cudaMemcpy(host.data(), photons, n * sizeof(Photon), cudaMemcpyDeviceToHost);
  std::map<int, double> sums;
  for (int i = 0; i < n; ++i)
    sums[tallies[i].count] += tallies[i].sum;
  for (const auto &[count, sum] : sums) std::printf("%d %g\n", count, sum);
  std::printf("%g %g %d\n", host[3].x, host[n - 1].z, host[5].bounces);
}
