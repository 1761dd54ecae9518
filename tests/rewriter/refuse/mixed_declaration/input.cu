// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) {
  for (R *q = p + 1, copy = *q; q != p; --q) // refused: RL-R10
    p[0].x = copy.y;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
