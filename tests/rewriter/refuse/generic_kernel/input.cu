// R soa
struct R {
  float x, y;
};

template <class T> __global__ void k(T *p) { p[0].x = 1; } // refused: RL-R07

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
