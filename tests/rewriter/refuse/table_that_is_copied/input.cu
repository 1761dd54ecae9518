// R soa
// What copies or moves a table's bytes without its type would copy parts of views.
#include <cstdlib>
#include <cstring>

struct R {
  float x, y;
};

R **kept;

__global__ void k(R *p) { p[0].x = 1; }

void numbers(char *table, int n);

int main() {
  const int n = 4;
  R **a = (R **)malloc(n * sizeof(R *));
  R **b = new R *[n];
  memset(a, 0, n * sizeof(R *));             // refused: RL-R06
  memcpy(b, a, n * sizeof(R *));             // refused: RL-R06
  a = (R **)realloc(a, 2 * n * sizeof(R *)); // refused: RL-R05 RL-R06
  void *untyped = a;                         // refused: RL-R06
  numbers((char *)b, n);                     // refused: RL-R06
  size_t size = sizeof(a);                   // refused: RL-R06
  cudaMalloc(&a[0], 64 * sizeof(R));
  cudaMalloc(&b[0], 64 * sizeof(R));
  k<<<1, 1>>>(a[0]);
  kept = b;
  return untyped == nullptr || size == 0;
}
