// R soa
#include <utility>
struct R {
  std::pair<float, float> at;
  float x;
};
__device__ float sum(const std::pair<float, float> &p) { return p.first + p.second; }
__global__ void k(R *p) { p[0].x = sum(p[1].at); } // refused: RL-R01
int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
