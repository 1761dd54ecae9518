// R soa
struct R {
  float x, y;
};
__device__ int lock;

__device__ float guarded(const R &r) {
  while (atomicCAS(&lock, 0, 1) != 0)
    ;
  const float x = r.x;
  atomicExch(&lock, 0);
  return x;
}

__global__ void k(R *p) { p[1].y = guarded(p[0]); } // refused: RL-R09

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
