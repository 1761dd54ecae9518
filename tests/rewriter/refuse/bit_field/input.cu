// R soa
struct R {
  float x;
  unsigned kind : 3; // refused: RL-R01
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
