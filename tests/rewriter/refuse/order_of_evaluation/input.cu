// R soa
struct R {
  float x, y;
};

__device__ R make(int &i) {
  ++i;
  return {1, 2};
}

__global__ void k(R *p, int i) {
  p[i] = make(i); // refused: RL-R09
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, 0);
}
