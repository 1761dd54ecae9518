// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

#define BUFFERS(name) std::array<R *, 2> name; const char *text = #name

int main() {
  BUFFERS(parts); // refused: RL-R02
  cudaMalloc(&parts[0], 64 * sizeof(R));
  k<<<1, 1>>>(parts[0]);
}
