// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  void (*step)(R *, int) = [](R *q, int n) { k<<<1, n>>>(q); }; // refused: RL-R05
  step(p, 64);
}
