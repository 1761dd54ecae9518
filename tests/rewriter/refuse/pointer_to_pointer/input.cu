// R soa
#include <cstddef>

struct R {
  float x, y;
};

struct Arrays {
  R **all;
};

bool make(R **p, size_t n) { return cudaMalloc(p, n * sizeof(R)) == cudaSuccess; }

R *second(R **p) { return p[1]; }

void nested(R ***p) { cudaMalloc(*p, 64); } // refused: RL-R06

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  make(&p, 64);
  Arrays a{&p};
  second(a.all);
  nested(&a.all);
  k<<<1, 1>>>(p);
}
