// R soa
struct R {
  float x, y;
};

__device__ R table[64];
__device__ R *first = table; // refused: RL-R10

__global__ void k() { table[threadIdx.x].x += first->y; }

int main() { k<<<1, 1>>>(); }
