// R exploded
struct R {
  float e[3];
  __device__ float &operator[](int i) { return e[i]; }
};

__global__ void k(R *p) { p[0][1] = 2; } // refused: RL-R14

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
