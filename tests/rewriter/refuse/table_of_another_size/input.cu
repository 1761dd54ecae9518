// R soa
// A table of pointers grows with them where its bytes are counted in pointers.
#include <cstdlib>
#include <new>

struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  const int n = 4;
  size_t bytes = n * sizeof(R *);
  R **a = (R **)malloc(n * 8);             // refused: RL-R10
  R **b = (R **)malloc(bytes);             // refused: RL-R10
  R **c = (R **)calloc(n, sizeof(void *)); // refused: RL-R10
  int **numbers = nullptr;
  R **d = (R **)malloc(n * sizeof(*numbers)); // refused: RL-R10
  char room[64];
  R **e = new (room) R *[n]; // refused: RL-R05
  R *one = nullptr;
  R **g = new R *[n] { one }; // refused: RL-R05
  R **h = (R **)malloc(n * sizeof(*b));
  for (int i = 0; i < n; ++i) {
    cudaMalloc(&a[i], 64 * sizeof(R));
    b[i] = c[i] = d[i] = e[i] = g[i] = h[i] = a[i];
  }
  k<<<1, 1>>>(a[0]);
}
