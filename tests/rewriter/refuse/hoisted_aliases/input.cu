// Walker soa
struct Walker {
  float x;
  unsigned state;
  __device__ float next() {
    state = state * 1103515245u + 12345u;
    return state * 0x1p-32f;
  }
  __device__ float plus(const unsigned &by) {
    state += by;
    state += by;
    return state;
  }
};
__device__ float of(Walker *w, int i, const unsigned &seed) {
  return w[i].next() + seed; // refused: RL-R09
}
__global__ void k(Walker *w, float *out) {
  int i = threadIdx.x;
  unsigned *state = &w[i].state;
  const unsigned &same = w[i].state;
  out[i] = *state + w[i].next(); // refused: RL-R09
  out[i] = same * w[i].next();   // refused: RL-R09
  float a = w[same].next();      // refused: RL-R09
  w[i].plus(same);               // refused: RL-R09
  out[i] += a + of(w, i, w[i].state);
}
int main() {
  Walker *w;
  float *out;
  cudaMalloc(&w, 64 * sizeof(Walker));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 64>>>(w, out);
}
