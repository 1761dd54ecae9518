// R soa
struct R {
  float x, y;
};

union Steps {
  void (*step)(R *, int); // refused: RL-R05
  void (*other)(const R *, int);
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }
void step(R *p, int n) { k<<<1, n>>>(p); }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  Steps steps;
  steps.step = step;
  steps.step(p, 64);
}
