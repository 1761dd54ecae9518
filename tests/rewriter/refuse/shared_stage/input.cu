// R soa
struct R {
  float x, y;
};

__device__ float sum(R *p) { // refused: RL-R03
  __shared__ float known;    // one for both calls
  if (p[0].x > 0)
    known = p[0].x;
  return known + p[1].x;
}

__global__ void k(R *p) {
  __shared__ R tile[2];
  tile[0] = p[0];
  tile[1] = p[1];
  p[2].x = sum(tile) + sum(p);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
