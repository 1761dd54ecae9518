// Walker soa
#include <cassert>
#define TWICE(x) ((x) + (x))
#define KEEP(x) x
#define DRAW(w, i) (w)[i].next()
struct Walker {
  float x;
  unsigned state;
  __device__ float next() {
    state = state * 1103515245u + 12345u;
    return state * 0x1p-32f;
  }
};
__global__ void k(Walker *w, float *out) {
  int i = threadIdx.x;
  out[i] = TWICE(w[i].next());       // refused: RL-R09
  out[i] = 1 + KEEP(w[i].next());    // refused: RL-R09
  KEEP(float a = 2 * w[i].next());   // refused: RL-R09
  out[i] = a + DRAW(w, i);           // refused: RL-R09
  assert(w[i].next() < 1);           // refused: RL-R09
}
int main() {
  Walker *w;
  float *out;
  cudaMalloc(&w, 64 * sizeof(Walker));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 64>>>(w, out);
}
