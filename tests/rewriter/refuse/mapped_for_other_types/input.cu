// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  float *host;
  R *p;
  cudaHostAlloc(&host, 64 * sizeof(R), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&p, host, 0); // refused: RL-R05
  k<<<1, 1>>>(p);
}
