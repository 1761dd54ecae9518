// R soa
struct R {
  float x, y;
};

__device__ R table[64];

__global__ void k(R *all) { table[threadIdx.x].x += all[threadIdx.x].y; }

int main() {
  R *all;
  cudaMalloc(&all, 64 * sizeof(R));
  cudaMemcpyToSymbol(table, all, 64 * sizeof(R), 0, cudaMemcpyDeviceToDevice); // refused: RL-R08
  k<<<1, 64>>>(all);
}
