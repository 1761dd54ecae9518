// R soa
struct R {
  float x, y;
};

void prepare(void **p, size_t n);

__global__ void k(R *p) { p[0].x = 1; }

[[nodiscard]] __host__ int run() {
  R *p = nullptr;
  prepare((void **)&p, 64 * sizeof(R)); // refused: RL-R13
  k<<<1, 64>>>(p);
  return cudaFree(p);
}

int main() { return run(); }

void prepare(void **p, size_t n) { cudaMalloc(p, n); }
