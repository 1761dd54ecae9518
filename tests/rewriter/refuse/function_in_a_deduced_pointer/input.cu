// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  auto kernel = k; // refused: RL-R05
  kernel<<<1, 64>>>(p); // refused: RL-R05
}
