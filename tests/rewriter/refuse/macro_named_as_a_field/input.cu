// R soa
#define scale(a) ((a) * 2)
struct R { // refused: RL-R15
  float x, scale;
};

__global__ void k(R *p) { p[0].x = scale(p[1].scale); }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
