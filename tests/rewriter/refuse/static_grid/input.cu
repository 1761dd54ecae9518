// R soa
struct R {
  float x, y;
};

__device__ R grid[8][8]; // refused: RL-R03

__global__ void k() { grid[blockIdx.x][threadIdx.x].x = 1; }

int main() { k<<<8, 8>>>(); }
