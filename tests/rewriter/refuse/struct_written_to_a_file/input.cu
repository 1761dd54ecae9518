// R soa
#include <cstdio>
#include <cstring>

struct R {
  float x, y;
};

struct State {
  R *p;
  int n;
};

__global__ void k(R *p) { p[threadIdx.x].x += 1; }

int main() {
  State state = {nullptr, 64};
  cudaMalloc(&state.p, state.n * sizeof(R));
  k<<<1, 64>>>(state.p);
  FILE *file = fopen("state", "wb");
  fwrite(&state, sizeof(State), 1, file); // refused: RL-R10
  fclose(file);
  char bytes[64];
  memcpy(bytes, &state, sizeof(state)); // refused: RL-R10
  int count = 0;
  for (size_t used = 0; used + sizeof(State) <= sizeof(bytes); used += 8) // refused: RL-R10
    ++count;
}
