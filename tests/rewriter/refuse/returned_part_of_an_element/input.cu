// R soa
#include <cstdio>
struct Position {
  float x, y;
};
struct R {
  Position at;
  int hits;
};

const Position &where(const R &r) { return r.at; }

__global__ void k(R *p) { p[threadIdx.x].hits += int(p[threadIdx.x].at.x); }

int main() {
  R *p;
  cudaMallocManaged(&p, 4 * sizeof(R));
  k<<<1, 4>>>(p);
  cudaDeviceSynchronize();
  const Position &kept = where(p[2]); // refused: RL-R09
  std::printf("%g\n", kept.x);
}
