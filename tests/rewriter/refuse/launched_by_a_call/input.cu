// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  void *arguments[1];
  arguments[0] = &p; // refused: RL-R06
  cudaLaunchKernel((const void *)k, dim3(1), dim3(1), arguments, 0, 0);
}
