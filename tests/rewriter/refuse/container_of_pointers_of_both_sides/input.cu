// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; } // refused: RL-R03

int main() {
  R host[64], *device;
  cudaMalloc(&device, 64 * sizeof(R));
  std::vector<R *> all;
  all.push_back(host);
  all.push_back(device);
  k<<<1, 1>>>(all[1]);
}
