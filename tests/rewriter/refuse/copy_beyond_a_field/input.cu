// R soa
struct R {
  float x, y;
  int n;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

int main() {
  R *p;
  float both[2] = {1, 2};
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMemcpy(&p[3].y, &both[1], sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(&p[3].x, both, 2 * sizeof(float), cudaMemcpyHostToDevice); // refused: RL-R04
  k<<<1, 64>>>(p);
}
