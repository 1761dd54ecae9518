// A function of both sides, and functions that give their callers the memory of one.
// clang-format off
#include <cstdio>

struct Tally { double sum; int count; };
#include "tally_layout.h"

__host__ __device__ void add(TallyView tallies, int i, double value) {
  tallies.sum(i) += value;
  tallies.count(i)++;
}

void add_host(Tally *tallies, int i, double value) {
  tallies[i].sum += value;
  tallies[i].count++;
}

__global__ void simulate(TallyView tallies) { add(tallies, threadIdx.x, 0.5 * threadIdx.x); }

void simulateHere(Tally *tallies, int n) {
  for (int i = 0; i < n; ++i) add_host(tallies, i, 0.5 * i);
}

void allocate(TallyView *onDevice, Tally **here, int n) {
  tallyMalloc(&*onDevice, n * sizeof(Tally));
  *here = new Tally[n]();
}

void allocateAll(TallyView *first, TallyView *second, Tally **here, Tally **there, int n) {
  allocate(first, here, n);
  allocate(second, there, n);
}

void exchange(TallyView *a, TallyView *b) {
  TallyView c = *a;
  *a = *b;
  *b = c;
}

void exchange_host(Tally **a, Tally **b) {
  Tally *c = *a;
  *a = *b;
  *b = c;
}

int main() {
  const int n = 64;
  TallyView a;
  TallyView b;
  Tally *host;
  Tally *expected;
  allocateAll(&a, &b, &host, &expected, n);
  tallyMemcpy(a, host, n * sizeof(Tally), cudaMemcpyHostToDevice);
  tallyMemcpy(b, host, n * sizeof(Tally), cudaMemcpyHostToDevice);
  simulate<<<1, n>>>(a);
  exchange(&a, &b);
  simulateHere(expected, n);
  exchange_host(&host, &expected);
  tallyMemcpy(expected, b, n * sizeof(Tally), cudaMemcpyDeviceToHost);
  double difference = 0;
  for (int i = 0; i < n; ++i) difference += expected[i].sum - host[i].sum;
  printf("%g %g\n", difference, expected[9].sum);
  tallyFree(a);
  tallyFree(b);
}
