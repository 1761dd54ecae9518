// R soa
struct R {
  float x, y;
};

__device__ float sum(const R *p) { return p->x + p->y; } // refused: RL-R03

#define SUM_OF(one) sum(one)

__global__ void k(R *p) {
  R own = p[threadIdx.x];
  p[threadIdx.x].x = SUM_OF(&own) + SUM_OF(&p[threadIdx.x]);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 32>>>(p);
}
