// R soa
struct R {
  float x, y;
};

typedef void (*Step)(R *, int);
extern "C" void onTick(Step step); // refused: RL-R05

__global__ void k(R *p) { p[threadIdx.x].x = 1; }
void step(R *p, int n) { k<<<1, n>>>(p); }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  step(p, 64);
  onTick(step);
}
