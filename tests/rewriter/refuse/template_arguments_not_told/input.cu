// R soa
struct R {
  float x, y;
};

template <class T, int N> __global__ void k(T *p) { // refused: RL-R07
  p[N].x = 1;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<R, 1><<<1, 1>>>(p);
  k<R, 2><<<1, 1>>>(p);
}
