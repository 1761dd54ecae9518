// R soa
struct R {
  float x, y;
};

void rMake();

template <class T> T *make(int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  return p;
}

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p = make<R>(64); // refused: RL-R07
  k<<<1, 1>>>(p);
}
