// R soa
// What a function leaves as it is on some paths another thread may write meanwhile.
struct R {
  float x, v;
  float history[4];
  __device__ void bounce() {
    if (x < 0) {
      x = -x;
      v = -v;
    }
  }
  __device__ void note(int k) { history[k] = x; }
  __device__ R *self() { return this; }
};
__device__ int calls;
__device__ void operator+=(R &r, float f) {
  r.x += f;
  r.v += f;
  ++calls;
}
__global__ void k(R *p) {
  int i = threadIdx.x;
  p[i].bounce();      // refused: RL-R09
  p[i].note(i & 3);   // refused: RL-R09
  p[i].self()->x = 1; // refused: RL-R09
  p[i] += 2;          // refused: RL-R09
}
int main() {
  R *p;
  cudaMalloc(&p, 100 * sizeof(R));
  k<<<1, 64>>>(p);
}
