// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  float h[2];
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  cudaMemcpy(h, &p[3].y, sizeof(float), cudaMemcpyDeviceToHost); // refused: RL-R04
}
