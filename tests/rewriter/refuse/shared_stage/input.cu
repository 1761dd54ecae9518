// R soa
struct R {
  float x, y;
};

__device__ float sum(R *p) { return p[0].x + p[1].x; } // refused: RL-R03

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
