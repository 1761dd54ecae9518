// R soa
struct Outer {
  struct R { // refused: RL-R01
    float x, y;
  };
  R *all;
};

__global__ void k(Outer o) { o.all[0].x = 1; }

int main() {
  Outer o;
  struct Outer::R first = {1, 2};
  cudaMalloc(&o.all, 64 * sizeof(Outer::R));
  cudaMemcpy(o.all, &first, sizeof(first), cudaMemcpyHostToDevice);
  k<<<1, 1>>>(o);
}
