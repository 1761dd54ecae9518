// R soa
struct R {
  float x, y;
  R() = default;
  __host__ __device__ R(const R &other) : x(other.x), y(other.x) {} // refused: RL-R01
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
