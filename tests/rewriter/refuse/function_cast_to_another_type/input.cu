// R soa
struct R {
  float x, y;
};

typedef void (*Step)(R *, int);

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

void step(R *p, int n) { k<<<1, n>>>(p); }
void rest(void *, int) {}

int main(int argc, char **) {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  Step run = argc > 1 ? step : (Step)0;
  if (argc > 2)
    run = (Step)rest; // refused: RL-R05
  run(p, 64);
}
