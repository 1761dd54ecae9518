// R soa
struct R {
  float x, y;
};

__managed__ R array[64]; // refused: RL-R03

__global__ void k() { array[threadIdx.x].x = 1; }

int main() { k<<<1, 1>>>(); }
