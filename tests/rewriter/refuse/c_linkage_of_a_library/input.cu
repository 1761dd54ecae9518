// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

extern "C" R *make(int n) { // refused: RL-R10
  R *p;
  cudaMalloc(&p, n * sizeof(R));
  k<<<1, 1>>>(p);
  return p;
}
