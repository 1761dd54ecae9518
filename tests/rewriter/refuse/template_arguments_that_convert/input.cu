// R soa
struct R {
  float x, y;
};

struct Named : R {
  int number;
};

template <typename T> T *upload(T *array, int n) {
  T *d;
  cudaMalloc((void **)&d, n * sizeof(T));
  cudaMemcpy(d, array, n * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  Named named = {};
  R *p = upload<R>(&named, 1); // refused: RL-R07
  k<<<1, 1>>>(p);
}
