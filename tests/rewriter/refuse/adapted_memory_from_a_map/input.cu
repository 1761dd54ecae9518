// R soa
#include <map>

struct R {
  float x, y;
};

struct Pool {
  std::map<void *, size_t> sizes;
  void take(void **p, size_t bytes) {
    cudaMalloc(p, bytes);
    sizes[*p] = bytes;
  }
  void show(float *to) {
    for (const auto &entry : sizes)
      cudaMemcpy(to, entry.first, sizeof(float), cudaMemcpyDeviceToHost);
  }
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  Pool pool;
  R *p;
  pool.take((void **)&p, 64 * sizeof(R)); // refused: RL-R05
  k<<<1, 1>>>(p);
}
