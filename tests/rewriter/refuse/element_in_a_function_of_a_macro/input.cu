// R soa
struct R {
  float x, y;
};

#define SUM_FUNCTION(name) __device__ float name(const R *p) { return p->x + p->y; }

SUM_FUNCTION(sum) // refused: RL-R03

__global__ void k(R *p) {
  R own = p[threadIdx.x];
  p[threadIdx.x].x = sum(&own) + sum(&p[threadIdx.x]);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 32>>>(p);
}
