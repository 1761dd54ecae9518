// Members of elements that are given to functions which a pointer names.
#include <cstdio>
#include <vector>

struct Bat {
  double loudness, fitness;
  double position[6], velocity[6];
};
#include "bat_layout.h"

__device__ double (*cost)(double[], int);

__device__ double sphere(double at[], int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += at[k] * at[k];
  return sum;
}

__device__ double slope(double at[], int n) {
  double sum = 0;
  for (int k = 0; k + 1 < n; ++k)
    sum += at[k + 1] - at[k];
  return sum;
}

__global__ void choose(int which) { cost = which == 0 ? &sphere : &slope; }

__global__ void fly(BatView bats, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < 6; ++k)
    bats.position(i)[k] += 0.5 * bats.velocity(i)[k];
  bats.fitness(i) = cost(bats.position(i), 6) * bats.loudness(i);
}

int main() {
  const int n = 300;
  std::vector<Bat> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].loudness = 1 + i % 3;
    for (int k = 0; k < 6; ++k) {
      host[i].position[k] = i + k * k;
      host[i].velocity[k] = k;
    }
  }
  BatView bats = nullptr;
  batMalloc(&bats, n * sizeof(Bat));
  batMemcpy(bats, host.data(), n * sizeof(Bat), cudaMemcpyHostToDevice);
  for (int which = 0; which < 2; ++which) {
    choose<<<1, 1>>>(which);
    fly<<<(n + 127) / 128, 128>>>(bats, n);
    batMemcpy(host.data(), bats, n * sizeof(Bat), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (const Bat &bat : host)
      sum += bat.fitness;
    std::printf("%f\n", sum);
  }
  batFree(bats);
}
