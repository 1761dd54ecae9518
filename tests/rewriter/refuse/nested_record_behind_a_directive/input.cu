// R soa
#define WIDTH 4
struct Outer {
#undef WIDTH
#define WIDTH 2
  struct R { // refused: RL-R01
    float x[WIDTH];
    int y;
  };
  R *all;
};

__global__ void k(Outer o) { o.all[0].y = 1; }

int main() {
  Outer o;
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  k<<<1, 1>>>(o);
}
