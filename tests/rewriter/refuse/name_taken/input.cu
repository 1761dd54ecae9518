// R soa
struct R { // refused: RL-R15
  float x, y;
};

struct RView {};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
