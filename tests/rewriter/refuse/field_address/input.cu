// R soa
struct R {
  float x, y;
  int n;
};

__global__ void k(R *p) {
  float *first = &p[0].x;
  first[1] = 2; // refused: RL-R04
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
