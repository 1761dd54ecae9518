// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; } // refused: RL-R03

int main() {
  R *p;
  cudaMallocManaged(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
