// R soa
struct R {
  float x, y;
};

void gpuMalloc(void **p, size_t bytes) {
  static size_t total = 0;
  total += bytes;
  cudaMalloc(p, bytes);
}

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  gpuMalloc((void **)&p, 64 * sizeof(R)); // refused: RL-R05
  k<<<1, 1>>>(p);
}
