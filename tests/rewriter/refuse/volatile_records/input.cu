// R soa
struct R {
  float x, y;
};

__global__ void k(volatile R *p) { p[0].x = 1; } // refused: RL-R10

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
