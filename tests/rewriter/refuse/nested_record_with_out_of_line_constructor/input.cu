// R soa
struct Outer {
  struct R { // refused: RL-R01
    float x, y;
    __host__ __device__ R(float v);
  };
  R *all;
};

__host__ __device__ Outer::R::R(float v) : x(v), y(v) {}
__global__ void k(Outer o) { o.all[0] = Outer::R(2); }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o);
}
