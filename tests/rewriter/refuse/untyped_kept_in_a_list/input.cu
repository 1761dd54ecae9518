// R soa
struct R {
  float x, y;
};

static void *all[16];
static int count = 0;

void *gpuMalloc(size_t bytes) {
  void *p;
  cudaMalloc(&p, bytes);
  all[count++] = p;
  return p;
}

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p = (R *)gpuMalloc(64 * sizeof(R)); // refused: RL-R05
  k<<<1, 1>>>(p);
}
