// R soa
struct R {
  float x, y;
};

__device__ R table[64];

__global__ void k() { table[threadIdx.x].x += 1; }

int main() {
  void *address;
  cudaGetSymbolAddress(&address, table); // refused: RL-R08
  cudaMemset(address, 1, sizeof(table));
  k<<<1, 1>>>();
}
