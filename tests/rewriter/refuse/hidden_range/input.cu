// R soa
#include <cstddef>

struct R {
  float x, y;
};

struct Span {
  R *first, *last;
  __device__ R *begin() const { return first; }
  __device__ R *end() const { return last; }
};

__global__ void k(R *p) {
  for (R &one : Span{p, p + 3}) // refused: RL-R07
    one.x = 1;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
