// R x / at[]
struct R {
  float x;
  float at[3];
};

__global__ void k(R *p) {
  float *at = p[1].at; // refused: RL-R14
  at[1] = 2;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
