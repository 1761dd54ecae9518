// R soa
struct Part {
  float x;
  __host__ __device__ ~Part() { x = 0; } // refused: RL-R01
};

struct R {
  Part part;
  float y;
  __host__ __device__ ~R() {}
};

__global__ void k(R *p) { p[0].y = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
