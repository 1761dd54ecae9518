// float4 soa
__device__ float sum(const float *values) { return values[0] + values[1]; } // refused: RL-R04
__global__ void k(float4 *p, float *out, int n) {
  const float *scalars = reinterpret_cast<const float *>(p); // refused: RL-R05
  out[threadIdx.x] = scalars[threadIdx.x] + sum(&p[n].x);
}
int main() {
  float4 *p;
  float *out;
  cudaMalloc(&p, 100 * sizeof(float4));
  cudaMalloc(&out, 100 * sizeof(float));
  k<<<1, 64>>>(p, out, 64);
}
