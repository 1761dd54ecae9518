// R soa
struct R {
  float x;
  union { // refused: RL-R01
    int (*call)(int);
    float f;
  };
};

__global__ void k(R *p) { p[0].x = p[1].f; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
