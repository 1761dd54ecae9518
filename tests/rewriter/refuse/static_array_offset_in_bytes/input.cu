// R soa
struct R {
  float x, y;
};

__device__ R table[64];

__global__ void k() { table[threadIdx.x].x += 1; }

int main(int argc, char **) {
  R host[64] = {};
  cudaMemcpyToSymbol(table, host, sizeof(R), 4 * argc); // refused: RL-R08
  k<<<1, 1>>>();
}
