// R soa
struct R {
  float x, y;
};

struct State {
  R *p;
  int n;
};

__global__ void k(R *p) { p[threadIdx.x].x += 1; }

unsigned hash(const void *memory, size_t bytes) {
  unsigned sum = 0;
  for (size_t i = 0; i < bytes; ++i)
    sum = 31 * sum + ((const unsigned char *)memory)[i];
  return sum;
}

int main() {
  State state = {nullptr, 64};
  const unsigned empty = hash(&state, sizeof(state)); // refused: RL-R10
  cudaMalloc(&state.p, state.n * sizeof(R));
  k<<<1, 64>>>(state.p);
  return empty == 0;
}
