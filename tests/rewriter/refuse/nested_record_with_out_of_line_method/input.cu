// R soa
__device__ const int scale = 3;
struct Outer {
  static constexpr int scale = 2;
  struct R { // refused: RL-R01
    float x, y;
    __device__ float scaled() const;
  };
  R *all;
};

__device__ float Outer::R::scaled() const { return scale * x; }
__global__ void k(Outer o) { o.all[0].x = o.all[0].scaled(); }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o);
}
