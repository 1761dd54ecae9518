// R soa
struct R {
  float x, y;
};

void copyOut(void *to, const void *from, size_t bytes) {
  cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost); // refused: RL-R08
}

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  char bytes[64 * sizeof(R)];
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  copyOut(bytes, p, sizeof bytes);
}
