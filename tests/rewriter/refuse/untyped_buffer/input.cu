// R soa
struct R {
  float x, y, z;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

__global__ void halve(float *values) { values[threadIdx.x] *= 0.5f; }

int main() {
  float *raw; // of which elements are used, too
  cudaMalloc(&raw, 64 * sizeof(R));
  k<<<1, 1>>>((R *)raw); // refused: RL-R05
  halve<<<1, 192>>>(raw);
}
