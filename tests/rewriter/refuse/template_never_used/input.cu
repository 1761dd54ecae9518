// R soa
struct R {
  float x, y;
};

template <int N> __device__ void other(R *p) { p[N].y = 1; }

__global__ void k(R *p) { p[0].x = 1; }

template <int N> __global__ void k2(R *p) {
  if constexpr (N > 1)
    p[0].x = 1; // refused: RL-R07
  else
    p[1].x = 1;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  k2<1><<<1, 1>>>(p);
}
