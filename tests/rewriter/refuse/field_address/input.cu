// R soa
struct R {
  float x, y;
  int n;
};

__global__ void k(R *p) {
  float *first = &p[0].x; // refused: RL-R04
  first[1] = 2;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
