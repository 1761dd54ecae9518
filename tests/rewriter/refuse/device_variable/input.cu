// R soa
struct R {
  float x, y;
};

__device__ R table[64] = {{1, 2}}; // refused: RL-R03

__global__ void k() { table[threadIdx.x].x = 1; }

int main() { k<<<1, 1>>>(); }
