// R soa
struct OuterR {
  int n;
};
struct Outer {
  struct R { // refused: RL-R15
    float x, y;
  };
  R *all;
};

__global__ void k(Outer o, OuterR r) { o.all[r.n].x = 1; }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o, OuterR{0});
}
