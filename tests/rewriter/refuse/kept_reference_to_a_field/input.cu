// R soa
struct R {
  float x, y;
};

__device__ float *keep(float &f) { return &f; }
__device__ void walk(float &f) {
  float *next = &f;
  next[1] = 2; // refused: RL-R04
}

__global__ void k(R *p) {
  walk(p[0].x);
  *keep(p[0].x) = 1; // refused: RL-R04
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
