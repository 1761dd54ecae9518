// R soa
struct R {
  float x, y;
};

__constant__ R table[64]; // refused: RL-R03
__device__ float sum;

__global__ void k() { sum = table[threadIdx.x].x; }

int main() { k<<<1, 1>>>(); }
