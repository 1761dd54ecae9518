// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p[2]; // refused: RL-R10
  cudaMalloc(&p[0], 64 * sizeof(R));
  cudaMalloc(&p[1], 64 * sizeof(R));
  k<<<1, 1>>>(p[0]);
}
