// R soa
// The function sees the element change, by a reference that it is given or passes on.
struct R {
  float x, y;
};

__device__ void add(float &to, float value) { to += value; }

__device__ float both(const R &from, R &to) {
  add(to.x, from.y);
  return from.x;
}

__device__ float behind(const R &from, R *all) {
  add(all[0].x, from.y);
  return from.x;
}

__global__ void k(R *p, float *sums) {
  int i = threadIdx.x;
  sums[i] = both(p[i], p[0]);    // refused: RL-R09
  sums[i] += behind(p[i], p);    // refused: RL-R09
}

int main() {
  R *p;
  float *sums;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&sums, 64 * sizeof(float));
  k<<<1, 64>>>(p, sums);
}
