// R soa
struct R {
  float x, y;
};

namespace sums {
__device__ float sum(const R *p) { return p->x + p->y; } // refused: RL-R03
} // namespace sums

using sums::sum; // would not name a copy

__global__ void k(R *p) {
  R own = p[threadIdx.x];
  p[threadIdx.x].x = sum(&own) + sum(&p[threadIdx.x]);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 32>>>(p);
}
