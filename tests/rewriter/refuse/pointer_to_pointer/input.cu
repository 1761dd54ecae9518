// R soa
#include <cstddef>

struct R {
  float x, y;
};

bool make(R **p, size_t n) { return cudaMalloc(p, n * sizeof(R)) == cudaSuccess; } // refused: RL-R06

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  make(&p, 64);
  k<<<1, 1>>>(p);
}
