// R:main::a soa|R:main::b aligned 16
struct R {
  float x, y;
};

void move(void *to, const void *from, size_t bytes) {
  cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

__global__ void k(R *p) { p[0].x = 1; }
__global__ void l(R *p) { p[0].x = 2; }

int main() {
  R *a, *b;
  cudaMalloc(&a, 64 * sizeof(R));
  cudaMalloc(&b, 64 * sizeof(R));
  k<<<1, 1>>>(a);
  l<<<1, 1>>>(b);
  move(a, b, 64 * sizeof(R)); // refused: RL-R05
}
