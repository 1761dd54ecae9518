// A function of both sides, and functions that give their callers the memory of one.
// clang-format off
#include <cstdio>

struct Tally { double sum; int count; };

__host__ __device__ void add(Tally *tallies, int i, double value) {
  tallies[i].sum += value;
  tallies[i].count++;
}

__global__ void simulate(Tally *tallies) { add(tallies, threadIdx.x, 0.5 * threadIdx.x); }

void simulateHere(Tally *tallies, int n) {
  for (int i = 0; i < n; ++i) add(tallies, i, 0.5 * i);
}

void allocate(Tally **onDevice, Tally **here, int n) {
  cudaMalloc((void **)&*onDevice, n * sizeof(Tally));
  *here = new Tally[n]();
}

void allocateAll(Tally **first, Tally **second, Tally **here, Tally **there, int n) {
  allocate(first, here, n);
  allocate(second, there, n);
}

void exchange(Tally **a, Tally **b) {
  Tally *c = *a;
  *a = *b;
  *b = c;
}

int main() {
  const int n = 64;
  Tally *a, *b, *host, *expected;
  allocateAll(&a, &b, &host, &expected, n);
  cudaMemcpy(a, host, n * sizeof(Tally), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, n * sizeof(Tally), cudaMemcpyHostToDevice);
  simulate<<<1, n>>>(a);
  exchange(&a, &b);
  simulateHere(expected, n);
  exchange(&host, &expected);
  cudaMemcpy(expected, b, n * sizeof(Tally), cudaMemcpyDeviceToHost);
  double difference = 0;
  for (int i = 0; i < n; ++i) difference += expected[i].sum - host[i].sum;
  printf("%g %g\n", difference, expected[9].sum);
  cudaFree(a);
  cudaFree(b);
}
