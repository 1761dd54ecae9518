// R soa
struct R {
  float x, y;
};

__device__ R table[64];

__global__ void k() { table[threadIdx.x].x += 1; }

int main() {
  R one = {1, 2};
  cudaMemcpyToSymbol(table[3], &one, sizeof(R)); // refused: RL-R09
  k<<<1, 1>>>();
}
