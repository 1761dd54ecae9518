// float2 soa
__device__ float sum(float2 &a) { return a.x + a.y; }
__device__ float sum(const float2 &a) { return a.x - a.y; }

__device__ float first(float2 &a) { return a.x; }
__device__ float (*chosen)(float2 &) = first;

__device__ float passed(float2 &a);
__device__ float writes(float2 &a) { return passed(a); }
__device__ float passed(float2 &a) { return a.x = 1; }

__device__ float kept(float2 &a) {
  float2 &b = a;
  return b.x;
}

__global__ void k(float2 *p, float *out, bool all) {
  out[0] = all ? sum(p[0]) : 0;    // refused: RL-R09
  out[1] = all ? first(p[1]) : 0;  // refused: RL-R09
  out[2] = all ? writes(p[2]) : 0; // refused: RL-R09
  out[3] = all ? kept(p[3]) : 0;   // refused: RL-R09
  out[4] = p[4].x;
}

int main() {
  float2 *p;
  float *out;
  cudaMalloc(&p, 64 * sizeof(float2));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 1>>>(p, out, true);
}
