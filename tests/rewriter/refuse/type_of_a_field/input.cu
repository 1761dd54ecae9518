// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) {
  decltype(p[0].x) copy = p[0].x; // refused: RL-R09
  copy += 1;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
