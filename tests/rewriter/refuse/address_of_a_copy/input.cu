// R soa
// Copies of one element have different addresses.
struct R {
  float x, y;
  __device__ bool is(const R &other) const { return &*this == &other; } // refused: RL-R04
  __device__ bool isThere() const { return &x != nullptr; }
};
__device__ float force(const R &a, const R &b) {
  if (&a == &b) // refused: RL-R04
    return 0;
  return a.x * b.x;
}
__device__ bool sameField(const R &a, const R &b) { return &a.y != &b.y; } // refused: RL-R04
__global__ void k(R *p, float *out) {
  int i = threadIdx.x;
  for (int j = 0; j < 64; ++j)
    out[i] += force(p[i], p[j]) + sameField(p[i], p[j]) + p[i].is(p[j]) + p[i].isThere();
  if (&p[i] != &p[0])
    p[i].x = 1;
}
int main() {
  R *p;
  float *out;
  cudaMalloc(&p, 100 * sizeof(R));
  cudaMalloc(&out, 100 * sizeof(float));
  k<<<1, 64>>>(p, out);
}
