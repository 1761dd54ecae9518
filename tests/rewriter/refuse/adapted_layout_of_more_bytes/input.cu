// R soa
struct R {
  double x;
  float y, z;
};

struct Pool {
  void take(void **p, size_t bytes) { cudaMalloc(p, bytes); }
};

__global__ void k(R *p) { p[0].x = 1; } // refused: RL-R05

int main() {
  Pool pool;
  R *p;
  pool.take((void **)&p, 63 * sizeof(R));
  k<<<1, 1>>>(p);
}
