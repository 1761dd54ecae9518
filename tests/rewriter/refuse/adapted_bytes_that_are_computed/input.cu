// R soa
struct R {
  float x, y;
};

struct Pool {
  void take(void **p, size_t count, size_t size) { cudaMalloc(p, count * size); }
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  Pool pool;
  R *p;
  pool.take((void **)&p, 64, sizeof(R)); // refused: RL-R05
  k<<<1, 1>>>(p);
}
