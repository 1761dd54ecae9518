// R soa
struct R { // refused: RL-R01
  float x[1 << 15];
  float y[1 << 15];
  int count;
};

__global__ void k(R *p) { p->x[threadIdx.x] += p->y[threadIdx.x]; }

int main() {
  R *p;
  cudaMalloc(&p, 4 * sizeof(R));
  k<<<1, 64>>>(p);
}
