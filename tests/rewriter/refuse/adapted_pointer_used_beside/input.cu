// R soa
struct R {
  float x, y;
};

struct Pool {
  bool take(void **p, size_t bytes) { return cudaMalloc(p, bytes) == cudaSuccess; }
};

__global__ void k(R *p) { p[0].x = 1; }

bool launch(R *p) {
  k<<<1, 1>>>(p);
  return true;
}

int main() {
  Pool pool;
  R *p;
  return pool.take((void **)&p, 64 * sizeof(R)) && launch(p); // refused: RL-R05
}
