// R soa
#define load(a) ((a) + 1)
struct R { // refused: RL-R15
  float x, y;
};

__global__ void k(R *p) {
  R r = p[1];
  p[0].x = load(r.x);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
