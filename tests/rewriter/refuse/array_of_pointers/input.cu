// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p[2]; // refused: RL-R10
  cudaMalloc(&p[0], 64 * sizeof(R)); // refused: RL-R06
  cudaMalloc(&p[1], 64 * sizeof(R)); // refused: RL-R06
  k<<<1, 1>>>(p[0]);
}
