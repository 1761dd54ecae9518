// R soa
// Functions that look into memory that they call `char *`, or step over it.
#include <cstdio>

struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

void halves(char *to, size_t size) {
  cudaMemset(to, 0, size / 2);
  cudaMemset(to + size / 2, 1, size / 2);
}
char first(const char *from) { return *from; }
char *behind(char *from) {
  char *next = from;
  ++next;
  return next;
}

int main() {
  R *p;
  cudaMallocManaged(&p, 64 * sizeof(R));
  halves((char *)p, 64 * sizeof(R));     // refused: RL-R05
  std::printf("%d\n", first((char *)p)); // refused: RL-R05
  cudaMemset((char *)p + 8, 0, 8);       // refused: RL-R05
  char *bytes = (char *)p;               // refused: RL-R05
  bytes[3] = 1;
  std::printf("%s\n", (char *)p); // refused: RL-R05
  behind((char *)p);              // refused: RL-R05
  k<<<1, 1>>>(p);
}
