// R soa
struct R {
  float x, y;
  __device__ void move() { x += y; }
};

__global__ void k(R *p) { p[threadIdx.x].move(); } // refused: RL-R09

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
