// R soa
// __ldg reads global memory; the parameter is bound to a copy on the stack with a view.
struct R {
  float x, y;
};

__device__ float read(const R &r) { return __ldg(&r.x); } // refused: RL-R04

__global__ void k(const R *p, float *out) { out[0] = read(p[1]) + p[0].y; }

int main() {
  R *p;
  float *out;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&out, 64);
  k<<<1, 1>>>(p, out);
}
