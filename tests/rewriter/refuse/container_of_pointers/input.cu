// R soa
#include <map>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::map<int, R *> buffers;
  for (int i = 0; i < 2; ++i)
    cudaMalloc(&buffers[i], 64 * sizeof(R));
  k<<<1, 1>>>(buffers[1]); // refused: RL-R05
}
