// R soa
struct Outer {
  struct R { // refused: RL-R01
    float x, y;
  };
  R *all;
};

template <int N> __device__ float first(const Outer &o) {
  struct Outer::R r = o.all[N];
  return r.x;
}

__global__ void k(Outer o) { o.all[0].y = first<1>(o); }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o);
}
