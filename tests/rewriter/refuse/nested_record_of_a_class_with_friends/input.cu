// R soa
struct Outer {
  struct R { // refused: RL-R01
    float x, y;
  };
  R *all;
  friend __device__ R operator+(R a, R b) { return {a.x + b.x, a.y + b.y}; }
};

__global__ void k(Outer o) { o.all[0] = o.all[1] + o.all[2]; }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o);
}
