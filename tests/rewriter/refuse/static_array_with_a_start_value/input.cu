// R soa
struct R {
  float x = 1, y = 2;
};

__device__ R table[64]; // refused: RL-R03

__global__ void k() { table[threadIdx.x].x += 1; }

int main() { k<<<1, 1>>>(); }
