// R soa
struct R {
  float x, y;
};

__device__ float update(const R &r, R *p) {
  p[0].x = 5;
  return r.x;
}

__global__ void k(R *p) { p[1].y = update(p[0], p); } // refused: RL-R09

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
