// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) {
  auto &[x, y] = p[0]; // refused: RL-R10
  x = y;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
