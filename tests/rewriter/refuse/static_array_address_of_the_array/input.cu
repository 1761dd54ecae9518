// R soa
struct R {
  float x, y;
};

__device__ R table[64];

__global__ void k() {
  R(*whole)[64] = &table; // refused: RL-R06
  (*whole)[threadIdx.x].x += 1;
}

int main() { k<<<1, 1>>>(); }
