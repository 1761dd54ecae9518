// R soa
struct R {
  float x, y;
};

__device__ R table[64];

__global__ void k() {
  for (R &r : table) // refused: RL-R07
    r.x = 1;
}

int main() { k<<<1, 1>>>(); }
