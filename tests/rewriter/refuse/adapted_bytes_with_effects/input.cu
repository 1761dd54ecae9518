// R soa
struct R {
  float x, y;
};

struct Pool {
  void take(void **p, size_t bytes) { cudaMalloc(p, bytes); }
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  Pool pool;
  R *p;
  int count = 8;
  pool.take((void **)&p, count++ * sizeof(R)); // refused: RL-R05
  k<<<1, 1>>>(p);
}
