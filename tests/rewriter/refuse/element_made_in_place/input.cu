// R soa
// A view's element is made elsewhere and stored: nothing may know where it was made, and nothing of
// what the memory held before may be left.
#include <new>

__device__ const void *last;

struct Owner;
struct R {
  float x = 0, y = 0;
  int n;
  __device__ R() {}
  __device__ R(float a, float b) : x(a), y(b), n(1) {}
  __device__ R(int m) {
    x = m;
    if (m > 2)
      n = m;
  }
  __device__ R(const Owner *) : n(2) { last = this; }
};
struct Other {
  float a, b, c;
};

__device__ int next(int &i) { return ++i; }

__global__ void k(R *p, int i) {
  R *kept = new (p + i) R(1, 2); // refused: RL-R09
  new (&p[i]) R; // refused: RL-R09
  new (p + i) R(i); // refused: RL-R09
  new (p + i) R((const Owner *)nullptr); // refused: RL-R09
  new (p + i) Other{1, 2, 3}; // refused: RL-R09
  new (p + i) R(1, next(i)); // refused: RL-R09
  new (p) R[2]; // refused: RL-R05
  kept->x = 0;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, 0);
}
