// R soa
struct Base {
  float x, y;
};
struct R : Base {
  float z;
  __host__ __device__ R() : z(0) {}
  __host__ __device__ R(const R &other) : z(other.z) {} // refused: RL-R01
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
