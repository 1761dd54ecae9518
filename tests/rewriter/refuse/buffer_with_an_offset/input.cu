// R soa
struct R {
  float x, y, z;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

int main() {
  float *raw;
  cudaMalloc(&raw, 64 * sizeof(R));
  k<<<1, 1>>>((R *)raw); // refused: RL-R05
  cudaMemset(raw + 3, 0, sizeof(R));
}
