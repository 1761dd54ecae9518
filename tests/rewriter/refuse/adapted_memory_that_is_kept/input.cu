// R soa
#include <cstddef>

struct R {
  float x, y;
};

struct Pool {
  void *last;
  void take(void **p, size_t bytes) {
    cudaMalloc(p, bytes);
    last = *p;
  }
  void show(float *to) { cudaMemcpy(to, last, sizeof(float), cudaMemcpyDeviceToHost); }
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  Pool pool;
  R *p;
  pool.take((void **)&p, 64 * sizeof(R)); // refused: RL-R05
  k<<<1, 1>>>(p);
}
