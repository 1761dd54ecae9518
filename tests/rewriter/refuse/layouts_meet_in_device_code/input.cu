// R:main::first soa|R:main::second aligned 16
struct R {
  float x, y;
};

__global__ void k(R *one, R *two) { // refused: RL-R12
#ifdef __CUDA_ARCH__
  one = two;
#endif
  one[threadIdx.x].x = two[threadIdx.x].y;
}

int main() {
  R *first, *second;
  cudaMalloc(&first, 64 * sizeof(R));
  cudaMalloc(&second, 64 * sizeof(R));
  k<<<1, 64>>>(first, second);
}
