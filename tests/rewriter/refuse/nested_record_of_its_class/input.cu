// R soa
struct Outer {
  static constexpr float kScale = 2;
  struct R { // refused: RL-R01
    float x, y;
    __device__ float scaled() const { return kScale * x; }
  };
  R *all;
};

__global__ void k(Outer o) { o.all[0].x = o.all[0].scaled(); }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o);
}
