// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

float fetch(const R &r) {
  float x;
  cudaMemcpy(&x, &r.x, sizeof(r.x), cudaMemcpyDeviceToHost); // refused: RL-R04
  return x;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 64>>>(p);
  return fetch(p[3]) > 0;
}
