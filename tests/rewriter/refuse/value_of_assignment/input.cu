// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) {
  (p[0] = R{1, 2}).x += 3; // refused: RL-R09
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
