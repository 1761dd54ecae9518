// A soa
#include <cstdlib>
struct A { float x, y; };
template <class T> void turn(T &a, T &b) { T c = a; a = b; b = c; }
template <> void turn<A *>(A *&a, A *&b) { // refused: RL-R03
  A *c = a;
  a = b;
  b = c;
}
__global__ void k(A *a) { a[threadIdx.x].x += 1; }
int main() {
  A *a, *b, *c = (A *)malloc(64 * sizeof(A)), *d = c;
  cudaMalloc(&a, 64 * sizeof(A));
  cudaMalloc(&b, 64 * sizeof(A));
  turn(a, b);
  turn(c, d);
  k<<<1, 64>>>(a);
}
