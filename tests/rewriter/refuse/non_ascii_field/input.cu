// R soa
struct R {
  float höhe; // refused: RL-R01
  int count;
};

__global__ void k(R *p) { p[0].höhe = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
