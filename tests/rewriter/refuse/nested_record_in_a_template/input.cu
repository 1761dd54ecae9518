// R soa
template <class T> struct Outer {
  struct R { // refused: RL-R01
    T x, y;
  };
  R *all;
};

__global__ void k(Outer<float> o) { o.all[0].x = 1; }

int main() {
  Outer<float> o;
  cudaMalloc(&o.all, 64 * sizeof(Outer<float>::R));
  k<<<1, 1>>>(o);
}
